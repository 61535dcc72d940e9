import type { AdapterWithSettings, SettingGroup, ValuesOf } from '@baobab/core';

/** Returns the default values of a group of settings. */
export function defaultsOf<Group extends SettingGroup>(group: Group): ValuesOf<Group> {
  return Object.fromEntries(
    Object.entries(group.settings).map(([key, { initial }]) => [key, initial]),
  ) as ValuesOf<Group>;
}

/** Creates the adapter with constant settings; absent ones have their default. */
export function createWith<Port, Group extends SettingGroup>(
  adapter: AdapterWithSettings<Port, Group>,
  given: Readonly<Record<string, string | number | boolean>> = {},
): Port {
  const values = { ...defaultsOf(adapter.settings), ...given };
  return adapter.create({ current: async () => values });
}
