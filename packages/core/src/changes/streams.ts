import { type Actor, isSignedIn } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import type { Condition } from '../criteria/syntax.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gauges } from '../ports/gauges.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Signal } from '../ports/signals.ts';
import type { VisibilityChange } from '../ports/storage/changes.ts';
import type { Timers } from '../ports/timers.ts';
import { networkOf } from '../protection/networks.ts';
import { createSemaphore } from '../semaphore.ts';
import type { Authentication } from '../sessions/authentication.ts';
import { FROM_THE_BEGINNING, keysOfCollections } from './changes.ts';
import { createRequireCurrentLists } from './current-lists.ts';
import { createFeedCursors, currentCursor, type FeedCursor, firstCursor } from './cursor.ts';
import { createFeedSteps } from './feed-steps.ts';
import { createHub } from './hub.ts';
import type { Interest } from './hub-index.ts';
import { createFeedReaders, type FeedReader, type FeedReadersDeps, refusalOf } from './readers.ts';
import { createSettle } from './settling.ts';
import { createStream, type FeedStream, type StreamOptions, type StreamSink } from './stream.ts';

/** Default maximum number of streams per process. */
export const DEFAULT_MAX_STREAMS = 10_000;
/** Maximum number of concurrent reads for streams that catch up. */
const MAX_READS = 8;
/** Maximum number of followed users for a reader served through the index of the hub. */
const MAX_FOLLOWED = 1_000;
/** Interval of the timer wheel, which visits one spoke of streams each time, in milliseconds. */
const SPOKE_MS = 1_000;
const SPOKES = 5;
/** Turns of the wheel between two heartbeats. */
const TURNS_PER_BEAT = 3;
const RETRY_USER_S = 10;
/** Maximum share of all streams for clients of one network. */
const NETWORK_SHARE = 1 / 4;
/** Share of all streams reserved for administrators. */
const RESERVED_SHARE = 1 / 10;
const RETRY_NODE_S = 5;

export interface StreamRequest {
  /** A cursor; `0` for everything from the beginning; null for changes from now on. */
  readonly since: string | null;
  /** Names of collections; null for all. */
  readonly collections: readonly string[] | null;
  /** Sends only documents that match; null for all. Requires exactly one collection. */
  readonly where: Condition | null;
  /** Network address of the client, for limits on networks and on callers without a user. */
  readonly address: string;
}

export interface ChangeStreamsDeps extends FeedReadersDeps {
  readonly authentication: Authentication;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly gauges: Gauges;
  /** Maximum number of streams of this process. */
  readonly maxStreams: number;
}

/** Counts by key. Only counts above zero take memory. */
function createTally<Key>() {
  const counts = new Map<Key, number>();
  return {
    of: (key: Key) => counts.get(key) ?? 0,
    add(key: Key, change: 1 | -1): void {
      const count = (counts.get(key) ?? 0) + change;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}

interface OpenStream {
  readonly stream: FeedStream;
  /** Session token; null without a session. */
  readonly token: string | null;
}

export type ChangeStreams = ReturnType<typeof createChangeStreams>;

/** The open change streams of this process. */
export function createChangeStreams(deps: ChangeStreamsDeps) {
  const { storage, authentication, secrets, settings, clock, timers, logger, gauges, maxStreams } = deps;
  const cursors = createFeedCursors(deps);
  const hub = createHub({ storage, cursors, timers, clock, logger });
  const steps = createFeedSteps(deps);
  const readers = createFeedReaders(deps);
  const settle = createSettle(storage);
  const requireCurrentLists = createRequireCurrentLists(storage);
  const reads = createSemaphore({ running: MAX_READS });
  const counts = { sent: 0, resyncs: 0, cut: 0 };
  /** Number of streams, including those being opened, by user or address. */
  const perCaller = createTally<string>();
  /** The same by network; null for all clients with an unknown address. */
  const perNetwork = createTally<string | null>();
  const mostPerNetwork = Math.ceil(maxStreams * NETWORK_SHARE);
  const mostForUsers = maxStreams - Math.floor(maxStreams * RESERVED_SHARE);
  const spokes = Array.from({ length: SPOKES }, () => new Set<OpenStream>());
  let reserved = 0;
  let opened = 0;
  let turn = 0;
  let isStopped = false;
  let cancelWheel: (() => void) | null = null;

  const every = (): OpenStream[] => spokes.flatMap((spoke) => Array.from(spoke));

  gauges.add({ name: 'changes_streams', help: 'Open streams of changes', read: () => reserved });
  gauges.add({
    name: 'changes_sent_total',
    help: 'Changes sent to streams since the start of the process',
    read: () => counts.sent,
  });
  gauges.add({
    name: 'changes_resyncs_total',
    help: 'Times that a stream was told to list again, since the start of the process',
    read: () => counts.resyncs,
  });
  gauges.add({
    name: 'changes_streams_cut_total',
    help: 'Streams that the service ended, since the start of the process',
    read: () => counts.cut,
  });
  gauges.add({
    name: 'changes_lag_seconds',
    help: 'How long the reader of the change feed has not been up to date',
    read: () => hub.lag() / 1000,
  });

  /** @throws `changes.too_many_streams`, `changes.too_many_from_network`, `changes.unavailable` */
  async function reserve({ user, key, isAdmin }: Actor, address: string): Promise<() => void> {
    const [caller, network] = [user?.id ?? key?.id ?? address, networkOf(address)];
    const most = (await settings.current())['changes.streams.per.user'];
    if (perCaller.of(caller) >= most) {
      throw new AppError('changes.too_many_streams', { detail: `at most ${most}`, retryAfter: RETRY_USER_S });
    }
    if (reserved >= (isAdmin ? maxStreams : mostForUsers)) {
      throw new AppError('changes.unavailable', { retryAfter: RETRY_NODE_S });
    }
    if (!isAdmin && perNetwork.of(network) >= mostPerNetwork) {
      const detail = `at most ${mostPerNetwork}`;
      throw new AppError('changes.too_many_from_network', { detail, retryAfter: RETRY_USER_S });
    }
    const count = (change: 1 | -1) => {
      perCaller.add(caller, change);
      if (!isAdmin) perNetwork.add(network, change);
      reserved += change;
    };
    count(1);
    return () => count(-1);
  }

  /** Adds the users whom the reader follows. */
  async function interestOf(reader: FeedReader, collections: readonly string[] | null): Promise<Interest> {
    const { followed: sees, everything, owner } = reader.scope;
    const isFollower = sees && !everything && owner !== null;
    const followed = isFollower ? await storage.follows.followedBy(owner, MAX_FOLLOWED + 1) : [];
    return { reader, collections, followed, isPolled: followed.length > MAX_FOLLOWED };
  }

  /** Returns the current state of a stream's caller; null if they may no longer have it. */
  async function callerOf({ stream, token }: OpenStream): Promise<Actor | null> {
    const { actor, passwordHash } = stream.interest.reader;
    if (!isSignedIn(actor)) return actor;
    if (token !== null) return authentication.byToken(token);
    const reader = await readers.stored(actor);
    return reader?.passwordHash === passwordHash ? reader.actor : null;
  }

  const isRefusal = (error: unknown) => isAppError(error) && error.code === 'session.invalid';

  /** Ends the stream if its caller may no longer have it, and counts as a use of the session. */
  async function check(open: OpenStream): Promise<void> {
    const { stream } = open;
    try {
      const caller = await callerOf(open);
      if (caller === null) stream.end(refusalOf(stream.interest.reader.actor));
      else if (String(caller.principals) !== String(stream.interest.reader.actor.principals)) stream.rightsChanged();
    } catch (error) {
      // If the storage is unavailable, the next turn of the wheel checks again.
      if (isRefusal(error)) stream.end('session.invalid');
    }
  }

  function beat(): void {
    turn++;
    const beats = Math.floor(turn / SPOKES) % TURNS_PER_BEAT === 0;
    for (const open of spokes[turn % SPOKES] ?? []) {
      if (beats) open.stream.beat();
      void check(open);
    }
  }

  function turnWheel(): void {
    cancelWheel = timers.after(SPOKE_MS, () => {
      cancelWheel = null;
      beat();
      if (reserved > 0) turnWheel();
    });
  }

  function concerns({ topic, key }: Signal, { stream }: OpenStream): boolean {
    const { actor } = stream.interest.reader;
    if (topic === 'roles') return isSignedIn(actor);
    if (topic === 'session') return actor.sessionId === key;
    return topic === 'user' && (actor.user ?? actor.key?.owner)?.id === key;
  }

  const unsubscribe = storage.signals.subscribe({
    topics: ['user', 'session', 'roles'],
    hear(signal) {
      if (reserved === 0) return;
      const concerned = every().filter((open) => signal === null || concerns(signal, open));
      // Signals arrive here after every cache has received them.
      for (const open of concerned) void reads.run(() => check(open));
    },
  });

  async function cursorFor(
    since: string | null,
    actor: Actor,
    collections: readonly string[] | null,
  ): Promise<FeedCursor> {
    if (since !== null && since !== FROM_THE_BEGINNING) return cursors.parse(since);
    const state = await steps.settledState(await readers.known(actor), collections);
    if (since !== null) return firstCursor(state);
    await requireCurrentLists(actor);
    return currentCursor(state);
  }

  /** @throws `session.invalid`, `auth.invalid` */
  async function firstInterest(actor: Actor, collections: readonly string[] | null): Promise<Interest> {
    const reader = await readers.stored(actor);
    if (reader === null) throw new AppError(refusalOf(actor));
    return interestOf(reader, collections);
  }

  /** Returns the interest of a stream after a change of visibility. */
  async function reload(
    { reader: before, collections }: Interest,
    mark: VisibilityChange | null,
  ): Promise<Interest | null> {
    await settle(mark, before.actor.user?.id ?? null);
    await requireCurrentLists(before.actor);
    const reader = await readers.stored(before.actor);
    return reader?.passwordHash === before.passwordHash ? interestOf(reader, collections) : null;
  }

  function begin(sessionId: string | null, options: StreamOptions, free: () => void): OpenStream {
    const spoke = spokes[++opened % SPOKES];
    const stream = createStream(
      {
        hub,
        steps,
        cursors,
        timers,
        logger,
        reads,
        reload,
        count: (what) => counts[what]++,
        ended() {
          spoke?.delete(open);
          free();
        },
      },
      options,
    );
    const open = { stream, token: sessionId === null ? null : secrets.sign(sessionId) };
    spoke?.add(open);
    if (cancelWheel === null) turnWheel();
    return open;
  }

  return {
    /**
     * Opens a stream of the changes of documents that the caller may read.
     *
     * @param connect called when all checks have passed
     * @returns a function to be called when the receiver has disconnected
     * @throws `changes.cursor_invalid`, `collection.not_found`, `input.invalid`, `changes.too_many_streams`,
     * `changes.too_many_from_network`, `changes.unavailable`, `service.stopping`, `session.invalid`, `auth.invalid`
     */
    async open(actor: Actor, request: StreamRequest, connect: () => StreamSink): Promise<() => void> {
      const { since, collections: names, where, address } = request;
      if (isStopped) throw new AppError('service.stopping');
      if (where !== null && new Set(names?.map(collectionKey)).size !== 1) {
        throw new AppError('input.invalid', { detail: 'where needs exactly one collection', input: 'where' });
      }
      const free = await reserve(actor, address);
      try {
        const collections = await keysOfCollections(storage, names);
        const from = await cursorFor(since, actor, collections);
        const interest = await firstInterest(actor, collections);
        if (isStopped) throw new AppError('service.stopping');
        const { stream } = begin(actor.sessionId, { sink: connect(), from, interest, where }, free);
        return () => stream.end(null);
      } catch (error) {
        free();
        throw error;
      }
    },

    /** Ends every stream, because the process stops. Further ones are refused. */
    stop(code: ErrorCode = 'service.stopping'): void {
      isStopped = true;
      for (const { stream } of every()) stream.end(code);
    },

    dispose(): void {
      isStopped = true;
      for (const { stream } of every()) stream.end('service.stopping');
      unsubscribe();
      cancelWheel?.();
      hub.dispose();
    },
  };
}
