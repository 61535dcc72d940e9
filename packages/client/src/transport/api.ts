import { BaobabError, type ErrorCode } from '../errors.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type { Answer } from './answer.ts';
import { type QueryParams, queryText } from './path.ts';
import { randomKey } from './random.ts';
import type { ApiRequest, Transport } from './transport.ts';

/** A write that takes effect once per `Idempotency-Key`. */
interface KeyedRequest extends Omit<ApiRequest, 'repeat' | 'idempotencyKey' | 'options'> {
  readonly options: WriteOptions | undefined;
}

/** Low-level calls, shared by all parts of the client. */
export interface Api {
  get<T>(path: string, query?: QueryParams, options?: CallOptions): Promise<T>;
  /** Reads a page of a list. */
  list<T>(path: string, query: QueryParams, options?: CallOptions): Promise<Answer<T>>;
  /** For idempotent writes. */
  put<T = void>(path: string, json?: unknown, options?: CallOptions): Promise<T>;
  /** Removes an object. @param gone the codes that tell a repeated call that the object no longer exists */
  remove<T = void>(path: string, gone: readonly ErrorCode[], options?: CallOptions): Promise<T>;
  keyed<T>(request: KeyedRequest): Promise<T>;
  send<T>(request: ApiRequest): Promise<T>;
  readonly transport: Transport;
}

/** Maximum length of a URL, in characters. Some proxies reject longer ones. */
const MAX_URL = 4096;

/** Lists that also accept parameters in a body. */
const TAKES_BODY = /^\/(document\/[^/]+|users|file\/details)$/;

/** Returns true if the parameters must be sent in a body. */
export const isLong = (query: QueryParams) => queryText(query).length > MAX_URL;

/** Keys that can be sent in a header. */
const KEY = /^[\x20-\x7e]+$/;

/** @throws `idempotency.key_invalid` */
function checked(key: string): string {
  if (KEY.test(key)) return key;
  throw new BaobabError('idempotency.key_invalid', 'An idempotency key must be 1 to 255 visible ASCII characters');
}

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
    keyed: async ({ options, ...request }) => {
      const idempotencyKey = checked(options?.idempotencyKey ?? randomKey());
      return send({ ...request, repeat: 'always', idempotencyKey, options });
    },
  };
}
