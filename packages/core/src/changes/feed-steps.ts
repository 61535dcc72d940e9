import { collectionKey } from '../collections/collections.ts';
import type { Change, FeedState, VisibilityChange, VisibilityReason } from '../ports/storage/changes.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import { byteLength } from '../utf8.ts';
import { type ChangeCursor, currentCursor, type FeedCursor, isExpired, type ListCursor, positionAt } from './cursor.ts';
import { type FeedReader, scopeIn, visibilityAudiences } from './readers.ts';

export interface StepWanted {
  /** Keys of collections, each once; null for all. */
  readonly collections: readonly string[] | null;
  /** Maximum number of changes. */
  readonly limit: number;
  /** Approximate limit for the contents, in bytes. The first change may exceed it. */
  readonly maxBytes: number;
}

/** A change, and the cursor after it. */
interface ReadChange {
  readonly change: Change;
  readonly cursor: FeedCursor;
}

/** Result of reading from a cursor. */
export type FeedStep =
  | {
      readonly kind: 'page';
      readonly changes: readonly ReadChange[];
      readonly next: FeedCursor;
      /** True if there may be more to read now. */
      readonly more: boolean;
    }
  /** The reader's permissions are changing, and transactions that began earlier are still open. Try again shortly. */
  | { readonly kind: 'wait' }
  /** The reader has to list again, and then to continue from `at`. */
  | {
      readonly kind: 'resync';
      readonly reason: VisibilityReason | 'expired';
      readonly mark: VisibilityChange | null;
      readonly at: ChangeCursor;
    };

type Page = Extract<FeedStep, { kind: 'page' }>;

/** Maximum number of collections in one page. Bounds its cost if many are empty. */
const MAX_COLLECTIONS = 100;

/** Pauses while a new reader waits for the horizon, in milliseconds. */
const SETTLING_PAUSES_MS = [25, 50, 100, 200, 400, 800, 1_600];

const placeOf = ({ start, id }: ListCursor) => ({ position: start, id });

const bytesOf = (documents: readonly DocumentRecord[]) =>
  documents.reduce((total, { content }) => total + byteLength(content), 0);

export type FeedSteps = ReturnType<typeof createFeedSteps>;

/** Reads the feed from a cursor on, on behalf of one reader. */
export function createFeedSteps({ storage, timers }: { readonly storage: Storage; readonly timers: Timers }) {
  const pause = (milliseconds: number) => new Promise<void>((resolve) => void timers.after(milliseconds, resolve));

  /** Returns the next rows of one collection; none if it was removed meanwhile. */
  async function rowsOf(
    reader: FeedReader,
    { collection, id }: ListCursor,
    bounds: Pick<StepWanted, 'limit' | 'maxBytes'>,
  ): Promise<readonly DocumentRecord[]> {
    const scope = scopeIn(reader, collection);
    const after = id === '' ? null : { keys: [], id };
    // The feed continues where the list begins, so the list must not be older.
    const list = { collection, scope, where: null, order: [], after, skip: 0, isCurrent: true, ...bounds } as const;
    return (await storage.documents.list(list)) ?? [];
  }

  async function keysFrom({ collection }: ListCursor, { collections }: StepWanted): Promise<readonly string[]> {
    const all = collections ?? (await storage.collections.names()).map(collectionKey);
    return all.filter((key) => key >= collection).toSorted();
  }

  /** Returns a page of the lists of a first synchronization, collection by collection, by id. */
  async function listPage(reader: FeedReader, from: ListCursor, wanted: StepWanted): Promise<Page> {
    const keys = await keysFrom(from, wanted);
    const changes: ReadChange[] = [];
    let { maxBytes } = wanted;
    let next = from;
    for (const collection of keys.slice(0, MAX_COLLECTIONS)) {
      if (collection !== next.collection) next = { ...from, collection, id: '' };
      const rows = await rowsOf(reader, next, { limit: wanted.limit - changes.length, maxBytes });
      for (const document of rows) {
        next = { ...next, id: document.id };
        changes.push({ change: { type: 'put', place: placeOf(next), document }, cursor: next });
      }
      maxBytes -= bytesOf(rows);
      if (changes.length >= wanted.limit || maxBytes <= 0) return { kind: 'page', changes, next, more: true };
    }
    if (keys.length > MAX_COLLECTIONS) return { kind: 'page', changes, next, more: true };
    // Changes made while the lists were read are repeated.
    const { epoch, start } = from;
    return { kind: 'page', changes, next: { kind: 'change', epoch, place: { position: start, id: '' } }, more: true };
  }

  async function changePage(reader: FeedReader, from: ChangeCursor, wanted: StepWanted): Promise<Page> {
    const { scope, openCollections } = reader;
    const page = await storage.changes.read({ ...wanted, scope, openCollections, after: from.place });
    return {
      kind: 'page',
      changes: page.changes.map((change) => ({ change, cursor: { ...from, place: change.place } })),
      next: { ...from, place: page.next },
      more: page.more,
    };
  }

  /** Returns the first change of visibility from a position on that affects the reader. */
  async function visibilityChange(reader: FeedReader, since: number, collections: StepWanted['collections']) {
    const audiences = visibilityAudiences(reader);
    let mark = await storage.changes.visibilityChange({ since, audiences, collections });
    // One transaction marks a user for one reason only, so the next position has all others.
    while (mark?.reason === 'follow' && !reader.scope.followed) {
      mark = await storage.changes.visibilityChange({ since: mark.position + 1, audiences, collections });
    }
    return mark;
  }

  return {
    /** Returns the state of the feed. */
    state: (): Promise<FeedState> => storage.changes.state(),

    /**
     * Returns the state of the feed for a reader who begins now. A change of the reader's permissions at or after the
     * horizon, such as their sign-up, would make them list again immediately, so this waits for it, up to a limit.
     */
    async settledState(reader: FeedReader, collections: StepWanted['collections']): Promise<FeedState> {
      for (const milliseconds of SETTLING_PAUSES_MS) {
        const state = await storage.changes.state();
        const mark = await visibilityChange(reader, state.horizon, collections);
        if (mark === null) return state;
        await pause(milliseconds);
      }
      return storage.changes.state();
    },

    async read(reader: FeedReader, from: FeedCursor, wanted: StepWanted): Promise<FeedStep> {
      const page = from.kind === 'list' ? await listPage(reader, from, wanted) : await changePage(reader, from, wanted);
      // After the read, because the page may lack what the feed forgot meanwhile.
      const state = await storage.changes.state();
      if (isExpired(from, state)) return { kind: 'resync', reason: 'expired', mark: null, at: currentCursor(state) };
      // After the read, so that users who follow or join a group meanwhile do not learn what was removed before.
      const mark = await visibilityChange(reader, positionAt(from), wanted.collections);
      if (mark === null) return page;
      if (mark.position >= state.horizon) return { kind: 'wait' };
      return { kind: 'resync', reason: mark.reason, mark, at: currentCursor(state) };
    },
  };
}
