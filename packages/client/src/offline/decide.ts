import { BaobabError, type ErrorCode, isBaobabError } from '../errors.ts';
import { randomKey } from '../transport/random.ts';
import type { DocumentFields } from '../wire.ts';
import type { Draft, Local, LocalUser } from './local.ts';
import { type Content, contentOf, type Entry, madeBy, type Write } from './records.ts';
import type { AnyDocument, ConflictDecision, FailedWrite, OnConflict, OnRejected, RefusedWrite } from './types.ts';

interface Decided {
  readonly current: Entry;
  readonly first: Write;
  readonly decision: Exclude<ConflictDecision, 'keep'> | 'retry';
  readonly remote: DocumentFields | null;
}

interface DecideDeps {
  readonly local: Local;
  readonly onConflict: OnConflict | undefined;
  readonly onRejected: OnRejected | undefined;
  /** Reads the current state of a document from the server; null if it does not exist. */
  read(entry: Entry): Promise<DocumentFields | null>;
}

const CONFLICTS: readonly string[] = ['document.stale', 'document.not_found'];

const errorOf = ({ code, message, status, errors }: NonNullable<Write['error']>) =>
  new BaobabError(code as ErrorCode, message, { status, errors });

const refusedOf = ({ id, collection }: Entry, { kind, content, changes, from }: Write): RefusedWrite => ({
  collection,
  id,
  kind,
  content,
  ...(changes !== undefined && { changes }),
  base: from as AnyDocument | null,
});

/** Resolves refused writes with the callbacks of the app. */
export function createDecisions({ local, onConflict, onRejected, read }: DecideDeps) {
  /** Keys of writes that the app is deciding on or has decided to keep. */
  const asked = new Set<string>();
  const pending = new Set<Promise<void>>();

  const refused = () =>
    Array.from(local.entries().values()).flatMap((entry) => {
      const [write] = entry.writes;
      return write?.error == null ? [] : [{ entry, write, error: errorOf(write.error) }];
    });

  /** Returns the write to send again, changed as decided. */
  function again(
    { changes, ...first }: Write,
    decision: 'mine' | 'retry' | Content,
    remote: DocumentFields | null,
  ): Write {
    const plain = { ...first, key: randomKey(), sentAt: null, error: null };
    const fresh = changes === undefined ? plain : { ...plain, changes };
    if (decision === 'retry') return fresh;
    const version = remote?.['@version'] ?? null;
    if (decision === 'mine') return { ...fresh, version };
    return { ...plain, kind: first.kind === 'create' ? 'create' : 'replace', content: contentOf(decision), version };
  }

  /** Turns a deleted document into a new one, with another id, that contains all writes of the user. */
  function renew(current: Entry, first: Write, decision: 'mine' | Content): Entry {
    const key = randomKey();
    const content = contentOf(decision === 'mine' ? (madeBy(current, first, local.author()) ?? {}) : decision);
    const { changes: _changes, ...rest } = first;
    const create = { ...rest, kind: 'create', content, key, version: null, sentAt: null, error: null } as const;
    const later = current.writes.slice(1).map((write) => ({ ...write, version: null }));
    return { ...current, id: local.newId(), base: null, writes: [create, ...later] };
  }

  /**
   * Applies the version of a conflicting write to the writes after it. They were also made without knowledge of the
   * remote change, which a full replacement would undo. With this version, the server checks them for conflicts too.
   */
  const unaware = (writes: readonly Write[], { version }: Write): readonly Write[] =>
    writes.map((write) => (write.kind === 'update' ? write : { ...write, version: write.version ?? version }));

  /** Drops a write. Later writes are based on the same version, so that they cannot hide remote changes. */
  function giveUp(current: Entry, first: Write): Entry {
    if (first.kind === 'create') return { ...current, writes: [] };
    const [following, ...rest] = current.writes.slice(1);
    const writes =
      following === undefined ? [] : [{ ...following, version: following.version ?? first.version }, ...rest];
    return { ...current, writes };
  }

  function decide(draft: Draft, { current, first, decision, remote }: Decided): void {
    if (decision === 'theirs' || (remote === null && first.kind === 'remove' && decision !== 'retry')) {
      draft.put(giveUp(current, first));
    } else if (decision !== 'retry' && remote === null && first.kind !== 'create') {
      draft.put({ ...current, writes: [] });
      draft.put(renew(current, first, decision));
    } else {
      const rest = decision === 'retry' ? current.writes.slice(1) : unaware(current.writes.slice(1), first);
      draft.put({ ...current, writes: [again(first, decision, remote), ...rest] });
    }
  }

  async function apply(
    user: LocalUser,
    { entry, write }: { readonly entry: Entry; readonly write: Write },
    decision: ConflictDecision | 'retry',
    remote: DocumentFields | null,
  ): Promise<void> {
    if (decision === 'keep') return;
    await local.transact(user, [entry.id], (draft) => {
      const current = draft.get(entry.id);
      const first = current?.writes[0];
      if (current === undefined || first?.key !== write.key || first.error === null) return;
      decide(draft, { current, first, decision, remote });
    });
    asked.delete(write.key);
  }

  type Refused = ReturnType<typeof refused>[number];

  async function ask(user: LocalUser, one: Refused): Promise<void> {
    const { entry, write, error } = one;
    const about = refusedOf(entry, write);
    if (CONFLICTS.includes(error.code)) {
      if (onConflict === undefined) return;
      const remote = error.code === 'document.stale' ? await read(entry) : null;
      const mine = madeBy(entry, write, local.author());
      const decision = await onConflict(mine as AnyDocument | null, remote as AnyDocument | null, about);
      return apply(user, one, decision, remote);
    }
    const decision = (await onRejected?.(about, error)) ?? 'keep';
    await apply(user, one, decision === 'discard' ? 'theirs' : decision, null);
  }

  function start(user: LocalUser, one: Refused): void {
    if (asked.has(one.write.key)) return;
    asked.add(one.write.key);
    const asking = ask(user, one)
      .catch((error) => {
        // The write stays among the failed ones. Errors in the app's callback are reported to the app.
        asked.delete(one.write.key);
        if (isBaobabError(error)) return;
        queueMicrotask(() => {
          throw error;
        });
      })
      .finally(() => pending.delete(asking));
    pending.add(asking);
  }

  const failedOf = (user: LocalUser, one: Refused): FailedWrite => {
    const { entry, write, error } = one;
    const isConflict = CONFLICTS.includes(error.code);
    return {
      ...refusedOf(entry, write),
      error,
      retry: () => apply(user, one, isConflict ? 'mine' : 'retry', entry.base),
      discard: () => apply(user, one, 'theirs', null),
    };
  };

  return {
    failed: (): readonly FailedWrite[] => {
      const user = local.user();
      return user === null ? [] : refused().map((one) => failedOf(user, one));
    },
    /** Asks the app to decide on the refused writes. */
    begin(user: LocalUser): void {
      if (onConflict === undefined && onRejected === undefined) return;
      for (const one of refused()) start(user, one);
    },
    /** Resolves when all decisions are made. */
    async ended(): Promise<void> {
      await Promise.all(Array.from(pending));
    },
  };
}
