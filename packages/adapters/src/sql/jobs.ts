import type { JobStore } from '@baobab/core';
import type { SqlExecutor } from './statements/executor.ts';

const CLAIM = `insert into jobs (name, holder, due) values (?1, ?2, ?4)
  on conflict (name) do update set holder = excluded.holder, due = excluded.due where jobs.due <= ?3 or jobs.due > ?5`;
const PLAN = 'insert into jobs (name, due) values (?1, ?2) on conflict (name) do nothing';
const DUE = 'select due from jobs where name = ?1';
const EXTEND = 'update jobs set due = ?3 where name = ?1 and holder = ?2';
const FINISH = 'update jobs set holder = null, due = ?3 where name = ?1 and holder = ?2';

export function createJobStore(executor: SqlExecutor): JobStore {
  return {
    async claim({ name, holder }, now, until, latest = Number.MAX_SAFE_INTEGER) {
      return (await executor.change(CLAIM, [name, holder, now, until, latest])) === 1;
    },
    async plan(name, due) {
      await executor.change(PLAN, [name, due]);
    },
    async due(name) {
      return (await executor.readOne<{ due: number }>(DUE, [name]))?.due ?? null;
    },
    async extend({ name, holder }, until) {
      return (await executor.change(EXTEND, [name, holder, until])) === 1;
    },
    async finish({ name, holder }, due) {
      return (await executor.change(FINISH, [name, holder, due])) === 1;
    },
  };
}
