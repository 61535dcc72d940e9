import { EVERYBODY } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Transact } from '../idempotency/idempotency.ts';
import { COLLECTION_WORDS } from '../names/reserved-names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Collection } from '../ports/storage/collections.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Removals } from '../removals.ts';
import { isUuid } from '../wire.ts';
import { inheritorMarks } from './visibility.ts';

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
  readonly cascades: { finish(): Promise<void> };
}

export type Collections = ReturnType<typeof createCollections>;

export function createCollections({ storage, secrets, clock, removals, cascades }: CollectionsDeps) {
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

    /** Returns all collections, see `CollectionStore.list`. @throws `admin.required`, `search.too_long` */
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
      await storage.transaction(async (stores) => {
        const marks = await inheritorMarks(stores, key);
        if (!(await stores.collections.remove(key))) throw new AppError('collection.not_found');
        marks.push({ audience: EVERYBODY, collection: key, reason: 'collection' });
        await stores.changes.markVisibility(marks, clock.now());
        await stores.announcer.announce({ topic: 'collections', key });
      });
      await removals.finish();
      await cascades.finish();
    },
  };
}
