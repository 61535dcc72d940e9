import { createSignalCache } from '../caches.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { SettingValues } from './catalogue.ts';
import { defineSettings, type SettingDefinition } from './definitions.ts';
import type { SettingGroup, SettingsSource, ValuesOf } from './setting.ts';

export interface SettingsReader {
  /** Returns all settings in their own types. */
  current(): Promise<SettingValues>;
}

export interface SettingsDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Setting groups of adapters; none if absent. */
  readonly settingGroups?: readonly SettingGroup[];
}

export type Settings = ReturnType<typeof createSettings>;

/** Current values of the settings. A change takes effect immediately, on every node. */
export function createSettings({ storage, secrets, clock, logger, settingGroups = [] }: SettingsDeps) {
  const sections = defineSettings(settingGroups);
  const definitions = Object.values(sections).flat();

  /** Returns the value of a stored setting. A secret encrypted with another key counts as unset. */
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

  return {
    current,
    fresh,
    /** Settings of every section, in order. */
    sections,
    readStored,

    /** Returns the settings of an adapter. `group` must be one of those with which the server was created. */
    source<Group extends SettingGroup>(group: Group): SettingsSource<Group> {
      if (!settingGroups.includes(group))
        throw new Error(`the group of settings in ${group.section} is not registered`);
      return { current: current as () => Promise<ValuesOf<Group>> };
    },

    /** Unsubscribes from signals. */
    dispose,
  };
}
