import type { Actor } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { AppError } from '../errors.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Change } from '../ports/storage/changes.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import { createRequireCurrentLists } from './current-lists.ts';
import { createFeedCursors, currentCursor, type FeedCursor, firstCursor } from './cursor.ts';
import { createFeedSteps, type FeedStep } from './feed-steps.ts';
import { createFeedReaders, type FeedReadersDeps } from './readers.ts';
import { createSettle } from './settling.ts';

export interface ChangesRequest {
  /** A cursor; `0` for everything from the beginning; null for the current cursor. */
  readonly since: string | null;
  /** Names of collections; null for all. */
  readonly collections: readonly string[] | null;
  /** Maximum number of changes; at least 1. */
  readonly limit: number;
  /** Limit for the contents of a page, in bytes. Its first document may exceed it. */
  readonly maxBytes: number;
}

export interface ChangesAnswer {
  readonly changes: readonly Change[];
  /** Cursor from which to continue. */
  readonly next: string;
  /** True if there may be more to read now. */
  readonly more: boolean;
}

/** Value of `since` for everything from the beginning. */
export const FROM_THE_BEGINNING = '0';

/** Returns the keys of the collections with these names, each once. @throws `collection.not_found` */
export async function keysOfCollections(
  { collections }: Pick<Storage, 'collections'>,
  names: readonly string[] | null,
): Promise<readonly string[] | null> {
  if (names === null) return null;
  const keys = Array.from(new Set(names.map(collectionKey))).toSorted();
  const found = await Promise.all(keys.map((key) => collections.findName(key)));
  const missing = keys.find((_key, at) => found[at] === null);
  if (missing !== undefined) throw new AppError('collection.not_found', { detail: `"${missing}"` });
  return keys;
}

export interface ChangesDeps extends FeedReadersDeps {
  readonly secrets: Secrets;
  readonly timers: Timers;
}

export type Changes = ReturnType<typeof createChanges>;

/** The change feed in pages, filtered by each reader's permissions. */
export function createChanges(deps: ChangesDeps) {
  const { storage } = deps;
  const cursors = createFeedCursors(deps);
  const steps = createFeedSteps(deps);
  const readers = createFeedReaders(deps);
  const settle = createSettle(storage);
  const requireCurrentLists = createRequireCurrentLists(storage);

  /** Returns the answer to a caller who continues from a cursor. */
  async function answer(actor: Actor, from: FeedCursor, step: FeedStep): Promise<ChangesAnswer> {
    if (step.kind === 'wait') return { changes: [], next: cursors.encode(from), more: false };
    if (step.kind === 'page') {
      return { changes: step.changes.map(({ change }) => change), next: cursors.encode(step.next), more: step.more };
    }
    if (step.reason === 'expired') throw new AppError('changes.cursor_expired', { input: 'since' });
    await settle(step.mark, actor.user?.id ?? null);
    const beside = { since: cursors.encode(step.at) };
    throw new AppError('changes.resync_required', { detail: step.reason, beside });
  }

  return {
    /**
     * Returns the changes since a cursor of documents that the caller may read, in commit order.
     *
     * @throws `changes.cursor_invalid`, `collection.not_found`, `changes.cursor_expired`, `changes.resync_required`
     * with the cursor `since` in the error body
     */
    async read(actor: Actor, { since, collections: names, ...bounds }: ChangesRequest): Promise<ChangesAnswer> {
      const given = since === null || since === FROM_THE_BEGINNING ? null : cursors.parse(since);
      const collections = await keysOfCollections(storage, names);
      if (since === null) {
        const state = await steps.settledState(await readers.known(actor), collections);
        await requireCurrentLists(actor);
        return { changes: [], next: cursors.encode(currentCursor(state)), more: false };
      }
      const from = given ?? firstCursor(await steps.settledState(await readers.known(actor), collections));
      const stored = given === null ? await readers.stored(actor) : null;
      const step = await steps.read(stored ?? (await readers.known(actor)), from, { collections, ...bounds });
      await requireCurrentLists(actor);
      return answer(actor, from, step);
    },
  };
}
