import { isBaobabError } from '../errors.ts';
import { type Batch, isStale } from '../live/feed.ts';
import type { Api } from '../transport/api.ts';
import type { Change } from '../wire.ts';
import type { Draft, Local, LocalUser } from './local.ts';
import { type Entry, listAgain, type Meta, NEW_META, withBase } from './records.ts';

interface PullDeps {
  readonly api: Api;
  readonly local: Local;
  readonly collections: readonly string[];
}

const entryOf = ({ id, collection }: Change): Entry => ({
  id,
  collection,
  base: null,
  listing: 0,
  writes: [],
});

/** Position in the feed at the time of the request. */
export type FeedPosition = Pick<Meta, 'cursor' | 'listing'>;

/** Applies changes from the server. */
export function createPull({ api, local, collections }: PullDeps) {
  function apply(draft: Draft, change: Change): void {
    const known = draft.get(change.id);
    if (change.type === 'put' && change.document !== undefined) {
      draft.put(withBase(known ?? entryOf(change), change.document, draft.meta.listing));
    } else if (known !== undefined) {
      draft.put(withBase(known, null, draft.meta.listing));
    }
  }

  /** Removes all documents that the last listing did not contain. */
  function finish(draft: Draft, ids: readonly string[]): void {
    for (const id of ids) {
      const entry = draft.get(id);
      if (entry !== undefined && entry.base !== null && entry.listing < draft.meta.listing) {
        draft.put({ ...entry, base: null });
      }
    }
    draft.setMeta({ isListing: false });
  }

  /** Reads the position in the feed. Starts a new listing if the set of collections has changed. */
  async function placeOf(user: LocalUser): Promise<Meta> {
    let meta: Meta = NEW_META;
    const wanted = [...collections].sort();
    await local.transact(user, [], (draft) => {
      if (wanted.join() !== draft.meta.collections.join()) {
        draft.setMeta({ ...listAgain(draft.meta), collections: wanted });
      }
      meta = draft.meta;
    });
    return meta;
  }

  /**
   * Stores a batch, unless the store has moved to another position. Returns true if the store is at the position after it.
   *
   * @param ids of all documents that may be removed if the batch completes a listing
   */
  function put(draft: Draft, from: FeedPosition, batch: Batch, ids: readonly string[]): boolean {
    const isAt = (cursor: string | null) => draft.meta.cursor === cursor && draft.meta.listing === from.listing;
    // Stores may repeat a transaction that they have stored.
    if (!isAt(from.cursor)) return isAt(batch.cursor);
    for (const change of batch.changes) apply(draft, change);
    if (batch.isReady && draft.meta.isListing) finish(draft, ids);
    draft.setMeta({ cursor: batch.cursor ?? from.cursor });
    return true;
  }

  /**
   * Stores changes and the position after them. Resolves to that position; null if the store has moved to another one.
   */
  async function take(user: LocalUser, from: FeedPosition, batch: Batch): Promise<FeedPosition | null> {
    const keys = new Set(batch.changes.map(({ id }) => id));
    const old = Array.from(local.entries().keys());
    let place: FeedPosition | null = null;
    const isListing = batch.isReady && (await placeOf(user)).isListing;
    await local.transact(user, Array.from(new Set([...keys, ...(isListing ? old : [])])), (draft) => {
      place = put(draft, from, batch, [...old, ...keys]) ? draft.meta : null;
    });
    return place;
  }

  /** Lists everything again, because the server cannot resume from the cursor. */
  async function restart(user: LocalUser): Promise<void> {
    await local.transact(user, [], ({ meta, setMeta }) => setMeta(listAgain(meta)));
  }

  async function page(user: LocalUser, { cursor, listing }: FeedPosition, signal: AbortSignal): Promise<boolean> {
    const query = { collection: collections, since: cursor };
    const { data, more, next } = await api.list<readonly Change[]>('/changes', query, { signal });
    const batch = { changes: data, cursor: next, isReady: !more, isStale: false };
    // At another position, another tab has done the work, or the data was removed. Continue from there.
    return (await take(user, { cursor, listing }, batch)) === null || more;
  }

  return {
    place: placeOf,
    take,
    restart,
    /** Reads the feed up to now. @throws `BaobabError` */
    async all(user: LocalUser, signal: AbortSignal): Promise<void> {
      for (let more = true; more && !signal.aborted; ) {
        try {
          more = await page(user, await placeOf(user), signal);
        } catch (error) {
          if (!isBaobabError(error) || !isStale(error)) throw error;
          await restart(user);
        }
      }
    },
  };
}

export type Pull = ReturnType<typeof createPull>;
