import { randomBytes, randomInt } from 'node:crypto';
import { AppError, type Logger, type Signal } from '@baobab/core';
import { CHANGES, CHANGES_INTERVAL, createLocalSignals } from '../signals.ts';
import { createThrottle } from '../throttle.ts';
import { channelOf, createBarriers, LEASE_MS, MEMBERS } from './barriers.ts';
import { translate } from './errors.ts';
import { createSend } from './send.ts';
import type { PostgresSql, Servers } from './servers.ts';
import type { SessionCheck } from './session.ts';

export const CHANNEL = 'baobab';

/** The channel on which processes tell that they added to the change feed; programs that do not know it do not listen. */
const CHANGES_CHANNEL = 'baobab_changes';

const HEARTBEAT_MS = 1_000;
/** The first wait before another attempt to connect, and the longest one: each is twice as long as the one before. */
const RETRY_MS = { first: 200, most: 2_000 };
/** Attempts that may fail before it is reported: a restart of the server is over sooner. */
const FAILURES_REPORTED = 5;
/** How long a notification of this process may take to arrive. Milliseconds. */
const ECHO_MS = 10_000;
const ECHO = 'echo';
/** How long a process that shuts down tries to tell the others that it leaves. Milliseconds. */
const GOODBYE_LIMIT_MS = 1_000;

/**
 * The first half of the advisory locks that mark listening connections, an arbitrary number; the second half is the
 * member id.
 */
const MEMBER_LOCKS = 7_226_915;
const MAX_MEMBER_ID = 2 ** 31;

const TOPICS: readonly string[] = [
  'user',
  'session',
  'group',
  'settings',
  'roles',
  'collections',
  'push',
  'mail',
  'changes',
  'webhooks',
  'writer',
] satisfies Signal['topic'][];

function decodeSignal(payload: string): Signal | null {
  const at = payload.indexOf(':');
  const topic = payload.slice(0, at);
  // A topic of a newer version that we do not know may concern anything we cache.
  return TOPICS.includes(topic) ? { topic: topic as Signal['topic'], key: payload.slice(at + 1) } : null;
}

interface ListenerOptions {
  readonly servers: Servers;
  readonly session: SessionCheck;
  readonly logger: Logger;
  /** Sends a notification as signals are sent, where they are sent through other servers than it listens on. */
  readonly echo: ((channel: string, payload: string) => Promise<unknown>) | null;
}

/**
 * Receives the signals of every node over a listening connection of its own. While that connection is down or does not
 * answer, the feed is not live. When it is back, all listeners are told that signals may have been missed.
 */
export function createListener({ servers, session, logger, echo }: ListenerOptions) {
  let client: PostgresSql | null = null;
  /** The process of the server that listens. */
  let pid: number | null = null;
  /** Attempts that have failed since the last connection. */
  let failures = 0;
  let echoed: () => void = () => undefined;
  const closing = new AbortController();
  let live = false;
  /** Until when the connection is known to work; later signals may not have been delivered. */
  let leaseEnd = 0;
  let started = false;
  let closed = false;
  let timer: NodeJS.Timeout | null = null;
  /** The member id of the previous connection, for which nobody has to wait any more. */
  let formerId = '';
  /** Tells the others not to wait for this process. */
  let leave: () => Promise<unknown> = async () => undefined;
  const signals = createLocalSignals({
    get live() {
      return live && performance.now() < leaseEnd;
    },
  });
  const barriers = createBarriers({
    notify,
    catchUp: async () => connected()`select 1`,
  });
  /** Marks the signals of this process: its own listeners receive them at the commit. */
  const self = randomBytes(6).toString('base64url');

  /** Nobody waits for it, and a reader that it does not reach looks by itself soon. */
  const notifyOfChanges = createThrottle(() => {
    if (client !== null && live) notify(CHANGES_CHANNEL, self).catch(() => undefined);
  }, CHANGES_INTERVAL);

  /** @throws `storage.unavailable` */
  function connected(): PostgresSql {
    if (client === null) throw new AppError('storage.unavailable', { detail: 'no connection for notifications' });
    return client;
  }

  async function notify(channel: string, payload: string): Promise<void> {
    await connected()`select pg_notify(${channel}, ${payload})`;
  }

  /** The members that listen to the same database, except `id`. */
  const othersThan = async (id: number) =>
    connected()<{ id: string }[]>`
      select objid::text as id from pg_locks
      where locktype = 'advisory' and classid = ${MEMBER_LOCKS}::int and objid <> ${id}::int and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())`;

  function receive(channel: string, payload: string): void {
    if (channel === CHANGES_CHANNEL) {
      if (payload !== self) signals.deliver(CHANGES);
      return;
    }
    if (payload === ECHO) {
      echoed();
      return;
    }
    if (channel !== CHANNEL) {
      barriers.receive(channel, payload);
      return;
    }
    const at = payload.indexOf(':');
    if (payload.slice(0, at) !== self) signals.deliver(decodeSignal(payload.slice(at + 1)));
  }

  function schedule(step: () => Promise<void>, delay: number): void {
    if (closed) return;
    timer = setTimeout(() => void step(), delay);
    timer.unref();
  }

  function retry(): void {
    schedule(connect, Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** failures));
  }

  function lose(lost: PostgresSql | null): void {
    if (lost === null || client !== lost) return;
    client = null;
    session.forget();
    barriers.lose();
    if (live) {
      live = false;
      signals.deliver(null);
      if (!closed) logger.warn({}, 'notification connection lost, caching stopped until it is back');
    }
    void lost.end({ timeout: 0 }).catch(() => undefined);
    retry();
  }

  function report(error: unknown): void {
    if (++failures !== FAILURES_REPORTED) return;
    logger.warn({ err: translate(error) }, 'cannot listen for notifications, caching stays off until it works');
  }

  async function connect(): Promise<void> {
    let candidate: PostgresSql | null = null;
    try {
      candidate = await servers.connect({
        name: 'baobab listener',
        // Nothing that it writes has to survive a crash of the server; notifications do not either.
        settings: { synchronous_commit: 'off' },
        onnotify: receive,
        onclose: () => lose(candidate),
        signal: closing.signal,
      });
      client = candidate;
      const begun = performance.now();
      // Before anything that would stay on a connection of others.
      await session.check(createSend(candidate, { sent: 0, due: 0, heard: 0 }));
      await join(candidate);
      if (client !== candidate || closed) return;
      leaseEnd = begun + LEASE_MS;
    } catch (error) {
      if (closed) return;
      report(error);
      if (candidate === null) retry();
      else lose(candidate);
      return;
    }
    if (failures >= FAILURES_REPORTED) logger.info({}, 'notifications arrive again');
    failures = 0;
    live = true;
    signals.deliver(null);
    schedule(beat, HEARTBEAT_MS);
  }

  /** @throws `storage.misconfigured` when a notification that is sent as signals are does not arrive here */
  async function assertEcho(channel: string): Promise<void> {
    if (echo === null) return;
    const arrived = new Promise<true>((resolve) => {
      echoed = () => resolve(true);
    });
    await echo(channel, ECHO);
    const limit = new Promise((resolve) => setTimeout(resolve, ECHO_MS).unref());
    if ((await Promise.race([arrived, limit])) === true) return;
    throw new AppError('storage.misconfigured', { detail: 'notifications through DATABASE_URL do not arrive' });
  }

  /** After its last step others wait for this process, so it trusts no cache before. */
  async function join(candidate: PostgresSql): Promise<void> {
    const id = randomInt(MAX_MEMBER_ID);
    const own = channelOf(String(id));
    await candidate`listen ${candidate(CHANNEL)}; listen ${candidate(CHANGES_CHANNEL)}; listen ${candidate(MEMBERS)}; listen ${candidate(own)}`.simple();
    pid = await processOf(candidate);
    await assertEcho(own);
    if (client !== candidate) return;
    barriers.enter(String(id));
    await connected()`select pg_advisory_lock(${MEMBER_LOCKS}::int, ${id}::int)`;
    const others = await othersThan(id);
    await notify(MEMBERS, `join:${id}:${formerId}`);
    formerId = String(id);
    barriers.join(others.map((other) => other.id));
    leave = () => notify(MEMBERS, `leave:${id}`);
  }

  /**
   * Detects a connection that was cut silently, or that a pooler has replaced. An answer after the end of the lease does not count: others may have
   * stopped waiting for this process.
   */
  async function beat(): Promise<void> {
    const current = client;
    if (current === null || closed) return;
    const begun = performance.now();
    const limit = new Promise<'late'>((resolve) => setTimeout(resolve, Math.max(0, leaseEnd - begun), 'late').unref());
    const answer = processOf(current).then(
      (now) => (now === pid ? 'alive' : 'dead'),
      () => 'dead',
    );
    if ((await Promise.race([answer, limit])) === 'alive' && performance.now() < leaseEnd) {
      leaseEnd = begun + LEASE_MS;
      schedule(beat, HEARTBEAT_MS);
    } else lose(current);
  }

  async function processOf(sql: PostgresSql): Promise<number | null> {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid ?? null;
  }

  function start(): void {
    if (started) return;
    started = true;
    void connect();
  }

  return {
    feed: {
      get live() {
        return signals.feed.live;
      },
      subscribe(listener: (signal: Signal | null) => void) {
        start();
        return signals.feed.subscribe(listener);
      },
    },
    /** Connects again: signals are no longer sent through the server that it listens on. */
    renew: () => lose(client),
    /** Like `feed.subscribe`, but does not connect for it. */
    observe: signals.feed.subscribe,
    /** Delivers a signal to the listeners of this process. */
    deliver: signals.deliver,
    /** This process has added to the change feed. */
    changed(): void {
      signals.deliver(CHANGES);
      if (!barriers.isAlone) notifyOfChanges.call();
    },
    /** Encodes a signal as `receive` decodes it. */
    encode: ({ topic, key }: Signal) => `${self}:${topic}:${key}`,
    /** Resolves when every process has received what was committed before, or no longer trusts its caches. */
    heard(): Promise<void> {
      start();
      return barriers.heard();
    },
    async close(): Promise<void> {
      await barriers.settle();
      closed = true;
      live = false;
      closing.abort(new AppError('storage.unavailable', { detail: 'the database adapter is closed' }));
      notifyOfChanges.stop();
      if (timer !== null) clearTimeout(timer);
      const limit = new Promise((resolve) => setTimeout(resolve, GOODBYE_LIMIT_MS).unref());
      await Promise.race([leave().catch(() => undefined), limit]);
      const last = client;
      client = null;
      await last?.end({ timeout: 1 });
    },
  };
}
