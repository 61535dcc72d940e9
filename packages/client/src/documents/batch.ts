import type { BaobabError } from '../errors.ts';
import type { WriteOptions } from '../options.ts';
import { failureIn } from '../transport/answer.ts';
import type { Api } from '../transport/api.ts';
import type { Operation } from './operations.ts';

type Results<O extends readonly Operation<unknown>[]> = {
  -readonly [K in keyof O]: O[K] extends Operation<infer R> ? R : never;
};

/** Result of an independent operation. */
export type Settled<R> = { readonly ok: true; readonly data: R } | { readonly ok: false; readonly error: BaobabError };

type AllSettled<O extends readonly Operation<unknown>[]> = {
  -readonly [K in keyof O]: O[K] extends Operation<infer R> ? Settled<R> : never;
};

export interface Batches {
  /**
   * Executes up to 100 operations in order, in one request. If one fails, none takes effect and the batch fails with
   * its error.
   */
  batch<const O extends readonly Operation<unknown>[]>(operations: O, options?: WriteOptions): Promise<Results<O>>;
  /** Like `batch`, but each operation succeeds or fails independently. */
  batchSettled<const O extends readonly Operation<unknown>[]>(
    operations: O,
    options?: WriteOptions,
  ): Promise<AllSettled<O>>;
}

interface OperationAnswer {
  readonly result: string;
  readonly data?: unknown;
  readonly http_code: number;
}

const NO_CONTENT = 204;

/** Operations without a result return an empty string. */
const resultOf = ({ data, http_code }: OperationAnswer) => (http_code === NO_CONTENT || data === '' ? undefined : data);

export function createBatches(api: Api): Batches {
  const send = (atomic: boolean, operations: readonly Operation<unknown>[], options?: WriteOptions) =>
    api.keyed<OperationAnswer[]>({ method: 'POST', path: '/batch', json: { atomic, operations }, options });
  return {
    async batch<const O extends readonly Operation<unknown>[]>(operations: O, options?: WriteOptions) {
      return (await send(true, operations, options)).map(resultOf) as Results<O>;
    },
    async batchSettled<const O extends readonly Operation<unknown>[]>(operations: O, options?: WriteOptions) {
      const answers = await send(false, operations, options);
      return answers.map((answer) => {
        const error = failureIn(answer, answer.http_code);
        return error === null ? { ok: true, data: resultOf(answer) } : { ok: false, error };
      }) as AllSettled<O>;
    },
  };
}
