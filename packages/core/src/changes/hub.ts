import { documentResolver } from '../criteria/names.ts';
import type { RequiredValue } from '../criteria/required.ts';
import type { Resolve } from '../criteria/values.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Change, FeedBatch, FeedEntry, FeedPlace, VisibilityChange } from '../ports/storage/changes.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import { comparePlaces, type FeedCursors } from './cursor.ts';
import { createHubIndex, type Interest, isConcerned } from './hub-index.ts';
import { createKnownStates, type Put } from './known-states.ts';

/** Limits of one batch: entries, and bytes of contents. */
const BATCH = { limit: 1_000, maxBytes: 4_194_304 } as const;
/** Minimum time between the starts of two reads, in milliseconds. Changes meanwhile share a read. */
const SHORTEST_PAUSE_MS = 25;
/** Interval at which the hub looks for changes even without a signal, in milliseconds. Signals may get lost. */
const POLL_MS = 1_000;
/** Maximum number of deliveries in one turn of the event loop. */
const MAX_DELIVERIES = 2_000;

/** A change as sent to every stream that receives it. One object, so that it is rendered once. */
export interface SentChange {
  readonly type: Change['type'];
  /** Cursor after the change. */
  readonly id: string;
  readonly change: Change;
}

/** A change delivered by the hub. */
export interface Delivery {
  readonly place: FeedPlace;
  readonly sent: SentChange;
  /** For readers with a filter: the readable document; null if it is gone for them. */
  readonly document: { readonly version: number; readonly resolve: Resolve } | null;
  /** Returns the same document as gone. */
  gone(): SentChange;
}

/** A subscriber of the hub. */
export interface HubMember {
  readonly interest: Interest;
  /**
   * Value that the filter of the member requires; null if there is none. Documents that have another value, before and
   * after a change, are not delivered if the hub knows the state before.
   */
  readonly required: RequiredValue | null;
  deliver(delivery: Delivery): void;
  /** Returns true if the member's permissions and place are newer than this position. */
  isPast(position: number): boolean;
  /** Called after the member has left the hub, because its permissions have changed. */
  visibilityChanged(mark: VisibilityChange): void;
  /** Called after the member has left the hub, because too much has changed. The member must reload its permissions. */
  overtaken(): void;
  /** Called after the member has left the hub, because the feed has another history now. */
  expired(): void;
  /** Number of the entry last offered to the member; maintained by the hub. */
  offered: number;
}

const sentGone = ({ place, collection, id }: FeedEntry, cursor: string): SentChange => ({
  type: 'gone',
  id: cursor,
  change: { type: 'gone', place, collection, id },
});

function putOf(entry: FeedEntry, { document, resolve }: Put, cursor: string): Delivery {
  const { place } = entry;
  let gone: SentChange | null = null;
  return {
    place,
    sent: { type: 'put', id: cursor, change: { type: 'put', place, document } },
    document: { version: document.version, resolve },
    gone() {
      gone ??= sentGone(entry, cursor);
      return gone;
    },
  };
}

function goneOf(entry: FeedEntry, cursor: string): Delivery {
  const sent = sentGone(entry, cursor);
  return { place: entry.place, sent, document: null, gone: () => sent };
}

const accessName = (id: string, audience: string) => `${id} ${audience}`;

/**
 * Returns the audiences to consider at an entry. If the document changed, this omits audiences that gain it later in
 * the same batch, so that they receive a document that is created and then shared only once.
 */
function firstReaders({ entries }: FeedBatch): (entry: FeedEntry) => readonly string[] {
  const gained = new Set<string>();
  for (const { id, access } of entries) for (const audience of access) gained.add(accessName(id, audience));
  return ({ id, isChanged, access, readers }) => {
    for (const audience of access) gained.delete(accessName(id, audience));
    return isChanged ? readers.filter((audience) => !gained.has(accessName(id, audience))) : readers;
  };
}

export interface HubDeps {
  readonly storage: Storage;
  readonly cursors: FeedCursors;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type Hub = ReturnType<typeof createHub>;

/**
 * The only reader of the feed in a process. It reads each change once, regardless of the number of streams, and
 * delivers it to those that may see it. It reads only while it has members or listeners for more.
 */
export function createHub({ storage, cursors, timers, clock, logger }: HubDeps) {
  const index = createHubIndex<HubMember>();
  const states = createKnownStates();
  /** Called once when there is more to read, for streams that the hub does not serve. */
  const waiting = new Set<() => void>();
  let epoch = '';
  /** Place up to which everything has been delivered; null while the hub is not reading. */
  let place: FeedPlace | null = null;
  let starting: Promise<void> | null = null;
  /** True until `starting` has settled. Those who wait for it are about to join. */
  let isStarting = false;
  let isRunning = false;
  let isWoken = false;
  let hasFailed = false;
  let isDisposed = false;
  let begun = 0;
  let offers = 0;
  let deliveries = 0;
  /** Time at which the hub was last known to be up to date, in milliseconds. */
  let caughtUp = 0;
  let cancel: () => void = () => undefined;

  const isNeeded = () => isStarting || index.size > 0 || waiting.size > 0;
  const pause = () => new Promise<void>((resolve) => void timers.after(0, resolve));

  /** Visits each member once for an entry, and yields to the event loop in between. */
  async function offer(members: Iterable<HubMember>, visit: (member: HubMember) => void): Promise<void> {
    for (const member of members) {
      if (member.offered === offers) continue;
      member.offered = offers;
      visit(member);
      if (++deliveries % MAX_DELIVERIES === 0) await pause();
    }
  }

  /** @param readers see `firstReaders` */
  async function dispatch(entry: FeedEntry, readers: readonly string[]): Promise<void> {
    const { collectionKey, document, place: at, isChanged, access } = entry;
    const put = document === null ? null : { document, resolve: documentResolver(document) };
    const known = put && states.next(put);
    /** Members who gained or lost the document here. Those left over after the readers have lost it. */
    const concerned = new Set(access.flatMap((audience) => Array.from(index.find(collectionKey, audience, null))));
    if (!isChanged && concerned.size === 0) return;
    offers++;
    const encode = () => cursors.encode({ kind: 'change', epoch, place: at });
    let delivery: Delivery | null = null;
    for (const audience of readers) {
      await offer(index.find(collectionKey, audience, concerned.size === 0 ? known : null), (member) => {
        const isConcerned = concerned.delete(member) || isChanged;
        if (!isConcerned || put === null) return;
        delivery ??= putOf(entry, put, encode());
        member.deliver(delivery);
      });
    }
    if (concerned.size === 0) return;
    const gone = goneOf(entry, encode());
    await offer(concerned, (member) => member.deliver(gone));
  }

  /** Removes all members. */
  function release(tell: (member: HubMember) => void): void {
    for (const member of Array.from(index.members())) {
      index.delete(member);
      tell(member);
    }
  }

  /**
   * Runs before the entries, so that members whose permissions have changed receive nothing more under the old ones.
   */
  function markVisibility({ visibility }: FeedBatch): void {
    if (visibility === null) release((member) => member.overtaken());
    for (const mark of visibility ?? []) {
      const concerned = Array.from(index.members()).filter(
        (member) => !member.isPast(mark.position) && isConcerned(member.interest, mark),
      );
      for (const member of concerned) {
        index.delete(member);
        member.visibilityChanged(mark);
      }
    }
  }

  function wakeWaiting(): void {
    const woken = Array.from(waiting);
    waiting.clear();
    for (const wake of woken) wake();
  }

  /**
   * Returns true if there is something to read. Checks the epoch from time to time, because batches do not contain it.
   */
  async function look(): Promise<boolean> {
    const state = await storage.changes.state();
    if (place === null || state.epoch !== epoch) {
      epoch = state.epoch;
      states.clear();
      place = { position: state.horizon, id: '' };
      release((member) => member.expired());
      wakeWaiting();
      return false;
    }
    return comparePlaces(place, { position: state.horizon, id: '' }) < 0;
  }

  async function readOn(from: FeedPlace): Promise<void> {
    let batch: FeedBatch;
    let after = from;
    do {
      batch = await storage.changes.readAll({ after, ...BATCH });
      markVisibility(batch);
      const readersOf = firstReaders(batch);
      for (const entry of batch.entries) {
        await dispatch(entry, readersOf(entry));
        place = entry.place; // a member that joins in the middle of a batch gets the rest of it
      }
      after = batch.next;
      place = after;
      if (batch.entries.length > 0 || batch.visibility?.length !== 0) wakeWaiting();
    } while (batch.more && isNeeded());
  }

  async function run(mustLook: boolean): Promise<void> {
    isRunning = true;
    isWoken = false;
    begun = clock.now();
    try {
      const hasMore = mustLook || place === null ? await look() : true;
      if (hasMore && place !== null) await readOn(place);
      caughtUp = clock.now();
      hasFailed = false;
    } catch (err) {
      hasFailed = true;
      logger.warn({ err }, 'change feed not read, retrying');
    }
    isRunning = false;
    if (isNeeded()) plan(isWoken ? SHORTEST_PAUSE_MS : POLL_MS, !isWoken);
    else rest();
  }

  function plan(wait: number, mustLook: boolean): void {
    cancel();
    if (isDisposed) return;
    cancel = timers.after(wait, () => void run(mustLook));
  }

  function rest(): void {
    cancel();
    place = null;
    starting = null;
    isWoken = false;
    hasFailed = false;
  }

  function wake(): void {
    if (starting === null || isWoken) return;
    isWoken = true;
    if (!isRunning) plan(Math.min(SHORTEST_PAUSE_MS, Math.max(0, begun + SHORTEST_PAUSE_MS - clock.now())), false);
  }

  const unsubscribe = storage.signals.subscribe({ topics: ['changes'], hear: wake });

  async function start(): Promise<void> {
    isStarting = true;
    try {
      await look();
    } finally {
      isStarting = false;
    }
    if (isRunning) return; // a signal arrived meanwhile; concurrent reads would skip entries
    caughtUp = clock.now();
    plan(POLL_MS, true);
  }

  /** Returns the current cursor. Not cached: equal heartbeats would show that nothing was written between them. */
  const cursor = (): string | null => (place === null ? null : cursors.encode({ kind: 'change', epoch, place }));

  return {
    /** Resolves when the hub is reading. To be called before `join`. */
    ready(): Promise<void> {
      starting ??= start().catch((error) => {
        starting = null;
        throw error;
      });
      return starting;
    },

    /**
     * Adds a member, which receives everything after the returned place. Null if the hub is not reading: call `ready`
     * and try again.
     */
    join(member: HubMember): FeedPlace | null {
      if (place === null) return null;
      member.offered = 0;
      index.add(member);
      return place;
    },

    /** No-op for non-members. */
    leave(member: HubMember): void {
      index.delete(member);
    },

    /** Calls `listener` once, when there is more to read. Returns a function that cancels it. */
    onMore(listener: () => void): () => void {
      waiting.add(listener);
      return () => waiting.delete(listener);
    },

    /** Place up to which everything has been delivered; null while the hub is not reading. */
    cursor,
    place: (): FeedPlace | null => place,
    /** Returns the time since the hub was last up to date, in milliseconds. */
    lag: () => (isRunning || isWoken || hasFailed ? Math.max(0, clock.now() - caughtUp) : 0),

    dispose(): void {
      isDisposed = true;
      unsubscribe();
      rest();
    },
  };
}
