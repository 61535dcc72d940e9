import type { ErrorCode } from '../errors.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type { Answer } from './answer.ts';
import { type QueryParams, queryText } from './path.ts';
import { randomKey } from './random.ts';
import type { ApiRequest, Transport } from './transport.ts';

/** A write that the service does once for each `Idempotency-Key`. */
interface KeyedRequest extends Omit<ApiRequest, 'repeat' | 'idempotencyKey' | 'options'> {
  readonly options: WriteOptions | undefined;
}

/** Calls in the forms that the groups of the client need. */
export interface Api {
  get<T>(path: string, query?: QueryParams, options?: CallOptions): Promise<T>;
  /** A page of a list. */
  list<T>(path: string, query: QueryParams, options?: CallOptions): Promise<Answer<T>>;
  /** For writes that change nothing the second time. */
  put<T = void>(path: string, json?: unknown, options?: CallOptions): Promise<T>;
  /** Removes something. @param gone the codes with which a repeated call says that it is not there any more */
  remove<T = void>(path: string, gone: readonly ErrorCode[], options?: CallOptions): Promise<T>;
  keyed<T>(request: KeyedRequest): Promise<T>;
  send<T>(request: ApiRequest): Promise<T>;
  readonly transport: Transport;
}

/** Longer addresses are refused on the way by some proxies. Characters. */
const MAX_URL = 4096;

/** Lists that take their parameters in a body, too. */
const TAKES_BODY = /^\/(document\/[^/]+|users|file\/details)$/;

/** Whether parameters have to be in a body. */
export const isLong = (query: QueryParams) => queryText(query).length > MAX_URL;

export function createApi(transport: Transport): Api {
  const send = async <T>(request: ApiRequest) => (await transport.call<T>(request)).data;
  return {
    transport,
    send,
    get: (path, query, options) => send({ method: 'GET', path, query, repeat: 'always', options }),
    list: (path, query, options) =>
      transport.call({
        ...(TAKES_BODY.test(path) && isLong(query)
          ? { method: 'POST', path: `${path}/query`, json: query }
          : { method: 'GET', path, query }),
        repeat: 'always',
        options,
      }),
    put: (path, json, options) => send({ method: 'PUT', path, json, repeat: 'always', options }),
    remove: (path, gone, options) => send({ method: 'DELETE', path, repeat: gone, options }),
    keyed: ({ options, ...request }) =>
      send({ ...request, repeat: 'always', idempotencyKey: options?.idempotencyKey ?? randomKey(), options }),
  };
}
