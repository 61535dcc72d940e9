import { type Actor, requireAdmin } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import type { SearchField } from '../criteria/full-text/stored-words.ts';
import { documentColumn } from '../criteria/names.ts';
import { parsePathText, pathText } from '../criteria/operands.ts';
import type { Path } from '../criteria/syntax.ts';
import { AppError } from '../errors.ts';
import type { ParsedJson } from '../json-text.ts';
import { isJsonObject, type JsonValue } from '../json-text.ts';
import type { Logger } from '../ports/logger.ts';
import type { StoredSearchIndex } from '../ports/storage/search-indexes.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { hasPlainSteps } from './index-paths.ts';

/** Maximum number of searched fields, and the greatest weight. */
const MAX_FIELDS = 16;
const MAX_WEIGHT = 100;

/** A search index as shown to clients. */
export interface ShownSearchIndex {
  /** Weight of each field, by its path in the query language. */
  readonly fields: Readonly<Record<string, number>>;
  readonly state: StoredSearchIndex['state'];
}

export interface DeclaredSearchIndex {
  readonly index: ShownSearchIndex;
  /** Resolves to the index when it is built; null if it is ready. */
  readonly work: Promise<ShownSearchIndex> | null;
}

export interface SearchIndexesDeps {
  readonly storage: Storage;
  readonly logger: Logger;
}

export type SearchIndexes = ReturnType<typeof createSearchIndexes>;

const invalid = (detail: string, input: string) => new AppError('input.invalid', { detail, input });

/** @throws `criteria.invalid`, `index.path_invalid` */
function parseField(text: string): Path {
  const path = parsePathText(text);
  const refuse = (problem: string) =>
    new AppError('index.path_invalid', { detail: `${JSON.stringify(text)}: ${problem}` });
  if (documentColumn(path[0]) !== null) throw refuse('this is not a field of the content');
  if (hasPlainSteps(path)) return path;
  throw refuse('use at most 8 steps, with names of at most 64 ASCII letters, digits, "_" or "-"');
}

function weighted(fields: JsonValue | undefined): readonly (readonly [string, JsonValue | undefined])[] {
  if (Array.isArray(fields)) {
    if (!fields.every((field) => typeof field === 'string')) throw invalid('fields: expected names', '/fields');
    return fields.map((field) => [field, 1]);
  }
  if (isJsonObject(fields)) return Object.entries(fields);
  throw invalid('fields: expected an object with a weight for each field, or an array of fields', '/fields');
}

const isWeight = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_WEIGHT;

/** @throws `input.invalid`, `criteria.invalid`, `index.path_invalid` */
function parseFields({ value }: ParsedJson): readonly SearchField[] {
  if (!isJsonObject(value)) throw invalid('expected an object with fields', '');
  const strange = Object.keys(value).find((name) => name !== 'fields');
  if (strange !== undefined) throw invalid(`unknown member "${strange}"; use fields`, `/${strange}`);
  const entries = weighted(value.fields);
  if (entries.length === 0 || entries.length > MAX_FIELDS) {
    throw invalid(`fields: expected 1 to ${MAX_FIELDS} fields`, '/fields');
  }
  const fields = entries.map(([name, weight]) => {
    if (!isWeight(weight)) throw invalid(`fields: weights are whole numbers from 1 to ${MAX_WEIGHT}`, '/fields');
    return { path: parseField(name), weight };
  });
  if (new Set(fields.map(({ path }) => pathText(path))).size < fields.length) {
    throw invalid('fields: each field may occur once', '/fields');
  }
  return fields;
}

const shown = ({ fields, state }: StoredSearchIndex): ShownSearchIndex => ({
  fields: Object.fromEntries(fields.map(({ path, weight }) => [pathText(path), weight])),
  state,
});

/** Full-text search of collections, which administrators enable. */
export function createSearchIndexes({ storage, logger }: SearchIndexesDeps) {
  async function assertExists(key: string): Promise<void> {
    if ((await storage.collections.findName(key)) === null) throw new AppError('collection.not_found');
  }

  async function found(key: string): Promise<StoredSearchIndex> {
    const index = await storage.searchIndexes.find(key);
    if (index !== null) return index;
    await assertExists(key);
    throw new AppError('search.not_found');
  }

  /** Drops the cached policies of a collection on all nodes. */
  const announce = (key: string) =>
    storage.transaction((stores) => stores.announcer.announce({ topic: 'collections', key }));

  async function built(key: string): Promise<ShownSearchIndex> {
    try {
      await storage.indexes.reconcile();
    } catch (err) {
      logger.warn({ err }, 'search index not built, retrying later');
      throw err;
    }
    await announce(key);
    return shown(await found(key));
  }

  return {
    /** Returns null if search is not enabled. @throws `admin.required`, `collection.not_found` */
    async find(actor: Actor, collection: string): Promise<ShownSearchIndex | null> {
      requireAdmin(actor);
      const key = collectionKey(collection);
      const index = await storage.searchIndexes.find(key);
      if (index === null) await assertExists(key);
      return index && shown(index);
    },

    /** @throws `admin.required`, `collection.not_found`, `search.not_found` */
    async read(actor: Actor, collection: string): Promise<ShownSearchIndex> {
      requireAdmin(actor);
      return shown(await found(collectionKey(collection)));
    },

    /**
     * Enables searches of these fields, and starts to store the words of existing documents.
     *
     * @param body `fields`: a weight for each field, or an array of fields that weigh 1
     * @throws `admin.required`, `collection.not_found`, `criteria.invalid`, `index.path_invalid`, `input.invalid`
     */
    async declare(
      actor: Actor,
      { collection, body }: { readonly collection: string; readonly body: ParsedJson },
    ): Promise<DeclaredSearchIndex> {
      requireAdmin(actor);
      const fields = parseFields(body);
      const key = collectionKey(collection);
      const index = await storage.searchIndexes.declare(key, fields);
      if (index === null) throw new AppError('collection.not_found');
      // Writers must know of the index before existing documents are read.
      await announce(key);
      if (index.state === 'ready') return { index: shown(index), work: null };
      const work = built(key);
      // The client may have disconnected, leaving the rejection unhandled.
      work.catch(() => undefined);
      return { index: shown(index), work };
    },

    /** Disables searches, and removes the stored words in the background. @throws as `read` */
    async remove(actor: Actor, collection: string): Promise<void> {
      requireAdmin(actor);
      const key = collectionKey(collection);
      if (!(await storage.searchIndexes.remove(key))) await found(key);
      await announce(key);
      storage.indexes.reconcile().catch((err: unknown) => logger.warn({ err }, 'stored words not removed'));
    },
  };
}
