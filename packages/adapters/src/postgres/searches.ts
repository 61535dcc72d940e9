import { createBoundedCache } from '@baobab/core';
import { type Compiled, createCompiler } from '../sql/statements/statement.ts';

/** Maximum number of statement texts with counted uses. */
const REMEMBERED = 1_000;
/** Number of uses after which a text is prepared. */
const OFTEN = 4;
/** Maximum number of prepared searches per connection. The driver keeps them until the connection ends. */
const MOST_PREPARED = 300;

/** Selects the statements with criteria that remain prepared. */
export interface Searches {
  compile(sql: string): Compiled;
  /** Returns true if this text, which is about to run, should be prepared. */
  isWorthKeeping(sql: string): boolean;
}

export function createSearches(): Searches {
  const compile = createCompiler(createBoundedCache<string, Compiled>(REMEMBERED));
  const seen = createBoundedCache<string, number>(REMEMBERED);
  const kept = new Set<string>();
  return {
    compile,
    isWorthKeeping(sql) {
      if (kept.has(sql)) return true;
      const times = (seen.get(sql) ?? 0) + 1;
      seen.set(sql, times);
      if (times < OFTEN || kept.size >= MOST_PREPARED) return false;
      kept.add(sql);
      return true;
    },
  };
}
