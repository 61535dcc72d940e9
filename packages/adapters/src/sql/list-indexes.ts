import type { IndexedList } from '@baobab/core';
import { pathsOfText } from '../index-paths.ts';
import type { ReadyIndex } from './criteria/index-choice.ts';
import type { SqlExecutor } from './executor.ts';
import { withIndexes } from './with-indexes.ts';

const READY = `select path, name from list_indexes where list = ?1 and state = 'ready'`;

/** Time for which indexes are used before a new look-up, in milliseconds. A new one may remain unused that long. */
const RECENT_MS = 1_000;

/** Looks up the indexes of a list, at most once a second. */
export function createListIndexes(executor: SqlExecutor) {
  const recent = new Map<IndexedList, { readonly ready: readonly ReadyIndex[]; readonly since: number }>();

  async function readyOf(list: IndexedList): Promise<readonly ReadyIndex[]> {
    const known = recent.get(list);
    if (known !== undefined && performance.now() - known.since < RECENT_MS) return known.ready;
    const rows = await executor.read<{ path: string; name: string }>(READY, [list]);
    const ready = rows.map(({ path, name }) => ({ paths: pathsOfText(path), name }));
    recent.set(list, { ready, since: performance.now() });
    return ready;
  }

  return {
    async ask<Answer>(list: IndexedList, query: (ready: readonly ReadyIndex[]) => Promise<Answer>): Promise<Answer> {
      return withIndexes(executor, await readyOf(list), query);
    },
  };
}
