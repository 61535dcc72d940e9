import { type Actor, isSignedIn, requireAuthor } from '../actor.ts';
import { BatchFailure, isBatchFailure } from '../batch-failure.ts';
import { AppError, ERRORS, type ErrorCode, type ExtensionRefusal, isAppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { InputProblem } from '../ports/schemas.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { StoredAnswer } from '../ports/storage/idempotency.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { createKeptAnswers, KEPT_WINDOW_MS } from './kept-answers.ts';

const RETRY_AFTER_S = 1;
const MAX_KEY_LENGTH = 255;
/** Maximum stored length of a failure's detail, in characters. */
const MAX_DETAIL_LENGTH = 1_000;
const BARE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/;
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/;

/** A request that must take effect once, however often it is sent. */
export interface KeyedRequest {
  /** A result of `parseIdempotencyKey`. */
  readonly key: string;
  /** Identity of the request: method, path and body. */
  readonly request: string;
}

/** Outcome of a request. */
export interface Outcome {
  /** Answer as text. */
  readonly data: string;
  /** True if it changed anything. Otherwise the request can safely be repeated. */
  readonly hasChanged: boolean;
}

/** A failure of a request that changed nothing. */
type RequestFailure = AppError | BatchFailure;

/** Stored failure of an earlier request. */
interface ReplayedFailure {
  readonly failure: RequestFailure;
  readonly isReplay: true;
}

interface SuccessfulAnswer {
  readonly data: string;
  /** True if it is the stored answer of an earlier request. */
  readonly isReplay: boolean;
}

export type KeyedAnswer = SuccessfulAnswer | ReplayedFailure;

/**
 * Runs `work` in a transaction. Its result must be plain JSON. Use cases accept a `Transact` for requests that may have
 * an idempotency key.
 *
 * @param more further identity of the request, if it is known only now
 * @throws the errors of `work`; `idempotency.*`
 */
export type Transact = <T>(work: (stores: Stores) => Promise<T>, more?: string) => Promise<T>;

/** A request with an idempotency key, in one transaction of a use case. */
export interface Attempt {
  readonly transact: Transact;
  /** Returns true if the result was the stored one of an earlier request. */
  isReplay(): boolean;
}

/**
 * Parses an `Idempotency-Key` header: a String of structured fields (RFC 9651) as the draft requires, or the same
 * characters without quotes, as many clients send it.
 *
 * @throws `idempotency.key_invalid`
 */
export function parseIdempotencyKey(header: string): string {
  const [, quoted] = QUOTED.exec(header) ?? [];
  const key = quoted === undefined ? header : quoted.replace(/\\(["\\])/g, '$1');
  if ((quoted === undefined && !BARE.test(key)) || key.length > MAX_KEY_LENGTH) {
    throw new AppError('idempotency.key_invalid', { input: 'Idempotency-Key' });
  }
  return key;
}

/** Temporary failures. They are not stored, because a retry may succeed. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'document.busy',
  'document.conflict',
  'document.duplicate',
  'document.exists',
  'document.has_children',
  'extension.failed',
  'extension.timeout',
  'push.unconfigured',
  'storage.schema_too_new',
  'storage.unavailable',
]);

/** A failure in its stored form. */
interface StoredFailure {
  readonly code: ErrorCode;
  readonly detail: string | null;
  readonly input: string | null;
  /** Absent if there are none. */
  readonly problems?: readonly InputProblem[];
  /** Absent unless an extension refused the request. */
  readonly refusal?: ExtensionRefusal;
  /** Absent unless an administrator replaced the message of the code. */
  readonly message?: string;
  /** Absent if there is none. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Index of the failed operation of a batch; null for other failures. */
  readonly operation: number | null;
}

function failureText(failed: RequestFailure): string {
  const { operation, failure } = isBatchFailure(failed) ? failed : { operation: null, failure: failed };
  const { code, detail, input, problems, refusal, beside, message } = failure;
  const shortened = detail?.slice(0, MAX_DETAIL_LENGTH) ?? null;
  const hasOwnMessage = detail === null && refusal === null && message !== ERRORS[code];
  const more = {
    ...(problems.length > 0 && { problems }),
    ...(refusal !== null && { refusal }),
    ...(hasOwnMessage && { message }),
    ...(beside !== null && { beside }),
  };
  return JSON.stringify({ code, detail: shortened, input, operation, ...more } satisfies StoredFailure);
}

function failureOf(text: string): RequestFailure {
  const { code, detail, input, operation, ...more }: StoredFailure = JSON.parse(text);
  const failure = new AppError(code, {
    ...more,
    ...(detail === null ? {} : { detail }),
    ...(input === null ? {} : { input }),
  });
  return operation === null ? failure : new BatchFailure(operation, failure);
}

/** Returns the request with a key in the caller's namespace. API keys and their owners have separate namespaces. */
const ownKey = ({ key: apiKey }: Actor, { key, request }: KeyedRequest): KeyedRequest => ({
  key: apiKey === null ? key : `${apiKey.id}\n${key}`,
  request,
});

export interface IdempotencyDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly timeWatch: Pick<TimeWatch, 'earliest'>;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Requests with an idempotency key: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export function createIdempotency({ storage, secrets, clock, timeWatch }: IdempotencyDeps) {
  /** Fingerprints of requests in progress in this process, by user and key. */
  const inProgress = new Map<string, string>();
  const keptAnswers = createKeptAnswers({ secrets, clock });

  function answerOf({ fingerprint, failure, data }: StoredAnswer, asked: string): KeyedAnswer {
    if (fingerprint !== asked) throw new AppError('idempotency.mismatch');
    if (failure !== null) return { failure: failureOf(failure), isReplay: true };
    return { data: data ?? '', isReplay: true };
  }

  /** Returns the key and the request in their stored form. */
  const identify = (userId: string, { key, request }: KeyedRequest) => ({
    userId,
    length: request.length,
    digest: secrets.digest(key),
    fingerprint: secrets.digest(request),
  });

  /** Reserves the key in this process until the returned function is called. @throws `idempotency.*` */
  function begin({ userId, digest, fingerprint }: ReturnType<typeof identify>): () => void {
    const place = `${userId} ${digest}`;
    const other = inProgress.get(place);
    if (other === fingerprint) throw new AppError('idempotency.busy', { retryAfter: RETRY_AFTER_S });
    if (other !== undefined) throw new AppError('idempotency.mismatch');
    inProgress.set(place, fingerprint);
    return () => inProgress.delete(place);
  }

  /** Runs `work` in a transaction that claims the key. Returns the stored answer if the key was claimed before. */
  async function claimed(
    { userId, digest, fingerprint }: ReturnType<typeof identify>,
    work: (stores: Stores) => Promise<string>,
  ): Promise<KeyedAnswer> {
    return storage.transaction(async (stores) => {
      const expires = clock.now() + KEPT_WINDOW_MS;
      const claim = { userId, digest, fingerprint, now: timeWatch.earliest(), expires };
      const stored = await stores.idempotency.claim(claim);
      if (stored !== null) return answerOf(stored, fingerprint);
      return { data: await work(stores), isReplay: false };
    });
  }

  /** Stores the answer, or an error if it is too large. Releases the key if nothing changed. */
  async function keep(stores: Stores, id: ReturnType<typeof identify>, { data, hasChanged }: Outcome): Promise<void> {
    if (!hasChanged) return stores.idempotency.release(id);
    const lengths = { answer: data.length, request: id.length };
    if (await keptAnswers.hasRoom(stores, id.userId, lengths)) {
      return stores.idempotency.keep(id, { failure: null, data });
    }
    return stores.idempotency.keep(id, { failure: failureText(new AppError('idempotency.not_kept')), data: null });
  }

  function isKept(error: unknown): error is RequestFailure {
    const failure = isBatchFailure(error) ? error.failure : error;
    return isAppError(failure) && !PASSING.has(failure.code) && !failure.code.startsWith('idempotency.');
  }

  /**
   * Runs `work` in a transaction that also stores its answer under the user's key, if it changed anything. If the key
   * has a stored answer, success or failure, that is returned instead. A failure is rolled back, and then stored.
   *
   * @throws `auth.required` for anonymous callers; the errors of `work`; `idempotency.*`
   */
  async function once(
    actor: Actor,
    keyed: KeyedRequest,
    work: (stores: Stores) => Promise<Outcome>,
  ): Promise<KeyedAnswer> {
    const id = identify(requireAuthor(actor).id, ownKey(actor, keyed));
    const end = begin(id);
    try {
      return await claimed(id, async (stores) => {
        const outcome = await work(stores);
        await keep(stores, id, outcome);
        return outcome.data;
      });
    } catch (error) {
      if (!isKept(error)) throw error;
      const answer = await claimed(id, async (stores) => {
        await stores.idempotency.keep(id, { failure: failureText(error), data: null });
        return '';
      });
      // Another node may have answered the same request in between.
      if (answer.isReplay) return answer;
      throw error;
    } finally {
      end();
    }
  }

  return {
    once,

    /**
     * Prepares a keyed request whose use case accepts a `Transact`. For anonymous callers, who have no keys, nothing is
     * stored.
     */
    attempt(actor: Actor, { key, request }: KeyedRequest): Attempt {
      let isReplay = false;
      return {
        isReplay: () => isReplay,
        async transact<T>(work: (stores: Stores) => Promise<T>, more = ''): Promise<T> {
          if (!isSignedIn(actor)) return storage.transaction(work);
          const answer = await once(actor, { key, request: request + more }, async (stores) => ({
            data: JSON.stringify((await work(stores)) ?? null),
            hasChanged: true,
          }));
          ({ isReplay } = answer);
          if ('failure' in answer) throw answer.failure;
          const result: T = JSON.parse(answer.data);
          return result;
        },
      };
    },
  };
}
