import { AppError, isAppError } from '@baobab/core';
import { type Guard, openRequests, type Proxies, RefusedAddress } from '../outbound/index.ts';

export interface OAuthClientOptions {
  /** The time limit for identifying one person, all requests together. Milliseconds. */
  readonly timeLimit?: number;
  /** How many persons may be identified at once; further attempts are refused. */
  readonly concurrency?: number;
  readonly proxies?: Proxies | null;
}

const DEFAULT_TIME_LIMIT_MS = 5_000;
const DEFAULT_CONCURRENCY = 256;
const MAX_CONNECTIONS = 32;
/** Key sets of large providers have about 20 kB. */
const MAX_ANSWER_BYTES = 262_144;

export interface Answer {
  readonly status: number;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
}

export type Get = (url: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** An HTTP client for one network, with connections of its own, bounded in number, size and time. */
export interface OAuthClient {
  /** Runs `work`; its requests end at its time limit. @throws `social.unavailable`, and whatever `work` throws */
  within<T>(work: (get: Get) => Promise<T>): Promise<T>;
  /** A request that several callers wait for, with a time limit of its own. @throws `social.unavailable` */
  readonly getForAll: Get;
  close(): Promise<void>;
}

export const unavailable = (reason: string) => new AppError('social.unavailable', { cause: new Error(reason) });

/** A short reason. Errors of the library may contain the request or the answer, and with them tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error instanceof RefusedAddress) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return `the request failed: ${code.replace(/[^\w]/g, '')}`;
}

/** A kept connection that the other side closed at that moment: the network is fine, so one retry follows. */
function isCutOff(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'UND_ERR_SOCKET' || error.code === 'ECONNRESET');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param guard which addresses may be called; absent: all, for URLs that administrators cannot change */
export function createOAuthClient(options: OAuthClientOptions = {}, guard?: Guard): OAuthClient {
  const { timeLimit = DEFAULT_TIME_LIMIT_MS, concurrency = DEFAULT_CONCURRENCY, proxies = null } = options;
  let opened: ReturnType<typeof openRequests> | null = null;
  let inProgress = 0;

  const open = () =>
    openRequests({
      proxies,
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      connect: { timeout: timeLimit, ...(guard && { lookup: guard.lookup }) },
      headersTimeout: timeLimit,
      bodyTimeout: timeLimit,
      maxResponseSize: MAX_ANSWER_BYTES,
    });

  // Redirects are not followed: they could send a token to another host.
  async function once(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    await guard?.check(new URL(url));
    opened ??= open();
    const { request } = await opened;
    const { statusCode, body } = await request(url, { headers: { accept: 'application/json', ...headers }, signal });
    return { status: statusCode, json: parsed(await body.text()) };
  }

  async function get(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    try {
      return await once(url, headers, signal).catch((error: unknown) => {
        if (!isCutOff(error)) throw error;
        return once(url, headers, signal);
      });
    } catch (error) {
      throw unavailable(reasonOf(error));
    }
  }

  return {
    async within(work) {
      if (inProgress >= concurrency) throw unavailable('too many logins are in progress');
      inProgress++;
      const signal = AbortSignal.timeout(timeLimit);
      const late = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(unavailable(`it took longer than ${timeLimit} ms`)));
      });
      try {
        return await Promise.race([work((url, headers = {}) => get(url, headers, signal)), late]);
      } catch (error) {
        throw isAppError(error) ? error : unavailable(reasonOf(error));
      } finally {
        inProgress--;
      }
    },
    getForAll: (url, headers = {}) => get(url, headers, AbortSignal.timeout(timeLimit)),
    async close() {
      await (await opened)?.destroy();
    },
  };
}
