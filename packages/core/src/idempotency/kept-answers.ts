import { createBoundedCache } from '../caches.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { lasts } from '../time/waits.ts';

/** Maximum length of a stored answer, in characters, increased by `KEPT_FOR_EACH` for each character of its request. */
const KEPT_LENGTH = 16_384;
const KEPT_FOR_EACH = 2;
/** Maximum number of characters stored per user and window. The window is the retention of answers. */
const KEPT_OF_USER = 33_554_432;
export const KEPT_WINDOW_MS = 24 * 60 * 60_000;
/** Number of a user's characters counted in this process before they are added to the storage's count. */
const CHUNK = 65_536;
/** Approximate size of a key itself, in characters. */
const KEY_LENGTH = 256;
const COUNTED_USERS = 10_000;

interface Count {
  /** Characters not yet added to the storage's count. */
  readonly length: number;
  /** Time until which nothing more is stored, in milliseconds. */
  readonly fullUntil: number;
}

const NOTHING: Count = { length: 0, fullUntil: 0 };

/** Decides which answers are small enough to be stored, per key and per user, in proportion to the requests. */
export function createKeptAnswers({ secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock }) {
  const counts = createBoundedCache<string, Count>(COUNTED_USERS);

  /** Counts an answer of a user. Resolves to true if it is within the limit. */
  async function count(stores: Stores, userId: string, length: number): Promise<boolean> {
    const now = clock.now();
    const known = counts.get(userId) ?? NOTHING;
    if (lasts(known.fullUntil, now, KEPT_WINDOW_MS)) return false;
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
    /** Resolves to true if this answer is to be stored. To be called inside the transaction that stores it. */
    async hasRoom(stores: Stores, userId: string, lengths: { answer: number; request: number }): Promise<boolean> {
      if (lengths.answer > KEPT_LENGTH + KEPT_FOR_EACH * lengths.request) return false;
      return count(stores, userId, lengths.answer);
    },
  };
}
