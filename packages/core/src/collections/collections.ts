import { type Actor, requireAdmin } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Transact } from '../idempotency/idempotency.ts';
import { COLLECTION_WORDS } from '../names/reserved-names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Collection } from '../ports/storage/collections.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { MANY_ROWS, type Removals } from '../removals.ts';
import { isUuid } from '../uuid.ts';

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const WORDS = new Set(COLLECTION_WORDS);

/** Returns the key of a collection. Names that differ only in case are the same collection. */
export const collectionKey = (name: string) => name.toLowerCase();
/** Returns true if a new collection can have this name. */
const isCollectionName = (text: string) => NAME.test(text) && !isUuid(text) && !WORDS.has(collectionKey(text));

export interface CollectionsDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly removals: Removals;
}

export type Collections = ReturnType<typeof createCollections>;

/** Resolves to the ids of the remains to remove in parts; null if there is no such collection. */
async function removeOrBegin({ collections }: Stores, key: string): Promise<readonly string[] | null> {
  if ((await collections.weigh(key, MANY_ROWS)) >= MANY_ROWS) return collections.beginRemoval(key);
  return (await collections.remove(key)) ? [] : null;
}

export function createCollections({ storage, secrets, clock, removals }: CollectionsDeps) {
  /** No transaction is needed for a single statement. */
  const apart: Transact = (work) => work(storage);

  return {
    /** @throws `admin.required`, `collection.name_invalid`, `collection.exists` */
    async create(actor: Actor, name: string, transact: Transact = apart): Promise<void> {
      requireAdmin(actor);
      if (!isCollectionName(name)) throw new AppError('collection.name_invalid');
      const created = clock.now();
      await transact(async (stores) => {
        const added = await stores.collections.add({ id: secrets.uuid(created), name, created });
        if (!added) throw new AppError('collection.exists');
      });
    },

    /** Returns the names of all collections, without reading documents. @throws `admin.required` */
    async names(actor: Actor): Promise<string[]> {
      requireAdmin(actor);
      return storage.collections.names();
    },

    /**
     * Returns all collections with the number and size of their documents. Reads every document. @throws
     * `admin.required`
     */
    async list(actor: Actor): Promise<Collection[]> {
      requireAdmin(actor);
      return storage.collections.list();
    },

    /**
     * Removes the collection with all its documents. They are no longer visible when this resolves. If there are many,
     * some rows may be removed later.
     *
     * @throws `admin.required`, `collection.not_found`
     */
    async remove(actor: Actor, name: string): Promise<void> {
      requireAdmin(actor);
      const key = collectionKey(name);
      const begun = await storage.transaction(async (stores) => {
        const left = await removeOrBegin(stores, key);
        if (left === null) throw new AppError('collection.not_found');
        await stores.changes.markVisibility({ audience: '*', collection: key, reason: 'collection' }, clock.now());
        await stores.announcer.announce({ topic: 'collections', key });
        return left;
      });
      await removals.finish(begun.map((id) => ({ kind: 'collections', id })));
    },
  };
}
