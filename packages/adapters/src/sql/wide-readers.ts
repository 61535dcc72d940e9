import { type AccessScope, createBoundedCache } from '@baobab/core';
import { hasMany, scopeParams } from './access-scope.ts';
import * as LISTS from './document-list-statements.ts';
import type { SqlExecutor } from './executor.ts';

/** How many callers are remembered, and for how long. Milliseconds. */
const REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;

/**
 * Counts what callers may read, up to a limit, to choose the plan of a list. Callers with many readable documents are
 * remembered for a while, because counting that many costs as much as the list. An outdated answer costs time, not rows.
 */
export function createWideReaders(executor: SqlExecutor) {
  const wide = createBoundedCache<string, number>(REMEMBERED);

  return {
    /** Whether the caller may read so few documents that it is cheapest to read all of them. */
    async areFew(collection: string, scope: AccessScope): Promise<boolean> {
      const { owner, principals, followed } = scope;
      const key = `${collection} ${followed} ${owner ?? principals.join()}`;
      const since = wide.get(key);
      if (since !== undefined && performance.now() - since < REMEMBERED_MS) return false;
      const text = LISTS.readableCount({ followed, many: hasMany(scope) });
      const count = await executor.count(text, [collection, null, ...scopeParams(scope)]);
      if (count > LISTS.FEW) wide.set(key, performance.now());
      return count <= LISTS.FEW;
    },
  };
}
