import { EVERYBODY } from '../access.ts';
import { createTest } from '../criteria/evaluate.ts';
import { documentResolver } from '../criteria/names.ts';
import { requiredValue } from '../criteria/required.ts';
import type { Condition } from '../criteria/syntax.ts';
import { ERRORS, type ErrorCode, isAppError } from '../errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { Change, FeedPlace, VisibilityChange, VisibilityReason } from '../ports/storage/changes.ts';
import type { Timers } from '../ports/timers.ts';
import type { Semaphore } from '../semaphore.ts';
import { comparePlaces, type FeedCursor, type FeedCursors, positionAt } from './cursor.ts';
import type { FeedStep, FeedSteps } from './feed-steps.ts';
import type { Delivery, Hub, HubMember, SentChange } from './hub.ts';
import type { Interest } from './hub-index.ts';
import { refusalOf } from './readers.ts';

/** Returns the change to settle before the reader lists again; null if nothing cached can be stale. */
function markOf(change: VisibilityChange | 'role' | 'expired', horizon: number): VisibilityChange | null {
  if (change === 'expired') return null;
  return change === 'role' ? { audience: EVERYBODY, collection: null, reason: change, position: horizon } : change;
}

/** An event of a stream. `id` is the cursor from which to resume. */
export type StreamEvent =
  | SentChange
  /** Everything up to now has been sent. Once per stream. */
  | { readonly type: 'ready'; readonly id: string }
  /** The reader's permissions have changed: it has to list again, and then to continue from `id`. */
  | { readonly type: 'resync'; readonly id: string; readonly reason: VisibilityReason | 'expired' }
  | { readonly type: 'end'; readonly code: ErrorCode; readonly message: string };

/** Destination of a stream's events. */
export interface StreamSink {
  /** Sends an event. A change is the same object for every stream. */
  send(event: StreamEvent): void;
  /** Keeps the connection alive. @param id cursor from which to resume; null if the last one is still the best */
  beat(id: string | null): void;
  /** Number of bytes that the receiver has not read yet. */
  readonly unread: number;
  /** Resolves when the receiver has read everything, or the connection has ended. */
  taken(): Promise<void>;
  /** Ends the connection once everything sent has been read, or soon in any case. */
  end(): void;
  /** Limits how many streams of one connection hold a page at once; absent if it carries only this stream. */
  readonly pages?: Semaphore;
}

/** Maximum number of unread bytes before the stream pauses. */
const MAX_UNREAD = 65_536;
/** Time without reads after which a receiver is too slow, in milliseconds. */
const TOO_SLOW_MS = 30_000;
/** Maximum number of changes that wait for a stream that is about to catch up. */
const MAX_PENDING = 500;
const PAGE = { limit: 500, maxBytes: 1_048_576 } as const;
const RETRY_MS = 1_000;
/** Pause for transactions that are still open, in milliseconds. */
const WAIT_MS = 100;

export interface StreamDeps {
  readonly hub: Hub;
  readonly steps: FeedSteps;
  readonly cursors: FeedCursors;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Limits concurrent reads. */
  readonly reads: Semaphore;
  /**
   * Returns the interest with current permissions, after a change of visibility; null if the caller may no longer have
   * the stream.
   */
  readonly reload: (interest: Interest, mark: VisibilityChange | null) => Promise<Interest | null>;
  readonly count: (what: 'sent' | 'resyncs' | 'cut') => void;
  /** Called once, when the stream has ended. */
  readonly ended: () => void;
}

export interface StreamOptions {
  readonly sink: StreamSink;
  readonly interest: Interest;
  readonly from: FeedCursor;
  /** Sends only documents that match; null for all. */
  readonly where: Condition | null;
}

export type FeedStream = ReturnType<typeof createStream>;

/**
 * One open stream. It catches up separately, page by page, and is then served by the hub. If it falls behind, it leaves
 * the hub and catches up again.
 */
export function createStream(deps: StreamDeps, { sink, where, ...initial }: StreamOptions) {
  const { hub, steps, cursors, timers, logger, reads, count } = deps;
  const test = where === null ? null : createTest(where);
  let cursor: FeedCursor = initial.from;
  let state: 'behind' | 'live' | 'ended' = 'behind';
  /** Deliveries of the hub while the stream reads its last page; null if there were too many. */
  let pending: Delivery[] | null = null;
  /** Change of visibility to report next. */
  let changed: VisibilityChange | 'role' | 'expired' | null = null;
  let isReady = false;
  let isCatchingUp = false;
  /** True if the hub has read more since the stream, which it does not serve, began to read its last page. */
  let isOvertaken = false;
  let cancelMore: () => void = () => undefined;

  const hasEnded = () => state === 'ended';
  /** Returns true while the hub delivers everything that concerns the stream. */
  const isServed = () => state === 'live' && !member.interest.isPolled;
  const after = (wait: number) => new Promise<void>((resolve) => void timers.after(wait, resolve));

  function send(event: SentChange): void {
    sink.send(event);
    count('sent');
  }

  function end(code: ErrorCode | null): void {
    if (hasEnded()) return;
    state = 'ended';
    cancelMore();
    hub.leave(member);
    pending = null;
    if (code !== null) {
      sink.send({ type: 'end', code, message: ERRORS[code] });
      sink.end();
      count('cut');
    }
    deps.ended();
  }

  /**
   * Returns what to send of a readable document: gone if it does not match the filter (any more), null if it never
   * matched, because it has not changed since its creation.
   */
  function eventOf({ sent, document, gone }: Delivery): SentChange | null {
    if (test === null || document === null || test(document.resolve)) return sent;
    return document.version > 1 ? gone() : null;
  }

  function deliver(delivery: Delivery): void {
    const event = eventOf(delivery);
    // Streams share a connection: otherwise each of them would add a change to what is unread.
    if (event !== null && sink.unread >= MAX_UNREAD) {
      fallBehind();
      return;
    }
    cursor = { kind: 'change', epoch: cursor.epoch, place: delivery.place };
    if (event === null) return;
    send(event);
    if (sink.unread >= MAX_UNREAD) fallBehind();
  }

  /** Advances the cursor past changes that the hub has not delivered, because they do not concern the stream. */
  function skipTo(place: FeedPlace | null): void {
    if (place === null || cursor.kind !== 'change' || comparePlaces(place, cursor.place) <= 0) return;
    cursor = { ...cursor, place };
  }

  /** Keeps a delivery until the last page is read. */
  function defer(delivery: Delivery): void {
    pending?.push(delivery);
    if (pending !== null && pending.length > MAX_PENDING) pending = null;
  }

  function sendRead(change: Change, next: FeedCursor): void {
    cursor = next;
    const id = cursors.encode(next);
    if (test === null || change.type === 'gone' || test(documentResolver(change.document))) {
      send({ type: change.type, id, change });
    } else if (change.document.version > 1 && next.kind === 'change') {
      const { collection, id: of } = change.document;
      send({ type: 'gone', id, change: { type: 'gone', place: change.place, collection, id: of } });
    }
  }

  /** Waits until the receiver can accept more. Ends the stream if it reads nothing. */
  async function room(): Promise<void> {
    while (!hasEnded() && sink.unread >= MAX_UNREAD) {
      const before = sink.unread;
      let cancel: () => void = () => undefined;
      const limit = new Promise<void>((resolve) => {
        cancel = timers.after(TOO_SLOW_MS, resolve);
      });
      await Promise.race([sink.taken(), limit]);
      cancel();
      if (sink.unread >= before) end('changes.too_slow');
    }
  }

  /**
   * Reports a change of visibility, unless it is at or after the horizon, when a client would have to list again later.
   */
  async function resync(change: VisibilityChange | 'role' | 'expired'): Promise<void> {
    // The cursor first, so that later changes of permissions are found when the stream catches up.
    const { epoch, horizon } = await reads.run(steps.state);
    if (typeof change !== 'string' && change.position >= horizon) {
      await after(WAIT_MS);
      return;
    }
    const interest = await reads.run(() => deps.reload(member.interest, markOf(change, horizon)));
    if (hasEnded()) return;
    if (interest === null) {
      end(refusalOf(member.interest.reader.actor));
      return;
    }
    member.interest = interest;
    changed = null;
    cursor = { kind: 'change', epoch, place: { position: horizon, id: '' } };
    const reason = typeof change === 'string' ? change : change.reason;
    sink.send({ type: 'resync', id: cursors.encode(cursor), reason });
    count('resyncs');
  }

  async function sendPage({ changes, next }: Extract<FeedStep, { kind: 'page' }>): Promise<void> {
    for (const { change, cursor: behind } of changes) {
      await room();
      if (hasEnded()) return;
      sendRead(change, behind);
    }
    cursor = next;
  }

  function goLive(): void {
    const queued = pending ?? [];
    pending = null;
    state = 'live';
    if (!isReady) sink.send({ type: 'ready', id: cursors.encode(cursor) });
    isReady = true;
    for (const delivery of queued) member.deliver(delivery);
    if (isOvertaken) fallBehind();
  }

  /**
   * Joins the hub before a page is read, so that the hub keeps reading, and nothing is missed. Resolves to the place
   * after which the hub delivers, or says that there is more; null if it is not reading.
   */
  async function join(): Promise<FeedPlace | null> {
    await room();
    await hub.ready();
    if (changed !== null && !hasEnded()) await resync(changed);
    if (changed !== null || hasEnded()) return null;
    pending = [];
    isOvertaken = false;
    if (!member.interest.isPolled) return hub.join(member);
    cancelMore();
    cancelMore = hub.onMore(() => {
      isOvertaken = true;
      if (state === 'live') fallBehind();
    });
    return hub.place();
  }

  /** Resolves to true if the stream has now received everything up to the place at which it joined the hub. */
  async function take(step: FeedStep, joined: FeedPlace): Promise<boolean> {
    if (step.kind === 'resync') changed = step.mark ?? 'expired';
    if (step.kind === 'wait') await after(WAIT_MS);
    if (step.kind !== 'page') return false;
    await sendPage(step);
    if (hasEnded() || step.more || changed !== null || pending === null) return false;
    return cursor.kind === 'change' && comparePlaces(cursor.place, joined) >= 0;
  }

  /** Reads one page and sends it. Resolves to true if there is nothing more to do. */
  async function catchUpOnce(): Promise<boolean> {
    const joined = await join();
    if (joined === null) return hasEnded();
    const { reader, collections } = member.interest;
    const step = await reads.run(() => steps.read(reader, cursor, { collections, ...PAGE }));
    const isThere = !hasEnded() && (await take(step, joined));
    if (isThere) goLive();
    else hub.leave(member);
    return isThere;
  }

  async function run(): Promise<void> {
    for (let isDone = false; !isDone && !hasEnded(); ) {
      try {
        isDone = await (sink.pages?.run(catchUpOnce) ?? catchUpOnce());
      } catch (err) {
        hub.leave(member);
        const isPassing = isAppError(err) && err.code === 'storage.unavailable';
        logger[isPassing ? 'debug' : 'error']({ err }, 'reading for a stream of changes failed, retrying');
        await after(RETRY_MS);
      }
    }
    isCatchingUp = false;
    // There may be new work since the last step.
    if (state === 'behind') catchUp();
  }

  function catchUp(): void {
    if (isCatchingUp || hasEnded()) return;
    isCatchingUp = true;
    void run();
  }

  function fallBehind(): void {
    if (hasEnded()) return;
    if (isServed()) skipTo(hub.place());
    hub.leave(member);
    pending = null;
    state = 'behind';
    catchUp();
  }

  function change(to: VisibilityChange | 'role' | 'expired'): void {
    changed = to;
    fallBehind();
  }

  const member: HubMember & { interest: Interest } = {
    interest: initial.interest,
    required: where === null ? null : requiredValue(where),
    offered: 0,
    deliver(delivery) {
      if (hasEnded()) return;
      if (cursor.kind === 'change' && comparePlaces(delivery.place, cursor.place) <= 0) return;
      if (state === 'behind') defer(delivery);
      else deliver(delivery);
    },
    isPast: (position) => positionAt(cursor) > position,
    visibilityChanged: change,
    overtaken: fallBehind,
    expired: () => change('expired'),
  };

  catchUp();
  return {
    get interest() {
      return member.interest;
    },
    /** Called when the permissions of the reader differ from the stream's. */
    rightsChanged(): void {
      if (state === 'live') change('role');
    },
    /** Sends a heartbeat. */
    beat(): void {
      if (hasEnded() || sink.unread >= MAX_UNREAD) return;
      // A stream served by the hub is up to date with the hub's place, even if nothing was sent to it.
      sink.beat(isServed() ? hub.cursor() : null);
    },
    /** @param code null if the reader has disconnected */
    end,
  };
}
