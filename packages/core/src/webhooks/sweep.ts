import type { Storage } from '../ports/storage/storage.ts';

const DAY = 24 * 60 * 60_000;
/** Retention of accepted deliveries, in milliseconds. */
const KEPT_DELIVERED = 3 * DAY;
/** Retention of parked deliveries, which can be replayed, in milliseconds. */
const KEPT_PARKED = 30 * DAY;
/** Maximum number of stored accepted deliveries per webhook, regardless of age. */
const MOST_DELIVERED = 10_000;

/** Removes up to `limit` expired deliveries of webhooks. Resolves to their number. */
export async function sweepDeliveries({ webhooks }: Storage, now: number, limit: number): Promise<number> {
  let removed = await webhooks.removeFinished('delivered', now - KEPT_DELIVERED, limit);
  if (removed < limit) removed += await webhooks.removeFinished('parked', now - KEPT_PARKED, limit - removed);
  for (const { id } of await webhooks.list()) {
    if (removed < limit) removed += await webhooks.trim(id, MOST_DELIVERED, limit - removed);
  }
  return removed;
}
