import { createBoundedCache } from '../caches.ts';
import type { Signal } from '../ports/signals.ts';
import type { VisibilityChange } from '../ports/storage/changes.ts';
import type { Storage } from '../ports/storage/storage.ts';

/** Maximum number of changes of visibility remembered as settled. */
const MAX_SETTLED = 1_000;

/** Returns the signal for caches that the change of visibility has made stale; null for none. */
function staleBy({ reason, collection }: VisibilityChange, userId: string | null): Signal | null {
  switch (reason) {
    case 'follow':
      return null; // relations between users are not cached
    case 'rules':
    case 'collection':
      return { topic: 'collections', key: collection ?? '' };
    case 'setting':
      return { topic: 'settings', key: '' };
    case 'role':
    case 'group':
      return userId === null ? null : { topic: 'user', key: userId };
  }
}

export type Settle = (mark: VisibilityChange | null, userId: string | null) => Promise<void>;

/**
 * Creates a function that waits until no process caches permissions from before a change of visibility. The feed shows
 * the change as soon as it is committed, a moment before it reaches every process. A client that lists in that moment
 * under the old permissions, and continues in the feed after the change, would never receive some documents.
 */
export function createSettle({ announcer }: Pick<Storage, 'announcer'>): Settle {
  const settled = createBoundedCache<string, Promise<void>>(MAX_SETTLED);
  return (mark, userId) => {
    const signal = mark === null ? null : staleBy(mark, userId);
    if (mark === null || signal === null) return Promise.resolve();
    const name = `${signal.topic} ${signal.key} ${mark.position}`;
    const known = settled.get(name);
    if (known !== undefined) return known;
    const settling = announcer.announce(signal);
    settled.set(name, settling);
    settling.catch(() => settled.delete(name));
    return settling;
  };
}
