import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** An answer may be kept that has at most so many characters, and so many for each character of its request. */
const KEPT_LENGTH = 16_384;
const KEPT_FOR_EACH = 2;
/** Characters of answers that are kept of one user in a window; a window is as long as answers are kept. */
export const KEPT_OF_USER = 33_554_432;
export const KEPT_WINDOW_MS = 24 * 60 * 60_000;
/** So many characters of a user are added up in this process before the storage counts them. */
const CHUNK = 65_536;
/** A key by itself takes about so much. */
const KEY_LENGTH = 256;
const COUNTED_USERS = 10_000;

interface Count {
  /** Characters that the storage does not know of. */
  readonly length: number;
  /** Until when nothing more is kept, milliseconds. */
  readonly fullUntil: number;
}

const NOTHING: Count = { length: 0, fullUntil: 0 };

/** Which answers are small enough to be kept: those that are, by key and by user, in proportion to what was sent. */
export function createKeptAnswers({ secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock }) {
  const counts = createBoundedCache<string, Count>(COUNTED_USERS);

  /** Counts an answer of a user; resolves to whether there was room for it. */
  async function count(stores: Stores, userId: string, length: number): Promise<boolean> {
    const now = clock.now();
    const known = counts.get(userId) ?? NOTHING;
    if (known.fullUntil > now) return false;
    const sum = known.length + length + KEY_LENGTH;
    if (sum < CHUNK) {
      counts.set(userId, { length: sum, fullUntil: 0 });
      return true;
    }
    const key = secrets.digest(`kept answers/${userId}`);
    const limit = { times: KEPT_OF_USER, window: KEPT_WINDOW_MS };
    const { taken, ends } = await stores.rateLimits.take(key, now, limit, sum);
    counts.set(userId, { length: 0, fullUntil: taken ? 0 : ends });
    return taken;
  }

  return {
    /** Whether this answer is to be kept. Called inside of the transaction that keeps it. */
    async hasRoom(stores: Stores, userId: string, lengths: { answer: number; request: number }): Promise<boolean> {
      if (lengths.answer > KEPT_LENGTH + KEPT_FOR_EACH * lengths.request) return false;
      return count(stores, userId, lengths.answer);
    },
  };
}
