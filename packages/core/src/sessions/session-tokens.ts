import { groupPrincipal } from '../access.ts';
import { createActor, type SignedInActor } from '../actor.ts';
import { type BoundedCache, createBoundedCache, isFresh } from '../caches.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Signal } from '../ports/signals.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Maximum number of recorded uses per timeout. The record is late by up to 1/30 of the timeout. */
const RECORDS_PER_TIMEOUT = 30;

/** Session data for `hasEnded`. */
export interface TimedSession {
  /** In milliseconds. */
  readonly created: number;
  /** In milliseconds. */
  readonly lastUsed: number;
  /** True for the session of a guest. */
  readonly guest: boolean;
}

/** Returns how long guests are stored after their last visit, in milliseconds; 0 = forever. */
export const guestTimeoutOf = (values: SettingValues) => values['guests.expire.days'] * DAY;

/**
 * Returns how long a session lasts without use, in milliseconds; 0 = forever. A guest's session lasts as long as the
 * guest, who could not log in again.
 */
export const timeoutOf = (values: SettingValues, guest = false) =>
  guest ? guestTimeoutOf(values) : values['session_tokens.timeout'] * MINUTE;

/** Returns how long a session lasts after its beginning, in milliseconds; 0 = forever. */
export const lifetimeOf = (values: SettingValues) => values['session_tokens.lifetime'] * MINUTE;

/**
 * Returns how long after its recorded last use a session may still be valid, in milliseconds. Adds one recording
 * interval, so that a session in use never expires.
 */
export const lasting = (timeout: number) => timeout + timeout / RECORDS_PER_TIMEOUT;

/** Returns true if a session has ended: for lack of use or, except for guests, because its lifetime is over. */
export function hasEnded({ lastUsed, created, guest }: TimedSession, now: number, values: SettingValues): boolean {
  const timeout = timeoutOf(values, guest);
  if (timeout > 0 && now - lastUsed > lasting(timeout)) return true;
  const lifetime = lifetimeOf(values);
  return lifetime > 0 && !guest && now - created >= lifetime;
}

/**
 * Interval of recording the last use if sessions do not expire, for the list of sessions shown to users. In
 * milliseconds.
 */
const RECORD_INTERVAL_WITHOUT_EXPIRY = 60_000;

function isRecordDue(lastUsed: number, now: number, timeout: number): boolean {
  return now - lastUsed >= (timeout > 0 ? timeout / RECORDS_PER_TIMEOUT : RECORD_INTERVAL_WITHOUT_EXPIRY);
}

const SESSION_CACHE_SIZE = 20_000;
/** Cached result of an authentication. */
export interface CachedActor {
  readonly actor: SignedInActor;
  /** Time at which the entry was read from the storage, in milliseconds. */
  readonly since: number;
}

interface CachedSession extends CachedActor, TimedSession {
  /** Last use known to this process, in milliseconds. */
  lastUsed: number;
  /** Last use recorded in the storage, in milliseconds. */
  recorded: number;
}

/** Topics of signals after which the rights of an actor may have changed. */
export const ACTOR_TOPICS = ['roles', 'group', 'user'] as const satisfies readonly Signal['topic'][];

/** Drops the actors whose rights a signal may have changed. */
export function forgetActors<Cached extends CachedActor>(
  cache: BoundedCache<string, Cached>,
  signal: Signal | null,
): void {
  if (signal === null || signal.topic === 'roles') cache.clear();
  else if (signal.topic === 'group') {
    const group = groupPrincipal(signal.key);
    cache.deleteWhere(({ actor }) => actor.principals.includes(group));
  } else if (signal.topic === 'user') cache.deleteWhere(({ actor }) => actor.user.id === signal.key);
}

interface SessionTokensDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsReader;
  readonly timeWatch: Pick<TimeWatch, 'earliest' | 'latest'>;
}

/** Authenticates by session token. */
export function createSessionTokens(deps: SessionTokensDeps) {
  const { storage, secrets, clock, logger, settings, timeWatch } = deps;
  const sessions: BoundedCache<string, CachedSession> = createBoundedCache(SESSION_CACHE_SIZE);
  /** Number of signals. An entry read before a signal is not cached after it. */
  let generation = 0;

  function forget(signal: Signal | null): void {
    generation++;
    if (signal?.topic === 'session') for (const token of secrets.signatures(signal.key)) sessions.delete(token);
    else forgetActors(sessions, signal);
  }
  const unsubscribe = storage.signals.subscribe({ topics: [...ACTOR_TOPICS, 'session'], hear: forget });

  /** Asks for the earliest time only if the session seems to have ended: the steady clock costs more than a request should. */
  const isOver = (session: TimedSession, now: number, values: SettingValues) =>
    hasEnded(session, now, values) && hasEnded(session, timeWatch.earliest(), values);

  /** Records the use in the background, without delaying the request. After a failure the next use tries again. */
  function recordUse(token: string, cached: CachedSession, now: number): void {
    const before = cached.recorded;
    cached.recorded = now;
    const { sessionId: id, user } = cached.actor;
    if (id === null) return;
    const at = timeWatch.latest();
    const seen = cached.guest ? storage.users.seen(user.id, at) : null;
    Promise.all([storage.sessions.touch(id, at), seen]).then(
      ([exists]) => {
        if (!exists) sessions.delete(token);
      },
      (err: unknown) => {
        cached.recorded = before;
        logger.warn({ err }, 'use of session not recorded');
      },
    );
  }

  function use(token: string, cached: CachedSession, now: number, timeout: number): SignedInActor {
    cached.lastUsed = now;
    if (isRecordDue(cached.recorded, now, timeout)) recordUse(token, cached, now);
    return cached.actor;
  }

  async function readSession(token: string): Promise<SignedInActor> {
    const id = secrets.unsign(token);
    if (id === null) throw new AppError('session.invalid');
    const before = generation;
    const [found, values] = await Promise.all([storage.sessions.find(id), settings.current()]);
    const now = clock.now();
    if (found?.user.status !== 'ACTIVE') throw new AppError('session.invalid');
    const { guest } = found;
    const { created, lastUsed } = found.session;
    const { id: userId, name, role, groups } = found.user;
    const actor = createActor({ id: userId, name, role }, id, groups);
    const cached: CachedSession = { actor, since: now, lastUsed, recorded: lastUsed, created, guest };
    if (isOver(cached, now, values)) throw new AppError('session.invalid');
    if (before === generation) sessions.set(token, cached);
    return use(token, cached, now, timeoutOf(values, guest));
  }

  return {
    /** Returns the user of a session token. @throws `session.invalid` */
    async byToken(token: string): Promise<SignedInActor> {
      if (sessions.get(token) === undefined) return readSession(token);
      const values = await settings.current();
      const cached = sessions.get(token); // a signal may have dropped it meanwhile
      if (cached === undefined) return readSession(token);
      const now = clock.now();
      if (isFresh(cached.since, now, storage.signals) && !isOver(cached, now, values)) {
        return use(token, cached, now, timeoutOf(values, cached.guest));
      }
      sessions.delete(token);
      return readSession(token);
    },

    /** Unsubscribes from signals. */
    dispose: unsubscribe,
  };
}
