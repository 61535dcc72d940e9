import { createBoundedCache, type SignalFeed } from '@baobab/core';
import { isNoSlice, isSliceOf } from '../../slice-keys.ts';
import type { SqlExecutor } from '../../sql/statements/executor.ts';

const BY_KEY = `select c.id, (select string_agg(cast(s.id as text), ',' order by s.name_key) from collections s
    where ${isSliceOf('s.name_key', 'c.name_key')}) as slices
  from collections c where c.name_key = ?1 and ${isNoSlice('c.name_key')}`;
const BY_DOCUMENT = 'select collection as id from documents where id = ?1';
/** On one shard. */
const IS_IN = 'select 1 as one from documents where id = ?1 and collection = ?2';
/** Maximum number of cached collections, and of cached documents. */
const REMEMBERED = 50_000;

interface Row {
  readonly id: string;
}

/** Placement of the documents of a collection. */
export interface PlacedCollection {
  readonly id: string;
  /** Ids of its slices. Empty if the collection is not spread. */
  readonly slices: readonly string[];
}

/** Finds the ids of collections, which determine the placement of rows. */
export interface CollectionIds {
  /** Returns null if there is no such collection. */
  byKey(executor: SqlExecutor, key: string): Promise<PlacedCollection | null>;
  /** Returns the collection of a document, or its slice. Null if there is no such document. */
  byDocument(executor: SqlExecutor, id: string): Promise<string | null>;
  /**
   * Returns true if a document without rows in `collection` is in another one: clients choose ids, so the id of a
   * removed document can come back.
   */
  isElsewhere(executor: SqlExecutor, id: string, collection: string): Promise<boolean>;
  /** Caches the collection of a document. */
  note(document: string, collection: string): void;
  /** Drops the cached collections after a change. */
  forget(): void;
}

const placedOf = ({ id, slices }: Row & { readonly slices: string | null }): PlacedCollection => ({
  id,
  slices: slices === null ? [] : slices.split(','),
});

export function createCollectionIds(signals: () => SignalFeed): CollectionIds {
  const keys = createBoundedCache<string, PlacedCollection>(REMEMBERED);
  const documents = createBoundedCache<string, string>(REMEMBERED);
  let isSubscribed = false;
  /** Number of changes. A read result is not cached if this has changed since. */
  let changes = 0;

  function forget(): void {
    changes++;
    keys.clear();
  }

  async function look(executor: SqlExecutor, id: string): Promise<string | null> {
    const row = await executor.readOne<Row>(BY_DOCUMENT, [id]);
    if (row !== null) documents.set(id, row.id);
    return row?.id ?? null;
  }

  /** Without signals from other processes, nothing may be cached. */
  function isLive(): boolean {
    if (!isSubscribed) {
      isSubscribed = true;
      signals().subscribe((signal) => {
        if (signal === null || signal.topic === 'collections') forget();
      });
    }
    return signals().live;
  }

  return {
    async byKey(executor, key) {
      const live = isLive();
      const known = live ? keys.get(key) : undefined;
      if (known !== undefined) return known;
      const before = changes;
      const row = await executor.readOne<Row & { readonly slices: string | null }>(BY_KEY, [key]);
      if (row === null) return null;
      const found = placedOf(row);
      if (live && changes === before) keys.set(key, found);
      return found;
    },
    byDocument: async (executor, id) => documents.get(id) ?? look(executor, id),
    async isElsewhere(executor, id, collection) {
      if ((await executor.readOne(IS_IN, [id, collection])) !== null) return false;
      documents.delete(id);
      const found = await look(executor, id);
      return found !== null && found !== collection;
    },
    note: (document, collection) => documents.set(document, collection),
    forget,
  };
}
