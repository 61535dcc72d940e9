import type { Clock } from './ports/clock.ts';
import type { Storage } from './ports/storage/storage.ts';
import type { SettingsReader } from './settings/settings.ts';

const MINUTE = 60_000;
/** Rows removed at a time, so that nobody waits long behind it. */
const BATCH = 1000;
/** Batches in one go: what is left then waits for the next. */
const MAX_BATCHES = 100;

export interface HousekeepingDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly settings: SettingsReader;
}

async function inBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const count = await remove(BATCH);
    removed += count;
    if (count < BATCH) break;
  }
  return removed;
}

/** Removes what has expired. It may run anywhere, at any time, on several nodes at once. Resolves to how much it was. */
export async function sweep({ storage, clock, settings }: HousekeepingDeps): Promise<number> {
  const now = clock.now();
  const timeout = (await settings.current())['session_tokens.timeout'] * MINUTE;
  const counts = [
    await inBatches((limit) => storage.resetTokens.removeExpired(now, limit)),
    await inBatches((limit) => storage.rateLimits.removeEnded(now, limit)),
    // Twice the lifetime: use is recorded coarsely, and nothing depends on their being gone.
    timeout === 0 ? 0 : await inBatches((limit) => storage.sessions.removeUnused(now - 2 * timeout, limit)),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}
