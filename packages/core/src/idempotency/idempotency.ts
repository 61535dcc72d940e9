import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { StoredAnswer } from '../ports/storage/idempotency.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { createKeptAnswers, KEPT_WINDOW_MS } from './kept-answers.ts';

const RETRY_AFTER_S = 1;
const MAX_KEY_LENGTH = 255;
/** Characters of the detail of a failure that are kept. */
const MAX_DETAIL_LENGTH = 1_000;
const BARE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/;
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/;

/** A request that is to have its effect once, however often it is sent. */
export interface KeyedRequest {
  /** As `parseIdempotencyKey` gave it. */
  readonly key: string;
  /** All that tells the request apart from others: method, path and body. */
  readonly request: string;
}

/** What a request came to. */
export interface Outcome {
  /** The answer as text. */
  readonly data: string;
  /** Whether it changed anything: otherwise it may as well be done again. */
  readonly hasChanged: boolean;
}

export interface KeyedAnswer {
  readonly data: string;
  /** Whether it is the answer of an earlier request. */
  readonly isReplay: boolean;
}

/**
 * The key in an `Idempotency-Key` header: a String of structured fields (RFC 9651) as the draft asks for, or the same
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

/** Failures that say nothing of the request: the next attempt may well succeed, so they are not kept. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'document.busy',
  'storage.schema_too_new',
  'storage.unavailable',
]);

interface Failure {
  readonly code: ErrorCode;
  readonly detail: string | null;
  readonly operation: number | null;
}

function failureText({ code, detail, operation }: AppError): string {
  const kept = detail?.slice(0, MAX_DETAIL_LENGTH) ?? null;
  return JSON.stringify({ code, detail: kept, operation } satisfies Failure);
}

function failureOf(text: string): AppError {
  const { code, detail, operation }: Failure = JSON.parse(text);
  return new AppError(code, {
    ...(detail === null ? {} : { detail }),
    ...(operation === null ? {} : { operation }),
    isReplay: true,
  });
}

export interface IdempotencyDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Requests with a key of the caller's: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export function createIdempotency({ storage, secrets, clock }: IdempotencyDeps) {
  /** The requests that this process is working on, by user and key. */
  const underWay = new Map<string, string>();
  const keptAnswers = createKeptAnswers({ secrets, clock });

  function answerOf({ fingerprint, failure, data }: StoredAnswer, asked: string): KeyedAnswer {
    if (fingerprint !== asked) throw new AppError('idempotency.mismatch');
    if (failure !== null) throw failureOf(failure);
    return { data: data ?? '', isReplay: true };
  }

  /** The key and the request as they are stored. */
  const identify = (userId: string, { key, request }: KeyedRequest) => ({
    userId,
    length: request.length,
    digest: secrets.digest(key),
    fingerprint: secrets.digest(request),
  });

  /** Reserves the key in this process until the returned function is called. @throws `idempotency.*` */
  function begin({ userId, digest, fingerprint }: ReturnType<typeof identify>): () => void {
    const place = `${userId} ${digest}`;
    const other = underWay.get(place);
    if (other === fingerprint) throw new AppError('idempotency.busy', { retryAfter: RETRY_AFTER_S });
    if (other !== undefined) throw new AppError('idempotency.mismatch');
    underWay.set(place, fingerprint);
    return () => underWay.delete(place);
  }

  /** Does `work` in a transaction in which the key is claimed; gives what was kept when it is somebody else's. */
  async function claimed(
    { userId, digest, fingerprint }: ReturnType<typeof identify>,
    work: (stores: Stores) => Promise<string>,
  ): Promise<KeyedAnswer> {
    return storage.transaction(async (stores) => {
      const now = clock.now();
      const claim = { userId, digest, fingerprint, now, expires: now + KEPT_WINDOW_MS };
      const kept = await stores.idempotency.claim(claim);
      if (kept !== null) return answerOf(kept, fingerprint);
      return { data: await work(stores), isReplay: false };
    });
  }

  /** Keeps an answer, or that it was too large; of what changed nothing the key is given back. */
  async function keep(stores: Stores, id: ReturnType<typeof identify>, { data, hasChanged }: Outcome): Promise<void> {
    if (!hasChanged) return stores.idempotency.release(id);
    const lengths = { answer: data.length, request: id.length };
    if (await keptAnswers.hasRoom(stores, id.userId, lengths)) {
      return stores.idempotency.keep(id, { failure: null, data });
    }
    return stores.idempotency.keep(id, { failure: failureText(new AppError('idempotency.not_kept')), data: null });
  }

  const isKept = (error: unknown): error is AppError =>
    isAppError(error) && !error.isReplay && !PASSING.has(error.code) && !error.code.startsWith('idempotency.');

  return {
    /**
     * Runs `work` in a transaction, and keeps what it gives in the same transaction under the user's key, if it changed
     * anything. When the key is known, what was kept is given (or thrown) instead. A failure has no effect, and is kept
     * after it.
     *
     * @throws what `work` throws, now or the first time; `idempotency.*`
     */
    async once(userId: string, keyed: KeyedRequest, work: (stores: Stores) => Promise<Outcome>): Promise<KeyedAnswer> {
      const id = identify(userId, keyed);
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
        // On another node the same request may have succeeded meanwhile.
        if (answer.isReplay) return answer;
        throw error;
      } finally {
        end();
      }
    },
  };
}
