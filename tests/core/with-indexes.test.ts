import { AppError } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import type { ReadyIndex } from '../../packages/adapters/src/sql/lists/index-choice.ts';
import type { SqlExecutor } from '../../packages/adapters/src/sql/statements/executor.ts';
import { withIndexes } from '../../packages/adapters/src/sql/statements/executor.ts';

const INDEXES = [{}] as unknown as readonly ReadyIndex[];

/** Runs a query that fails with `error` the first time. Returns its result and the number of indexes of each attempt. */
async function failingOnce(error: unknown, { isLocal }: { isLocal: boolean }) {
  const attempts: number[] = [];
  const query = async (indexes: readonly ReadyIndex[]) => {
    attempts.push(indexes.length);
    if (attempts.length === 1) throw error;
    return 'rows';
  };
  const result = await withIndexes({ isLocal } as SqlExecutor, INDEXES, query).catch((thrown: unknown) => thrown);
  return { result, attempts };
}

const ofDatabase = new AppError('storage.unavailable', { cause: new Error('no such index') });

describe('a query that names an index', () => {
  it('runs again without it when SQLite refuses the statement', async () => {
    for (const error of [ofDatabase, new Error('no such index')]) {
      expect(await failingOnce(error, { isLocal: true })).toEqual({ result: 'rows', attempts: [1, 0] });
    }
  });

  it('does not run again when it took too long, or too many wait', async () => {
    for (const error of [new AppError('search.too_long'), new AppError('storage.unavailable', { detail: 'busy' })]) {
      expect(await failingOnce(error, { isLocal: true })).toEqual({ result: error, attempts: [1] });
    }
  });

  it('does not run again on a server, whose statements name none', async () => {
    expect(await failingOnce(ofDatabase, { isLocal: false })).toEqual({ result: ofDatabase, attempts: [1] });
  });
});
