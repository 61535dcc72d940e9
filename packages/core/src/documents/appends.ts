import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import { listName, parseTrace, SEVERAL, tracedWith } from './append-trace.ts';

/** An unread request waits so long at most before its process begins with it. Milliseconds. */
const UNREAD_MS = 2_000;
/** Between writing an element in another process and acknowledging it, and between two clocks. Milliseconds. */
const FOREIGN_MS = 500;
/** Elements of which it is known when they were acknowledged. */
const MAX_ACKNOWLEDGED = 10_000;

/** What a call would do to a list. */
export interface ListChange {
  readonly index: number;
  /** `fill` the free place at the index that was named, `replace` what is there, `push` behind whatever is there. */
  readonly kind: 'fill' | 'replace' | 'push';
}

/** What is known of one call that sets an element. */
export interface AppendWatch {
  /**
   * Called with each judgement of what the call would do now, and the trace that the document carries.
   *
   * @returns the trace to keep
   * @throws `field.index_taken` when it would replace an element that the caller may not know of
   */
  judge(change: ListChange, trace: string | null): string | null;
  /** What was judged last has been written. Setting the same index again, in the same transaction, replaces it. */
  wrote(): void;
  /** What was written has been undone: the call may begin again, or end. */
  undo(): void;
  /** The call has ended, and what it wrote is acknowledged. */
  end(): void;
}

export interface Caller {
  /** No earlier than this the call was sent, on the clock `steady`; null: when it began. */
  readonly sentAfter: number | null;
}

export interface AppendWatchesDeps {
  /** Tells this process from others. */
  readonly node: string;
  readonly clock: Clock;
  /** Milliseconds since some moment; never goes back. */
  readonly steady: () => number;
}

/**
 * Callers who set an index that does not exist want to append. By the rules of paths the second of two such calls would
 * replace what the first appended, and nobody would notice. So an element is replaced only by a call that was sent after
 * the append was acknowledged: one process knows that of its own calls; of others the document carries a trace.
 */
export function createAppendWatches({ node, clock, steady }: AppendWatchesDeps) {
  /** How many calls under way append there. */
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

  /** @param place tells lists of documents apart */
  return (place: string, caller: Caller): AppendWatch => {
    const begun = steady();
    const sentAfter = Math.max(caller.sentAfter ?? begun, begun - UNREAD_MS);
    const list = listName(place);
    /** Where it found no element and wants to append: false until that is written. */
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
        const isHere = append.node === SEVERAL ? append.index <= index : append.index === index;
        if (append.list !== list || !isHere) return false;
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

/** Watches for a transaction of several calls: they begin together with it, and end with it, not with each call. */
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
