import type { AdapterWithSettings, SettingGroup, ValuesOf } from '@baobab/core';

/** What a group of settings has while nobody has set anything. */
export function defaultsOf<Group extends SettingGroup>(group: Group): ValuesOf<Group> {
  return Object.fromEntries(
    Object.entries(group.settings).map(([key, { initial }]) => [key, initial]),
  ) as ValuesOf<Group>;
}

/** The adapter under settings that stay as they are; what is not given has its default. */
export function createWith<Port, Group extends SettingGroup>(
  adapter: AdapterWithSettings<Port, Group>,
  given: Readonly<Record<string, string | number | boolean>> = {},
): Port {
  const values = { ...defaultsOf(adapter.settings), ...given };
  return adapter.create({ current: () => values });
}
