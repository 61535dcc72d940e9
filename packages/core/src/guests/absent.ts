import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { guestTimeoutOf, lasting } from '../sessions/session-tokens.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { removeUser } from '../users/removal.ts';

/** Maximum number of guests removed per run. */
const MOST_GUESTS = 100;
/** Time after which a run does not start another removal, in milliseconds. */
const MOST_MS = 60_000;

/**
 * Removes guests who have not returned, in the same way as administrators remove users. Their sessions have already
 * expired. Resolves to the number removed. `Removals` completes the removals.
 */
export async function removeAbsentGuests(
  { storage, settings, clock }: { readonly storage: Storage; readonly settings: SettingsReader; readonly clock: Clock },
  now: number,
): Promise<number> {
  const timeout = guestTimeoutOf(await settings.current());
  if (!(timeout > 0)) return 0;
  const moment = now - lasting(timeout);
  const began = clock.now();
  let removed = 0;
  for (const id of await storage.users.absentGuests(moment, MOST_GUESTS)) {
    if (clock.now() - began > MOST_MS) break;
    const isRemoved = await storage.transaction(
      async (stores) =>
        (await stores.users.lockAbsentGuest(id, moment)) && removeUser(stores, id, { now: clock.now() }),
    );
    if (isRemoved) removed++;
  }
  return removed;
}
