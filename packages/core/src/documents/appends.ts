import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import { listName, parseTrace, SEVERAL, tracedWith } from './append-trace.ts';

/** How long a request may wait in a socket before its process starts to read it. Milliseconds. */
const UNREAD_MS = 2_000;
/** Allows for the delay between a write in another process and its acknowledgement, and for clock skew. Milliseconds. */
const FOREIGN_MS = 500;
/** Maximum number of elements whose time of acknowledgement is remembered. */
const MAX_ACKNOWLEDGED = 10_000;

/** The change that a call would make to a list. */
export interface ListChange {
  readonly index: number;
  /** `fill`: the free place at the given index; `replace`: an existing element; `push`: after the last element. */
  readonly kind: 'fill' | 'replace' | 'push';
}

/** Tracks one call that sets an element. */
export interface AppendWatch {
  /**
   * To be called with the change that the call would make now, and the current trace of the document.
   *
   * @returns the trace to store
   * @throws `field.index_taken` when it would replace an element that the caller may not know of
   */
  judge(change: ListChange, trace: string | null): string | null;
  /** The change judged last has been written. The same transaction may set the same index again, replacing it. */
  wrote(): void;
  /** The write has been rolled back: the call may be repeated, or end. */
  undo(): void;
  /** The call has ended and its write is acknowledged. */
  end(): void;
}

export interface Caller {
  /** The earliest time at which the call may have been sent, on the clock `steady`; null: the time at which it began. */
  readonly sentAfter: number | null;
}

export interface AppendWatchesDeps {
  /** Identifies this process among others. */
  readonly node: string;
  readonly clock: Clock;
  /** Milliseconds since some moment; never goes back. */
  readonly steady: () => number;
}

/**
 * Callers who set the index after the last element want to append. By the rules of paths the second of two such calls
 * would replace the element of the first, unnoticed. So an element is replaced only by a call that was sent after the
 * append was acknowledged. A process knows that of its own calls; appends of other processes are in the document's trace.
 */
export function createAppendWatches({ node, clock, steady }: AppendWatchesDeps) {
  /** The number of calls in progress that append, by place. */
  const claims = new Map<string, number>();
  /** When appends were acknowledged, the oldest first. */
  const acknowledged = new Map<string, number>();

  function release(key: string): void {
    const left = (claims.get(key) ?? 1) - 1;
    if (left === 0) claims.delete(key);
    else claims.set(key, left);
  }

  function acknowledge(key: string): void {
    acknowledged.delete(key);
    acknowledged.set(key, steady());
    if (acknowledged.size <= MAX_ACKNOWLEDGED) return;
    const [oldest] = acknowledged.keys();
    if (oldest !== undefined) acknowledged.delete(oldest);
  }

  /** @param place identifies a list of a document */
  return (place: string, caller: Caller): AppendWatch => {
    const begun = steady();
    const sentAfter = Math.max(caller.sentAfter ?? begun, begun - UNREAD_MS);
    const list = listName(place);
    /** The places where this call found no element and wants to append: false until that is written. */
    const own = new Map<string, boolean>();
    let last: string | null = null;

    const keyOf = (index: number) => `${index} ${place}`;

    function claim(key: string): void {
      if (!own.has(key)) claims.set(key, (claims.get(key) ?? 0) + 1);
      own.set(key, false);
    }

    /** Whether the element may have been appended by a call that was not acknowledged when this one was sent. */
    function mayBeNew(index: number, key: string, trace: string | null): boolean {
      if (own.has(key)) return own.get(key) === false;
      if (claims.has(key)) return true;
      const known = acknowledged.get(key);
      if (known !== undefined && known > sentAfter) return true;
      const sent = clock.now() - (steady() - sentAfter);
      return parseTrace(trace).some((append) => {
        const coversIndex = append.node === SEVERAL ? append.index <= index : append.index === index;
        if (append.list !== list || !coversIndex) return false;
        const isForeign = append.node !== node && append.node !== SEVERAL;
        return (isForeign || known === undefined) && append.at + FOREIGN_MS > sent;
      });
    }

    return {
      judge({ index, kind }, trace) {
        const key = keyOf(index);
        last = key;
        if (kind === 'replace') {
          if (mayBeNew(index, key, trace)) throw new AppError('field.index_taken', { detail: `[${index}]` });
          return trace;
        }
        claim(key);
        return tracedWith(parseTrace(trace), { node, list, index, at: clock.now() });
      },
      wrote() {
        if (last !== null && own.has(last)) own.set(last, true);
      },
      undo() {
        for (const key of own.keys()) own.set(key, false);
      },
      end() {
        for (const [key, isWritten] of own) {
          if (isWritten) acknowledge(key);
          release(key);
        }
        own.clear();
      },
    };
  };
}

/** Watches for a transaction of several calls: their lifetime is that of the transaction, not of each call. */
export function holdWatches(watchAppends: AppendWatches) {
  const held = new Map<string, AppendWatch>();
  return {
    watchAppends(place: string, caller: Caller): AppendWatch {
      const watch = held.get(place) ?? watchAppends(place, caller);
      held.set(place, watch);
      return { ...watch, end: () => undefined };
    },
    undo(): void {
      for (const watch of held.values()) watch.undo();
    },
    end(): void {
      for (const watch of held.values()) watch.end();
    },
  };
}

export type AppendWatches = ReturnType<typeof createAppendWatches>;
