import { ROLES, rolePrincipal } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { OutboundHosts } from '../ports/outbound.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import { FOLLOWERS_READ, type SettingValues } from '../settings/catalogue.ts';
import type { SettingDefinition } from '../settings/definitions.ts';
import { SETTING_SECTIONS, type SectionKey, type SettingType } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';

/** A setting as shown to administrators. Values are texts. For a secret, only its presence is shown. */
export interface ShownSetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: SettingType;
  /** Value of an unchanged setting. */
  readonly default_value: string;
  /** Allowed values, in words. */
  readonly expected: string;
}

export interface ShownSection {
  readonly section: SectionKey;
  readonly description: string;
  readonly settings: readonly ShownSetting[];
}

export interface SettingChange {
  readonly section: string;
  readonly key: string;
  readonly value: string;
  readonly presence: Presence;
}

export interface SettingAdminDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly settings: Settings;
  readonly freshLogin: FreshLogin;
  readonly outboundHosts: OutboundHosts;
}

export type SettingAdmin = ReturnType<typeof createSettingAdmin>;

const HIDDEN = '***';
const MAX_VALUE_LENGTH = 100_000;

/** Settings that administrators can change at runtime. */
export function createSettingAdmin(deps: SettingAdminDeps) {
  const { storage, secrets, clock, audit, settings, freshLogin, outboundHosts } = deps;

  function sectionOf(name: string): SectionKey {
    const section = Object.keys(SETTING_SECTIONS).find((one) => one.toLowerCase() === name.toLowerCase());
    if (section === undefined) throw new AppError('setting.section_not_found', { detail: `"${name}"` });
    return section as SectionKey;
  }

  function show(section: SectionKey, values: SettingValues): ShownSetting[] {
    return settings.sections[section].map(({ key, description, type, initial, expected }) => {
      const value = String((values as Readonly<Record<string, unknown>>)[key]);
      const shown = type === 'Secret' && value !== '' ? HIDDEN : value;
      return { key, value: shown, description, type, default_value: String(initial), expected };
    });
  }

  /** Marks that the permissions of all users change. Anonymous callers do not follow anyone. */
  function markEveryUser({ changes }: Stores): Promise<void> {
    const audience = rolePrincipal(ROLES.registered);
    return changes.markVisibility([{ audience, collection: null, reason: 'setting' }], clock.now());
  }

  /** @throws `setting.value_invalid` if connections to the host in the value would be refused */
  async function requireAllowedHost({ key, hostIn }: SettingDefinition, value: string): Promise<void> {
    const host = hostIn(value);
    const problem = host === '' ? null : await outboundHosts.problemOf(host);
    if (problem !== null) throw new AppError('setting.value_invalid', { detail: `${key}: ${problem}`, input: 'value' });
  }

  return {
    /** Returns all sections that have settings. @throws `auth.required`, `admin.required` */
    async dump(actor: Actor): Promise<ShownSection[]> {
      requireAdmin(actor);
      const values = await settings.current();
      const names = Object.keys(SETTING_SECTIONS) as SectionKey[];
      return names
        .map((section) => ({ section, description: SETTING_SECTIONS[section], settings: show(section, values) }))
        .filter((one) => one.settings.length > 0);
    },

    /** @throws `auth.required`, `admin.required`, `setting.section_not_found` */
    async section(actor: Actor, name: string): Promise<ShownSetting[]> {
      requireAdmin(actor);
      return show(sectionOf(name), await settings.current());
    },

    /**
     * Changes a setting.
     *
     * @throws `auth.required`, `admin.required`, `setting.section_not_found`, `setting.key_not_found`,
     * `setting.value_invalid`; if the setting is protected, the errors of `FreshLogin.ensure` and `key.user_required`
     */
    async set(actor: Actor, { section, key, value, presence }: SettingChange): Promise<void> {
      requireAdmin(actor);
      const definition = settings.sections[sectionOf(section)].find((one) => one.key === key);
      if (definition === undefined) throw new AppError('setting.key_not_found', { detail: `"${key}"` });
      if (value.length > MAX_VALUE_LENGTH || definition.parse(value) === null) {
        throw new AppError('setting.value_invalid', {
          detail: `${key} must be ${definition.expected}`,
          input: 'value',
        });
      }
      // A stolen session or key could redirect password reset mails to the attacker.
      if (definition.isProtected) await freshLogin.ensure(actor, presence);
      await requireAllowedHost(definition, value);
      const stored = definition.type === 'Secret' && value !== '' ? secrets.encrypt(value) : value;
      // Any text may contain secrets, regardless of its type.
      const isPlain = definition.type === 'Boolean' || definition.type === 'Integer';
      const to = { kind: 'setting', id: key, name: null } as const;
      await audit.transaction(storage.transaction, async (stores, record) => {
        const before = await stores.settings.set({ key, value: stored });
        if (
          key === FOLLOWERS_READ &&
          settings.readStored(definition, before ?? undefined) !== definition.parse(value)
        ) {
          await markEveryUser(stores);
        }
        await stores.announcer.announce({ topic: 'settings', key });
        record(actor, 'setting.changed', { to, details: { value: isPlain ? value : null } });
      });
    },
  };
}
