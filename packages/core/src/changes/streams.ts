import type { Actor } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import type { Condition } from '../criteria/syntax.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gauges } from '../ports/gauges.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { VisibilityChange } from '../ports/storage/changes.ts';
import type { Timers } from '../ports/timers.ts';
import { createSemaphore } from '../semaphore.ts';
import type { Authentication } from '../sessions/authentication.ts';
import { createCallerWatch } from './callers.ts';
import { FROM_THE_BEGINNING, keysOfCollections } from './changes.ts';
import { createRequireCurrentLists } from './current-lists.ts';
import { createFeedCursors, currentCursor, type FeedCursor, firstCursor } from './cursor.ts';
import { createFeedSteps } from './feed-steps.ts';
import { createHub } from './hub.ts';
import type { Interest } from './hub-index.ts';
import { createFeedReaders, type FeedReader, type FeedReadersDeps, readsByDocument, refusalOf } from './readers.ts';
import { createReservations } from './reservations.ts';
import { createSettle } from './settling.ts';
import { createStream, type FeedStream, type StreamOptions, type StreamSink } from './stream.ts';

/** Maximum number of concurrent reads for streams that catch up. */
const MAX_READS = 8;
/** Maximum number of followed users for a reader served through the index of the hub. */
const MAX_FOLLOWED = 1_000;
/** Turns of the wheel between two heartbeats. */
const TURNS_PER_BEAT = 3;

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

/** A connection of a caller that carries any number of streams. */
export interface Carrier {
  /** Sends a heartbeat, every ten seconds. The receiver has to answer before the next one. */
  beat(): void;
  /** Ends the connection. */
  end(code: ErrorCode): void;
}

/** Turns of the wheel between two heartbeats of a connection that has to answer them. */
const TURNS_PER_CARRIER_BEAT = 2;

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
  const watch = createCallerWatch({ storage, authentication, secrets, timers, readers });
  const streams = createReservations(settings, maxStreams);
  const carriers = createReservations(settings, maxStreams);
  let isStopped = false;

  gauges.add({ name: 'changes_streams', help: 'Open streams of changes', read: streams.count });
  gauges.add({ name: 'live_sockets', help: 'Open sockets of GET /live', read: carriers.count });
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
    help: 'Time since the reader of the change feed was last up to date',
    read: () => hub.lag() / 1000,
  });

  /** Adds the users whom the reader follows. */
  async function interestOf(reader: FeedReader, collections: readonly string[] | null): Promise<Interest> {
    const { followed: sees, everything, owner } = reader.scope;
    const isFollower = sees && !everything && owner !== null;
    const followed = isFollower ? await storage.follows.followedBy(owner, MAX_FOLLOWED + 1) : [];
    const isPolled = followed.length > MAX_FOLLOWED || readsByDocument(reader, collections);
    return { reader, collections, followed, isPolled };
  }

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
  async function storedReader(actor: Actor): Promise<FeedReader> {
    const reader = await readers.stored(actor);
    if (reader === null) throw new AppError(refusalOf(actor));
    return reader;
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

  function begin(options: StreamOptions, free: () => void): FeedStream {
    const count = (what: keyof typeof counts) => counts[what]++;
    const ended = () => {
      unwatch();
      free();
    };
    const stream = createStream({ hub, steps, cursors, timers, logger, reads, reload, count, ended }, options);
    const unwatch = watch.add({
      get reader() {
        return stream.interest.reader;
      },
      turnsPerBeat: TURNS_PER_BEAT,
      beat: stream.beat,
      rightsChanged: stream.rightsChanged,
      end: stream.end,
    });
    return stream;
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
      const free = await streams.reserve(actor, address);
      try {
        const collections = await keysOfCollections(storage, names);
        const from = await cursorFor(since, actor, collections);
        const interest = await interestOf(await storedReader(actor), collections);
        if (isStopped) throw new AppError('service.stopping');
        const stream = begin({ sink: connect(), from, interest, where }, free);
        return () => stream.end(null);
      } catch (error) {
        free();
        throw error;
      }
    },

    /**
     * Registers a connection that is to carry streams. It ends with the session of the caller.
     *
     * @returns a function to be called when the connection has ended
     * @throws `changes.too_many_streams`, `changes.too_many_from_network`, `changes.unavailable`, `service.stopping`,
     * `session.invalid`, `auth.invalid`
     */
    async carry(actor: Actor, address: string, carrier: Carrier): Promise<() => void> {
      if (isStopped) throw new AppError('service.stopping');
      const free = await carriers.reserve(actor, address);
      try {
        const reader = await storedReader(actor);
        if (isStopped) throw new AppError('service.stopping');
        const { beat, end } = carrier;
        const unwatch = watch.add({
          reader,
          turnsPerBeat: TURNS_PER_CARRIER_BEAT,
          beat,
          rightsChanged: () => undefined, // each stream notices on its own
          end,
        });
        return () => {
          unwatch();
          free();
        };
      } catch (error) {
        free();
        throw error;
      }
    },

    /** Ends every stream and connection, because the process stops. Further ones are refused. */
    stop(code: ErrorCode = 'service.stopping'): void {
      isStopped = true;
      watch.endAll(code);
    },

    dispose(): void {
      isStopped = true;
      watch.endAll('service.stopping');
      watch.dispose();
      hub.dispose();
    },
  };
}
