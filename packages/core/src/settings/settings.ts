import { rolePrincipal } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { ROLES } from '../roles/roles.ts';
import { createSignalCache } from '../signal-cache.ts';
import { FOLLOWERS_READ, type SettingValues } from './catalogue.ts';
import { defineSettings, type SettingDefinition } from './definitions.ts';
import {
  SETTING_SECTIONS,
  type SectionKey,
  type SettingGroup,
  type SettingsSource,
  type SettingType,
  type ValuesOf,
} from './setting.ts';

export interface SettingsReader {
  /** All settings in their own types. */
  current(): Promise<SettingValues>;
}

/** A setting as administrators see it: values are texts, and a secret shows only whether it is set. */
export interface ShownSetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: SettingType;
  /** The value of a setting that nobody has changed. */
  readonly default_value: string;
  /** The values that it takes, in words. */
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
}

export interface SettingsDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly audit: Audit;
  /** The groups of adapters; none when absent. */
  readonly settingGroups?: readonly SettingGroup[];
}

export type Settings = ReturnType<typeof createSettings>;

const HIDDEN = '***';
const MAX_VALUE_LENGTH = 100_000;

/** The settings that administrators can change while the service runs. A change takes effect at once, on every node. */
export function createSettings({ storage, secrets, clock, logger, audit, settingGroups = [] }: SettingsDeps) {
  const sections = defineSettings(settingGroups);
  const definitions = Object.values(sections).flat();

  /** The value of a stored setting; a secret that was encrypted with another key counts as unset. */
  function readStored(definition: SettingDefinition, stored: string | undefined): string | number | boolean {
    if (stored === undefined) return definition.initial;
    const text = definition.type === 'Secret' && stored !== '' ? secrets.decrypt(stored) : stored;
    const value = text === null ? null : definition.parse(text);
    if (value === null) logger.warn({ key: definition.key }, 'stored setting unreadable, using its default');
    return value ?? definition.initial;
  }

  async function read(): Promise<SettingValues> {
    const stored = new Map((await storage.settings.all()).map(({ key, value }) => [key, value]));
    const entries = definitions.map((definition) => [
      definition.key,
      readStored(definition, stored.get(definition.key)),
    ]);
    return Object.freeze(Object.fromEntries(entries)) as SettingValues;
  }

  const { current, fresh, dispose } = createSignalCache({
    signals: storage.signals,
    clock,
    topics: ['settings'],
    read,
  });

  function sectionOf(name: string): SectionKey {
    const section = Object.keys(SETTING_SECTIONS).find((one) => one.toLowerCase() === name.toLowerCase());
    if (section === undefined) throw new AppError('setting.section_not_found', { detail: `"${name}"` });
    return section as SectionKey;
  }

  function show(section: SectionKey, values: SettingValues): ShownSetting[] {
    return sections[section].map(({ key, description, type, initial, expected }) => {
      const value = String((values as Readonly<Record<string, unknown>>)[key]);
      const shown = type === 'Secret' && value !== '' ? HIDDEN : value;
      return { key, value: shown, description, type, default_value: String(initial), expected };
    });
  }

  /** What users may read changes at once. Anonymous callers follow nobody. */
  function markEveryUser({ changes }: Stores): Promise<void> {
    const audience = rolePrincipal(ROLES.registered);
    return changes.markVisibility({ audience, collection: null, reason: 'setting' }, clock.now());
  }

  return {
    current,
    fresh,

    /** The settings of an adapter. `group` must be one of those with which the service was created. */
    source<Group extends SettingGroup>(group: Group): SettingsSource<Group> {
      if (!settingGroups.includes(group))
        throw new Error(`the group of settings in ${group.section} is not registered`);
      return { current: current as () => Promise<ValuesOf<Group>> };
    },

    /** Every section. @throws `auth.required`, `admin.required` */
    async dump(actor: Actor): Promise<ShownSection[]> {
      requireAdmin(actor);
      const values = await current();
      const names = Object.keys(SETTING_SECTIONS) as SectionKey[];
      return names.map((section) => ({
        section,
        description: SETTING_SECTIONS[section],
        settings: show(section, values),
      }));
    },

    /** @throws `auth.required`, `admin.required`, `setting.section_not_found` */
    async section(actor: Actor, name: string): Promise<ShownSetting[]> {
      requireAdmin(actor);
      return show(sectionOf(name), await current());
    },

    /**
     * @throws `auth.required`, `admin.required`, `setting.section_not_found`, `setting.key_not_found`,
     *   `setting.value_invalid`
     */
    async set(actor: Actor, { section, key, value }: SettingChange): Promise<void> {
      requireAdmin(actor);
      const definition = sections[sectionOf(section)].find((one) => one.key === key);
      if (definition === undefined) throw new AppError('setting.key_not_found', { detail: `"${key}"` });
      if (value.length > MAX_VALUE_LENGTH || definition.parse(value) === null) {
        throw new AppError('setting.value_invalid', { detail: `${key} must be ${definition.expected}` });
      }
      const stored = definition.type === 'Secret' && value !== '' ? secrets.encrypt(value) : value;
      // Texts may contain secrets, whatever their type.
      const isPlain = definition.type === 'Boolean' || definition.type === 'Integer';
      const to = { kind: 'setting', id: key, name: null } as const;
      await audit.transaction(storage.transaction, async (stores, record) => {
        const before = await stores.settings.set({ key, value: stored });
        if (key === FOLLOWERS_READ && readStored(definition, before ?? undefined) !== definition.parse(value)) {
          await markEveryUser(stores);
        }
        await stores.announcer.announce({ topic: 'settings', key });
        record(actor, 'setting.changed', { to, details: { value: isPlain ? value : null } });
      });
    },

    /** Ends the subscription to signals. */
    dispose,
  };
}
