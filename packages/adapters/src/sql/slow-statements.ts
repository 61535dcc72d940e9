import type { Logger } from '@baobab/core';

const MAX_SHOWN = 2_000;

/** Called with the duration of every statement, in milliseconds. */
export type StatementWatch = (text: string, ms: number) => void;

/**
 * Logs slow statements. Their texts contain no values, which are parameters.
 *
 * @param limit duration from which a statement is logged, in milliseconds; 0 for never
 */
export function createSlowStatements(logger: Logger, limit: number): StatementWatch {
  const least = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  return (text, ms) => {
    if (ms < least) return;
    const statement = text.replace(/\s+/g, ' ').slice(0, MAX_SHOWN);
    logger.warn({ ms: Math.round(ms), statement }, 'slow statement');
  };
}
