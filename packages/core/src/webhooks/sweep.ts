import type { Storage } from '../ports/storage/storage.ts';

const DAY = 24 * 60 * 60_000;
/** Deliveries that were accepted can be seen for this long. Milliseconds. */
const KEPT_DELIVERED = 3 * DAY;
/** Deliveries that were given up can be seen, and replayed, for this long. Milliseconds. */
const KEPT_PARKED = 30 * DAY;
/** Accepted deliveries of one webhook that are kept, however young they are. */
const MOST_DELIVERED = 10_000;

/** Removes up to `limit` deliveries of webhooks that are kept no longer. Resolves to their number. */
export async function sweepDeliveries({ webhooks }: Storage, now: number, limit: number): Promise<number> {
  let removed = await webhooks.removeFinished('delivered', now - KEPT_DELIVERED, limit);
  if (removed < limit) removed += await webhooks.removeFinished('parked', now - KEPT_PARKED, limit - removed);
  for (const { id } of await webhooks.list()) {
    if (removed < limit) removed += await webhooks.trim(id, MOST_DELIVERED, limit - removed);
  }
  return removed;
}
