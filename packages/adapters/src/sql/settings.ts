import type { SettingStore, StoredSetting } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

const ALL = 'select setting_key as "key", value from settings order by setting_key';
const SET = `insert into settings (setting_key, value) values (?1, ?2)
  on conflict (setting_key) do update set value = excluded.value`;

export function createSettingStore(executor: SqlExecutor): SettingStore {
  return {
    all: () => executor.read<StoredSetting>(ALL, []),
    async set({ key, value }) {
      await executor.change(SET, [key, value]);
    },
  };
}
