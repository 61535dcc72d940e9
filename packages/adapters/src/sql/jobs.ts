import type { JobStore } from '@baobab/core';
import type { SqlExecutor } from './statements/executor.ts';
import { changesOne } from './statements/fragments.ts';

const CLAIM = `insert into jobs (name, holder, due) values (?1, ?2, ?4)
  on conflict (name) do update set holder = excluded.holder, due = excluded.due where jobs.due <= ?3 or jobs.due > ?5`;
const PLAN = 'insert into jobs (name, due) values (?1, ?2) on conflict (name) do nothing';
const DUE = 'select due from jobs where name = ?1';
const EXTEND = 'update jobs set due = ?3 where name = ?1 and holder = ?2';
const FINISH = 'update jobs set holder = null, due = ?3 where name = ?1 and holder = ?2';

export function createJobStore(executor: SqlExecutor): JobStore {
  return {
    claim: ({ name, holder }, now, until, latest = Number.MAX_SAFE_INTEGER) =>
      changesOne(executor, CLAIM, [name, holder, now, until, latest]),
    async plan(name, due) {
      await executor.change(PLAN, [name, due]);
    },
    async due(name) {
      return (await executor.readOne<{ due: number }>(DUE, [name]))?.due ?? null;
    },
    extend: ({ name, holder }, until) => changesOne(executor, EXTEND, [name, holder, until]),
    finish: ({ name, holder }, due) => changesOne(executor, FINISH, [name, holder, due]),
  };
}
