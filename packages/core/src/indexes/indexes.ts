import { type Actor, requireAdmin } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { documentColumn } from '../criteria/names.ts';
import { parsePathText, pathText } from '../criteria/operands.ts';
import type { Path, PathStep } from '../criteria/syntax.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { CollectionIndex } from '../ports/storage/indexes.ts';
import type { Storage } from '../ports/storage/storage.ts';

/** Maximum number of indexes of one collection: every write of a document updates each of them. */
const MAX_INDEXES = 16;
const MAX_STEPS = 8;
const MAX_ELEMENT = 2 ** 31 - 1;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** An index as clients see it. */
export interface ShownIndex {
  /** The path in the syntax of the query language. */
  readonly path: string;
  readonly state: CollectionIndex['state'];
}

export interface IndexPlace {
  readonly collection: string;
  /** The path in the syntax of the query language. */
  readonly path: string;
}

export interface DeclaredIndex {
  readonly isNew: boolean;
  readonly index: ShownIndex;
  /** Settles when the work on the index ends, with its state by then; null when no work is needed. */
  readonly work: Promise<ShownIndex> | null;
}

export interface IndexesDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type Indexes = ReturnType<typeof createIndexes>;

const isStep = (step: PathStep) => (typeof step === 'number' ? step <= MAX_ELEMENT : NAME.test(step));

function parseIndexPath(text: string): Path {
  const path = parsePathText(text);
  if (path.length > MAX_STEPS || !path.every(isStep)) {
    const detail = `use at most ${MAX_STEPS} steps, with names of at most 64 ASCII letters, digits, "_" or "-"`;
    throw new AppError('index.path_invalid', { detail });
  }
  if (documentColumn(path[0]) !== null) {
    throw new AppError('index.path_invalid', { detail: `"${path[0]}" is not a field of the content` });
  }
  return path;
}

const shown = ({ path, state }: CollectionIndex): ShownIndex => ({ path: pathText(path), state });

/** Indexes on the values at paths of documents; lists are filtered and sorted with them. */
export function createIndexes({ storage, secrets, clock, logger }: IndexesDeps) {
  /** Runs in the background, even when no request waits for it. */
  async function reconcile(): Promise<void> {
    try {
      await storage.indexes.reconcile();
    } catch (err) {
      logger.warn({ err }, 'indexes not reconciled, retrying later');
      throw err;
    }
  }

  async function listOf(collection: string): Promise<CollectionIndex[]> {
    const indexes = await storage.indexes.list(collectionKey(collection));
    if (indexes === null) throw new AppError('collection.not_found');
    return indexes;
  }

  async function stateOf(collection: string, path: Path): Promise<ShownIndex> {
    const text = JSON.stringify(path);
    const found = (await listOf(collection)).find((index) => JSON.stringify(index.path) === text);
    if (found === undefined) throw new AppError('index.not_found');
    return shown(found);
  }

  return {
    /** @throws `admin.required`, `collection.not_found` */
    async list(actor: Actor, collection: string): Promise<ShownIndex[]> {
      requireAdmin(actor);
      return (await listOf(collection)).map(shown);
    },

    /** @throws `admin.required`, `collection.not_found`, `index.path_invalid`, `index.not_found` */
    async read(actor: Actor, { collection, path }: IndexPlace): Promise<ShownIndex> {
      requireAdmin(actor);
      return stateOf(collection, parseIndexPath(path));
    },

    /**
     * Declares an index, and starts to build it if it is not ready.
     *
     * @throws `admin.required`, `collection.not_found`, `index.path_invalid`, `index.too_many`
     */
    async declare(actor: Actor, { collection, path: text }: IndexPlace): Promise<DeclaredIndex> {
      requireAdmin(actor);
      const path = parseIndexPath(text);
      const name = secrets.uuid(clock.now()).replaceAll('-', '_');
      const result = await storage.indexes.declare({ collection: collectionKey(collection), path, name }, MAX_INDEXES);
      if (result === null) throw new AppError('collection.not_found');
      if (result === 'full') throw new AppError('index.too_many');
      const index = await stateOf(collection, path);
      const isNew = result === 'declared';
      if (index.state === 'ready') return { isNew, index, work: null };
      const work = reconcile().then(() => stateOf(collection, path));
      // The client may have disconnected, and then nobody handles a rejection.
      work.catch(() => undefined);
      return { isNew, index, work };
    },

    /** Queries stop using the index at once; it is dropped a little later. @throws as `read` */
    async remove(actor: Actor, { collection, path }: IndexPlace): Promise<void> {
      requireAdmin(actor);
      const removed = await storage.indexes.remove(collectionKey(collection), parseIndexPath(path));
      if (removed === null) throw new AppError('collection.not_found');
      if (!removed) throw new AppError('index.not_found');
      reconcile().catch(() => undefined);
    },
  };
}
