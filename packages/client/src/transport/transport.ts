import { type BaobabError, isBaobabError } from '../errors.ts';
import type { CallOptions, ClientOptions } from '../options.ts';
import type { Session, SessionSource } from '../session-source.ts';
import { type Answer, readAnswer } from './answer.ts';
import { abortable, type Limits, limitsOf, sleep } from './limits.ts';
import { type QueryParams, queryText } from './path.ts';
import { isLost, isSettled, mayRepeat, type Repeatable, waitBefore } from './retry.ts';

/** A non-JSON body. */
export interface RawBody {
  readonly body: BodyInit | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Required by `fetch` for streams. */
  readonly duplex?: 'half';
  /** Closes the source of the body. Called when the attempt fails, because not every `fetch` does so. */
  close?(): void;
}

export interface ApiRequest extends Repeatable {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: QueryParams | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Creates the body; called for each attempt. */
  readonly raw?: (() => RawBody) | undefined;
  /** Sends the request instead of `fetch`. */
  readonly send?: typeof fetch | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Token to send instead of the current session's; null: none. */
  readonly token?: string | null | undefined;
  readonly options?: CallOptions | undefined;
}

export interface Transport {
  readonly options: ClientOptions;
  readonly session: SessionSource;
  /** Sends a request, with retries after temporary failures. @throws `BaobabError` */
  call<T>(request: ApiRequest): Promise<Answer<T>>;
  /** Like `call`, for binary responses. */
  fetch(request: ApiRequest): Promise<Response>;
  /** Returns a URL for page elements. With a query, it contains the credentials. */
  url(path: string, query?: QueryParams): string;
  /** Returns the time of the last request with a session, in milliseconds. */
  lastUse(): number;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 3;

const APP_CODE = 'X-SERVICE-APPCODE';
const SESSION = 'X-BB-SESSION';

const NO_BODY: RawBody = { body: null, headers: {} };

const bodyOf = ({ json, raw }: ApiRequest): RawBody =>
  json === undefined
    ? (raw?.() ?? NO_BODY)
    : { body: JSON.stringify(json), headers: { 'Content-Type': 'application/json' } };

type Read<T> = (response: Response, limits: Limits) => Promise<T>;

/** @throws any error other than a failure of a call */
async function outcomeOf<T>(call: Promise<T>): Promise<{ readonly value: T } | { readonly error: BaobabError }> {
  try {
    return { value: await call };
  } catch (error) {
    if (!isBaobabError(error)) throw error;
    return { error };
  }
}

const noAnswer = <T>(): Answer<T> => ({ status: 0, data: undefined as T, more: false, next: null, total: null });

/** Returns the response once its headers have arrived. Reading the body has no timeout, but the caller can abort it. */
async function bytesOf(response: Response, limits: Limits): Promise<Response> {
  if (!response.ok) await readAnswer(response);
  limits.keepSignal();
  return response;
}

export function createTransport(options: ClientOptions, session: SessionSource): Transport {
  const { appCode, key, retries = RETRIES, timeout: ofClient = TIMEOUT_MS } = options;
  // Pages may use a path. Everything else would look like a broken connection.
  if (!/^(https?:\/\/|\/|$)/i.test(options.url))
    throw new TypeError(`"${options.url}" must begin with https:// or http://`);
  const base = options.url.replace(/\/+$/, '');
  const globalFetch = options.fetch ?? ((...args: Parameters<typeof fetch>) => globalThis.fetch(...args));
  let lastUse = 0;

  function headersOf({ idempotencyKey }: ApiRequest, token: string | null): Readonly<Record<string, string>> {
    return {
      [APP_CODE]: appCode,
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(token === null ? {} : { [SESSION]: token }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    };
  }

  /** Makes one attempt. */
  async function attempt<T>(request: ApiRequest, token: string | null, read: Read<T>): Promise<T> {
    const { method, path, query = {}, send = globalFetch, options: { signal, timeout = ofClient } = {} } = request;
    const { headers, close, ...body } = bodyOf(request);
    const limits = limitsOf(signal, timeout);
    try {
      if (signal?.aborted === true) throw signal.reason;
      if (token !== null) lastUse = Date.now();
      const init = { ...body, method, signal: limits.signal, headers: { ...headers, ...headersOf(request, token) } };
      return await read(await send(base + path + queryText(query), { ...init, credentials: 'omit' }), limits);
    } catch (error) {
      close?.();
      throw isBaobabError(error) ? error : limits.failureOf(error);
    } finally {
      limits.end();
    }
  }

  /** Resolves to true if the user of an ended session has another one. */
  async function isRenewed(ended: Session, { options }: ApiRequest): Promise<boolean> {
    try {
      return await abortable(session.ended(ended), options?.signal);
    } catch (error) {
      // Without a session, its end may be what has aborted the call.
      if (session.current() === null) return false;
      throw error;
    }
  }

  /** Returns a reader that also adopts the session that the server has begun for a former guest. */
  function adopting<T>(sender: Session | null, read: Read<T>): Read<T> {
    return async (response, limits) => {
      const value = await read(response, limits);
      const token = response.headers.get(SESSION);
      if (token !== null && sender !== null) session.replaced(sender, token);
      return value;
    };
  }

  /** Makes one attempt, and another with the new session if the session had expired. */
  async function withSession<T>(request: ApiRequest, read: Read<T>): Promise<T> {
    if (request.token !== undefined) return attempt(request, request.token, read);
    const sender = session.current();
    try {
      return await attempt(request, sender?.token ?? null, adopting(sender, read));
    } catch (error) {
      if (sender === null || !isBaobabError(error, 'session.invalid')) throw error;
      if (!(await isRenewed(sender, request)) || request.isOneUse === true) throw error;
      return attempt(request, session.current()?.token ?? null, read);
    }
  }

  const authenticated = <T>(request: ApiRequest, read: Read<T>) =>
    key === undefined ? withSession(request, read) : attempt(request, null, read);

  /** Resolves to a function that returns false if another user is logged in since. */
  async function senderCheck(request: ApiRequest): Promise<() => boolean> {
    if (key !== undefined || request.token !== undefined) return () => true;
    const userId = () => session.current()?.user.id;
    await session.ready;
    const sender = userId();
    return () => userId() === sender;
  }

  /** Waits before the next attempt. @throws the error if there is none */
  async function waitAfter(request: ApiRequest, error: BaobabError, tries: number): Promise<void> {
    const wait = tries < retries && mayRepeat(request, error) ? waitBefore(tries, error) : null;
    if (wait === null) throw error;
    await sleep(wait, request.options?.signal);
  }

  async function repeated<T>(request: ApiRequest, read: Read<T>, settled: () => T): Promise<T> {
    const isSameSender = await senderCheck(request);
    let wasLost = false;
    for (let tries = 0; ; tries++) {
      const outcome = await outcomeOf(authenticated(request, read));
      if ('value' in outcome) return outcome.value;
      const { error } = outcome;
      if (wasLost && isSettled(request, error)) return settled();
      await waitAfter(request, error, tries);
      // Never sends a call of one user as another.
      if (!isSameSender()) throw error;
      wasLost ||= isLost(error);
    }
  }

  return {
    options,
    session,
    call: <T>(request: ApiRequest) => repeated<Answer<T>>(request, readAnswer, noAnswer<T>),
    fetch: (request) => repeated(request, bytesOf, () => new Response()),
    url(path, query) {
      if (query === undefined) return base + path;
      const token = session.current()?.token;
      const credentials = token === undefined ? { [APP_CODE]: appCode } : { [SESSION]: token };
      return base + path + queryText({ ...query, ...credentials });
    },
    lastUse: () => lastUse,
  };
}
