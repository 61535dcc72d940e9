import { type Actor, isSignedIn } from '../actor.ts';
import { type ErrorCode, isAppError } from '../errors.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Signal } from '../ports/signals.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import { createSemaphore } from '../semaphore.ts';
import type { Authentication } from '../sessions/authentication.ts';
import { type createFeedReaders, type FeedReader, refusalOf } from './readers.ts';

/** Interval of the timer wheel, which visits one spoke of connections each time, in milliseconds. */
const SPOKE_MS = 1_000;
const SPOKES = 5;
/** Maximum number of concurrent checks after a signal. */
const MAX_CHECKS = 8;

/** Something that a caller holds open: a stream, or a connection that carries several. */
export interface HeldOpen {
  /** The caller with the permissions that were last loaded. */
  readonly reader: Pick<FeedReader, 'actor' | 'passwordHash'>;
  /** Number of turns of the wheel between two heartbeats; a turn takes five seconds. */
  readonly turnsPerBeat: number;
  /** Sends a heartbeat. */
  beat(): void;
  /** Called when the permissions or the name of the caller differ from `reader`. */
  rightsChanged(): void;
  /** Called when the caller may no longer hold it open. */
  end(code: ErrorCode): void;
}

interface Entry {
  readonly held: HeldOpen;
  /** Session token; null without a session. */
  readonly token: string | null;
}

export interface CallerWatchDeps {
  readonly storage: Storage;
  readonly authentication: Authentication;
  readonly secrets: Secrets;
  readonly timers: Timers;
  readonly readers: ReturnType<typeof createFeedReaders>;
}

function concerns({ topic, key }: Signal, { held }: Entry): boolean {
  const { actor } = held.reader;
  if (topic === 'roles') return isSignedIn(actor);
  if (topic === 'session') return actor.sessionId === key;
  return topic === 'user' && (actor.user ?? actor.key?.owner)?.id === key;
}

/** Everything about a caller that rules may name. */
const identityOf = ({ user, principals }: Actor) => String([user?.name, ...principals]);

const isRefusal = (error: unknown) => isAppError(error) && error.code === 'session.invalid';

/**
 * Checks the callers of everything held open: every five seconds, and when a signal concerns them. A check counts as a
 * use of the session.
 */
export function createCallerWatch({ storage, authentication, secrets, timers, readers }: CallerWatchDeps) {
  const spokes = Array.from({ length: SPOKES }, () => new Set<Entry>());
  const checks = createSemaphore({ running: MAX_CHECKS });
  let size = 0;
  let added = 0;
  let turn = 0;
  let cancelWheel: (() => void) | null = null;

  const every = (): Entry[] => spokes.flatMap((spoke) => Array.from(spoke));

  /** Returns the current state of the caller; null if they may no longer hold it open. */
  async function callerOf({ held, token }: Entry) {
    const { actor, passwordHash } = held.reader;
    if (!isSignedIn(actor)) return actor;
    if (token !== null) return authentication.byToken(token);
    const reader = await readers.stored(actor);
    return reader?.passwordHash === passwordHash ? reader.actor : null;
  }

  async function check(entry: Entry): Promise<void> {
    const { held } = entry;
    try {
      const caller = await callerOf(entry);
      const { actor } = held.reader;
      if (caller === null) held.end(refusalOf(actor));
      else if (identityOf(caller) !== identityOf(actor)) held.rightsChanged();
    } catch (error) {
      // If the storage is unavailable, the next turn of the wheel checks again.
      if (isRefusal(error)) held.end('session.invalid');
    }
  }

  function visitSpoke(): void {
    turn++;
    const rounds = Math.floor(turn / SPOKES);
    for (const entry of spokes[turn % SPOKES] ?? []) {
      if (rounds % entry.held.turnsPerBeat === 0) entry.held.beat();
      void check(entry);
    }
  }

  function turnWheel(): void {
    cancelWheel = timers.after(SPOKE_MS, () => {
      cancelWheel = null;
      visitSpoke();
      if (size > 0) turnWheel();
    });
  }

  const unsubscribe = storage.signals.subscribe({
    topics: ['user', 'session', 'roles'],
    hear(signal) {
      if (size === 0) return;
      const concerned = every().filter((entry) => signal === null || concerns(signal, entry));
      // Signals arrive here after every cache has received them.
      for (const entry of concerned) void checks.run(() => check(entry));
    },
  });

  return {
    /** Watches the caller until the returned function is called. */
    add(held: HeldOpen): () => void {
      const { sessionId } = held.reader.actor;
      const entry = { held, token: sessionId === null ? null : secrets.sign(sessionId) };
      const spoke = spokes[++added % SPOKES];
      spoke?.add(entry);
      size++;
      if (cancelWheel === null) turnWheel();
      return () => {
        if (spoke?.delete(entry) === true) size--;
      };
    },

    endAll(code: ErrorCode): void {
      for (const { held } of every()) held.end(code);
    },

    dispose(): void {
      unsubscribe();
      cancelWheel?.();
    },
  };
}
