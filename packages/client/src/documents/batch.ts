import type { BaobabError } from '../errors.ts';
import type { WriteOptions } from '../options.ts';
import { failureIn } from '../transport/answer.ts';
import type { Api } from '../transport/api.ts';
import type { Operation } from './operations.ts';

type Results<O extends readonly Operation<unknown>[]> = {
  -readonly [K in keyof O]: O[K] extends Operation<infer R> ? R : never;
};

/** How an independent operation ended. */
export type Settled<R> = { readonly ok: true; readonly data: R } | { readonly ok: false; readonly error: BaobabError };

type AllSettled<O extends readonly Operation<unknown>[]> = {
  -readonly [K in keyof O]: O[K] extends Operation<infer R> ? Settled<R> : never;
};

export interface Batches {
  /** Makes up to 100 calls in one request, in order. All of them take effect, or none: then it fails as that call did. */
  batch<const O extends readonly Operation<unknown>[]>(operations: O, options?: WriteOptions): Promise<Results<O>>;
  /** The same, but each call succeeds or fails by itself. */
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

/** Operations without a result answer with an empty text. */
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
