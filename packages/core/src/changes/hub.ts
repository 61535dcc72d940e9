import { documentResolver } from '../criteria/names.ts';
import type { Resolve } from '../criteria/values.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Change, FeedBatch, FeedEntry, FeedPlace, VisibilityChange } from '../ports/storage/changes.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import { comparePlaces, type FeedCursors } from './cursor.ts';
import { createHubIndex, type Interest, isConcerned } from './hub-index.ts';

/** Entries and bytes of contents in one batch. */
const BATCH = { limit: 1_000, maxBytes: 4_194_304 } as const;
/** Shortest time from the beginning of one read to that of the next: changes meanwhile share a read. Milliseconds. */
const SHORTEST_PAUSE_MS = 25;
/** The hub looks for changes at this interval even without a signal, because signals may get lost. Milliseconds. */
const POLL_MS = 1_000;
/** Deliveries in one turn of the event loop. */
const MAX_DELIVERIES = 2_000;

/** A change as it is sent to every stream that gets it: one object, so that it is rendered once. */
export interface SentChange {
  readonly type: Change['type'];
  /** The cursor after it. */
  readonly id: string;
  readonly change: Change;
}

/** A change that the hub delivers. */
export interface Delivery {
  readonly place: FeedPlace;
  readonly sent: SentChange;
  /** For readers with a condition: the document that they may read; null when it is gone for them. */
  readonly document: { readonly version: number; readonly resolve: Resolve } | null;
  /** The same document as gone. */
  gone(): SentChange;
}

/** Who is served by the hub. */
export interface HubMember {
  readonly interest: Interest;
  deliver(delivery: Delivery): void;
  /** Whether the member's rights and place are newer than this position. */
  isPast(position: number): boolean;
  /** What the member may read has changed. It has left the hub. */
  visibilityChanged(mark: VisibilityChange): void;
  /** Too much has changed: the member has left the hub, and has to find out by itself what it may read. */
  overtaken(): void;
  /** The feed has another history now. It has left the hub. */
  expired(): void;
  /** The number of the entry that was offered to it last; kept by the hub. */
  offered: number;
}

const sentGone = ({ place, collection, id }: FeedEntry, cursor: string): SentChange => ({
  type: 'gone',
  id: cursor,
  change: { type: 'gone', place, collection, id },
});

function putOf(entry: FeedEntry, document: DocumentRecord, cursor: string): Delivery {
  const { place } = entry;
  let gone: SentChange | null = null;
  return {
    place,
    sent: { type: 'put', id: cursor, change: { type: 'put', place, document } },
    document: { version: document.version, resolve: documentResolver(document) },
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
 * The audiences to consider at an entry. Where the document changed, audiences that gain it later in the same batch are
 * left out: a document that is created and then shared comes to them once.
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
 * The one reader of the feed in a process: it reads each change once, whatever the number of streams, and delivers it to
 * those that may see it. It reads while it has members or followers of its progress, and not otherwise.
 */
export function createHub({ storage, cursors, timers, clock, logger }: HubDeps) {
  const index = createHubIndex<HubMember>();
  /** Called once when there is more to read, for streams that the hub does not serve. */
  const waiting = new Set<() => void>();
  let epoch = '';
  /** Everything up to here has been delivered; null while the hub does not read. */
  let place: FeedPlace | null = null;
  let last: { place: FeedPlace | null; epoch: string; text: string } = { place: null, epoch: '', text: '' };
  let starting: Promise<void> | null = null;
  let isRunning = false;
  let isWoken = false;
  let hasFailed = false;
  let isDisposed = false;
  let begun = 0;
  let offers = 0;
  let deliveries = 0;
  /** When the hub last knew that it had read everything, milliseconds. */
  let caughtUp = 0;
  let cancel: () => void = () => undefined;

  const isNeeded = () => index.size > 0 || waiting.size > 0;
  const pause = () => new Promise<void>((resolve) => void timers.after(0, resolve));

  /** Visits each member once for an entry, and lets other work of the process run in between. */
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
    const { collectionKey, document, place: at, isChanged } = entry;
    const membersOf = (audience: string) => index.find(collectionKey, audience);
    /** Members who gained or lost the document here. What is left after the readers has lost it. */
    const concerned = new Set(entry.access.flatMap((audience) => Array.from(membersOf(audience))));
    if (!isChanged && concerned.size === 0) return;
    offers++;
    const cursor = cursors.encode({ kind: 'change', epoch, place: at });
    const put = document === null ? null : putOf(entry, document, cursor);
    for (const audience of readers) {
      await offer(membersOf(audience), (member) => {
        const isConcerned = concerned.delete(member) || isChanged;
        if (isConcerned && put !== null) member.deliver(put);
      });
    }
    const gone = goneOf(entry, cursor);
    await offer(concerned, (member) => member.deliver(gone));
  }

  /** All members leave. */
  function release(tell: (member: HubMember) => void): void {
    for (const member of Array.from(index.members())) {
      index.delete(member);
      tell(member);
    }
  }

  /** Before the entries: members whose rights have changed get nothing more by their old rights. */
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

  /** Whether there is something to read. The state is checked now and then, because a batch does not show it. */
  async function look(): Promise<boolean> {
    const state = await storage.changes.state();
    if (place === null || state.epoch !== epoch) {
      epoch = state.epoch;
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
        place = entry.place; // whoever joins in the middle of a batch gets the rest of it
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
    await look();
    if (isRunning) return; // a signal came meanwhile; two reads at once would take each other's entries for delivered
    caughtUp = clock.now();
    plan(POLL_MS, true);
  }

  /** Thousands of streams ask for it in their heartbeats, while it changes rarely. */
  function cursor(): string | null {
    if (place === null) return null;
    if (last.place !== place || last.epoch !== epoch) {
      last = { place, epoch, text: cursors.encode({ kind: 'change', epoch, place }) };
    }
    return last.text;
  }

  return {
    /** Resolves when the hub reads. To be called before `join`. */
    ready(): Promise<void> {
      starting ??= start().catch((error) => {
        starting = null;
        throw error;
      });
      return starting;
    },

    /**
     * From now on the member gets what follows the returned place; null when the hub does not read: call `ready` and
     * try again.
     */
    join(member: HubMember): FeedPlace | null {
      if (place === null) return null;
      member.offered = 0;
      index.add(member);
      return place;
    },

    /** Does nothing for others than members. */
    leave(member: HubMember): void {
      index.delete(member);
    },

    /** Calls `listener` once, when there is more to read. Returns a function that cancels it. */
    onMore(listener: () => void): () => void {
      waiting.add(listener);
      return () => waiting.delete(listener);
    },

    /** Everything up to here has been delivered; null while the hub does not read. */
    cursor,
    place: (): FeedPlace | null => place,
    /** How long the hub has not been up to date, milliseconds. */
    lag: () => (isRunning || isWoken || hasFailed ? Math.max(0, clock.now() - caughtUp) : 0),

    dispose(): void {
      isDisposed = true;
      unsubscribe();
      rest();
    },
  };
}
