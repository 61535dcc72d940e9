import { AppError, isAppError } from '@baobab/core';
import { createRequests, type Guard, type Proxies, RefusedAddress } from '../outbound/index.ts';

export interface OAuthClientOptions {
  /** Timeout for identifying one person, including all requests, in milliseconds. */
  readonly timeLimit?: number;
  /** Maximum persons identified concurrently; further attempts are refused. */
  readonly concurrency?: number;
  readonly proxies?: Proxies | null;
}

const DEFAULT_TIME_LIMIT_MS = 5_000;
const DEFAULT_CONCURRENCY = 256;
const MAX_CONNECTIONS = 32;
/** Maximum response size. Key sets of large providers have about 20 kB. */
const MAX_ANSWER_BYTES = 262_144;

export interface Answer {
  readonly status: number;
  /** Parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

export type Get = (url: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** HTTP client for one network, with separate connections that are bounded in number, size and time. */
export interface OAuthClient {
  /** Runs `work`, whose requests end at its timeout. @throws `social.unavailable`, errors of `work` */
  within<T>(work: (get: Get) => Promise<T>): Promise<T>;
  /** Sends a request that several callers await, with a separate timeout. @throws `social.unavailable` */
  readonly getForAll: Get;
  close(): Promise<void>;
}

export const unavailable = (reason: string) => new AppError('social.unavailable', { cause: new Error(reason) });

/** Returns a short reason. Errors of the library may contain the request or the response, and with them tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error instanceof RefusedAddress) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return `the request failed: ${code.replace(/[^\w]/g, '')}`;
}

/** True if the remote side closed a persistent connection just then. The network is available, so one retry follows. */
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

/** @param guard restricts the addresses; absent for URLs that administrators cannot change */
export function createOAuthClient(options: OAuthClientOptions = {}, guard?: Guard): OAuthClient {
  const { timeLimit = DEFAULT_TIME_LIMIT_MS, concurrency = DEFAULT_CONCURRENCY, proxies = null } = options;
  const { request, close } = createRequests({
    proxies,
    connections: MAX_CONNECTIONS,
    connect: { timeout: timeLimit, ...(guard && { lookup: guard.lookup }) },
    headersTimeout: timeLimit,
    bodyTimeout: timeLimit,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  let inProgress = 0;

  // Redirects are not followed, because they could send a token to another host.
  async function once(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    await guard?.check(new URL(url));
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
    close,
  };
}
