import { type Actor, requireAdmin } from '../actor.ts';
import type { Secrets } from '../ports/secrets.ts';
import { SEALED_KINDS, type SealedKind, type SealedValue } from '../ports/storage/sealed.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { defineSettings } from '../settings/definitions.ts';
import type { SettingGroup } from '../settings/setting.ts';

/** Number of values per transaction, small enough to keep other transactions from waiting long. */
const BATCH = 100;

/** Number of values of a kind, by the key that opens them. */
export interface SealedCounts {
  readonly kind: SealedKind;
  /** Number of values opened by the current secret key. */
  readonly current: number;
  /** Number of values opened only by the previous key. */
  readonly previous: number;
  /** Number of values opened by neither. */
  readonly unreadable: number;
}

export interface SealedValuesDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  /** Setting groups of adapters; none if absent. */
  readonly settingGroups?: readonly SettingGroup[];
}

type State = Exclude<keyof SealedCounts, 'kind'>;

export type SealedValues = ReturnType<typeof createSealedValues>;

/**
 * Values encrypted with the secret key, for a rotation of that key. Every method: @throws `auth.required`,
 * `admin.required`
 */
export function createSealedValues({ storage, secrets, settingGroups = [] }: SealedValuesDeps) {
  const definitions = Object.values(defineSettings(settingGroups)).flat();
  const plain: ReadonlySet<string> = new Set(definitions.filter(({ type }) => type !== 'Secret').map(({ key }) => key));
  const known: ReadonlySet<string> = new Set(definitions.map(({ key }) => key));

  /** Returns the state of a value; null if it is not encrypted. */
  function stateOf(kind: SealedKind, { place, sealed }: SealedValue): State | null {
    if (kind === 'settings' && plain.has(place)) return null;
    if (secrets.isCurrent(sealed)) return 'current';
    if (secrets.decrypt(sealed) !== null) return 'previous';
    // The setting of a removed adapter may be of any type.
    return kind === 'settings' && !known.has(place) ? null : 'unreadable';
  }

  /** Re-encrypts values, except those changed meanwhile. */
  async function renew(kind: SealedKind, values: readonly SealedValue[]): Promise<void> {
    await storage.transaction(async (stores) => {
      for (const value of values) {
        const text = secrets.decrypt(value.sealed);
        if (text !== null) await stores.sealed.replace(kind, value, secrets.encrypt(text));
      }
    });
  }

  /** Counts the values of a page. Returns those of the previous key. */
  function examine(kind: SealedKind, page: readonly SealedValue[], counts: Record<State, number>): SealedValue[] {
    return page.filter((value) => {
      const state = stateOf(kind, value);
      if (state !== null) counts[state]++;
      return state === 'previous';
    });
  }

  async function walk(
    kind: SealedKind,
    visit: (former: readonly SealedValue[]) => Promise<void>,
  ): Promise<SealedCounts> {
    const counts = { current: 0, previous: 0, unreadable: 0 };
    let page = await storage.sealed.page(kind, null, BATCH);
    for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
      const former = examine(kind, page, counts);
      if (former.length > 0) await visit(former);
      page = await storage.sealed.page(kind, last.place, BATCH);
    }
    return { kind, ...counts };
  }

  return {
    /** Counts the values of each kind, or of some kinds, without changes. */
    async survey(actor: Actor, kinds: readonly SealedKind[] = SEALED_KINDS): Promise<SealedCounts[]> {
      requireAdmin(actor);
      const counts: SealedCounts[] = [];
      for (const kind of kinds) counts.push(await walk(kind, async () => undefined));
      return counts;
    },

    /**
     * Re-encrypts the values of the previous key with the current one, in batches, while servers run. After an
     * interruption, another call does the rest. Resolves to the counts before the rotation.
     *
     * @param onProgress called with the number of re-encrypted values
     */
    async rotate(actor: Actor, onProgress: (done: number) => void = () => undefined): Promise<SealedCounts[]> {
      requireAdmin(actor);
      let done = 0;
      const counts: SealedCounts[] = [];
      for (const kind of SEALED_KINDS) {
        counts.push(
          await walk(kind, async (former) => {
            await renew(kind, former);
            done += former.length;
            onProgress(done);
          }),
        );
      }
      return counts;
    },
  };
}
