import { createBoundedCache } from '@baobab/core';
import { type Compiled, createCompiler } from '../sql/compile.ts';

/** How many statement texts have their uses counted. */
const REMEMBERED = 1_000;
/** A text used this often is worth preparing. */
const OFTEN = 4;
/** The driver keeps prepared statements on each connection until it ends; this is how many it may keep. */
const MOST_PREPARED = 300;

/** Decides which statements with criteria are kept prepared. */
export interface Searches {
  compile(sql: string): Compiled;
  /** Whether to prepare this text, which is about to be run. */
  isWorthKeeping(sql: string): boolean;
}

export function createSearches(): Searches {
  const compile = createCompiler('dollar', createBoundedCache<string, Compiled>(REMEMBERED));
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
