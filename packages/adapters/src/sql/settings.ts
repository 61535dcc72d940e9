import type { SettingStore, StoredSetting } from '@baobab/core';
import type { SqlExecutor } from './statements/executor.ts';
import { withRowLock } from './statements/fragments.ts';

const ALL = 'select setting_key as "key", value from settings order by setting_key';
/** Waits for a concurrent insertion. Afterwards the row exists. */
const ADD = 'insert into settings (setting_key, value) values (?1, ?2) on conflict do nothing';
const BEFORE = withRowLock('update', (lock) => `select value from settings where setting_key = ?1${lock}`);
const SET = 'update settings set value = ?2 where setting_key = ?1';

export function createSettingStore(executor: SqlExecutor): SettingStore {
  return {
    all: () => executor.read<StoredSetting>(ALL, []),
    set: ({ key, value }) =>
      executor.atomic(async (transaction) => {
        if ((await transaction.change(ADD, [key, value])) === 1) return null;
        const [before] = await transaction.read<{ value: string }>(BEFORE(transaction), [key]);
        await transaction.change(SET, [key, value]);
        return before?.value ?? null;
      }),
  };
}
