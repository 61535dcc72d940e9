import { AppError } from '@baobab/core';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { translate, withRetry } from '../../packages/adapters/src/postgres/errors.ts';

const fromServer = (code: string) => Object.assign(new postgres.PostgresError('from the server'), { code });

/** Work that fails with each of these errors in turn, and then returns the number of its calls. */
function failing(errors: readonly unknown[]) {
  let calls = 0;
  const work = async (): Promise<number> => {
    const error = errors[calls++];
    if (error !== undefined) throw error;
    return calls;
  };
  return { work, calls: () => calls };
}

describe('a transaction that Postgres aborts because of another one', () => {
  it.each(['40P01', '40001'])('is retried: %s, translated or not', async (code) => {
    const error = fromServer(code);
    expect(await withRetry(failing([error, translate(error)]).work)).toBe(3);
  });

  it('is unavailable when it is aborted repeatedly', async () => {
    const error = translate(fromServer('40P01'));
    const { work, calls } = failing(Array.from({ length: 10 }, () => error));
    await expect(withRetry(work)).rejects.toMatchObject({ code: 'storage.unavailable' });
    expect(calls()).toBe(4);
  });

  it.each([
    ['a cut connection', translate(fromServer('08006'))],
    ['a constraint', fromServer('23505')],
    ['a refusal', new AppError('access.denied')],
    ['a value that is not an error', 'nothing'],
  ])('is not retried after %s', async (_what, error) => {
    const { work, calls } = failing([error]);
    await expect(withRetry(work)).rejects.toBe(error);
    expect(calls()).toBe(1);
  });
});
