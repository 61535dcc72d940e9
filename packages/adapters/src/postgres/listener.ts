import { randomBytes, randomInt } from 'node:crypto';
import { AppError, type Logger, type Signal } from '@baobab/core';
import { CHANGES, CHANGES_INTERVAL, createLocalSignals } from '../signals.ts';
import { createThrottle } from '../throttle.ts';
import { channelOf, createBarriers, LEASE_MS, MEMBERS } from './barriers.ts';
import { translate } from './errors.ts';
import { MEMBER_LOCKS } from './members.ts';
import { createSend } from './send.ts';
import type { PostgresSql, Servers } from './servers.ts';
import type { SessionCheck } from './session.ts';

export const CHANNEL = 'baobab';

/** Channel for additions to the change feed. Programs that do not know it do not listen. */
const CHANGES_CHANNEL = 'baobab_changes';

const HEARTBEAT_MS = 1_000;
/** Wait before another attempt to connect, doubled after each failure. */
const RETRY_MS = { first: 200, most: 2_000 };
/** Failed attempts before a report. A restart of the server takes less time. */
const FAILURES_REPORTED = 5;
/** Maximum time for a notification of this process to arrive, in milliseconds. */
const ECHO_MS = 10_000;
const ECHO = 'echo';
/** Maximum time for announcing to the others that this process is leaving, in milliseconds. */
const GOODBYE_LIMIT_MS = 1_000;

const MAX_MEMBER_ID = 2 ** 31;

/** A signal, or the announcement of a user who has written, for processes that read replicas. */
export type NodeSignal = Signal | { readonly topic: 'writer'; readonly key: string };

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
  'rooms',
] satisfies NodeSignal['topic'][];

function decodeSignal(payload: string): NodeSignal | null {
  const at = payload.indexOf(':');
  const topic = payload.slice(0, at);
  // An unknown topic of a newer version may concern anything in our caches.
  return TOPICS.includes(topic) ? { topic: topic as NodeSignal['topic'], key: payload.slice(at + 1) } : null;
}

interface ListenerOptions {
  readonly servers: Servers;
  readonly session: SessionCheck;
  readonly logger: Logger;
  /** Sends a notification like a signal. Null if signals go through the servers that it listens on. */
  readonly echo: ((channel: string, payload: string) => Promise<unknown>) | null;
}

/**
 * Receives the signals of every node over a separate connection. While that connection is down or does not answer,
 * the feed is not live. When it is back, all listeners learn that signals may have been missed.
 */
export function createListener({ servers, session, logger, echo }: ListenerOptions) {
  let client: PostgresSql | null = null;
  /** Id of the server process that listens. */
  let pid: number | null = null;
  /** Failed attempts since the last connection. */
  let failures = 0;
  let echoed: () => void = () => undefined;
  let hearWriter: (key: string) => void = () => undefined;
  const closing = new AbortController();
  let live = false;
  /** Time until which the connection is known to work. Later signals may be undelivered. */
  let leaseEnd = 0;
  let started = false;
  let closed = false;
  let timer: NodeJS.Timeout | null = null;
  /** Member id of the previous connection. The others need not wait for it. */
  let formerId = '';
  /** Announces that this process is leaving. */
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
  /** Marks the signals of this process, whose own listeners receive them at the commit. */
  const self = randomBytes(6).toString('base64url');

  /** Errors are ignored: nothing waits for it, and readers that miss it soon check on their own. */
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

  /** Returns the members that listen to the same database, except `id`. */
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
    if (payload.slice(0, at) === self) return;
    const signal = decodeSignal(payload.slice(at + 1));
    if (signal?.topic === 'writer') hearWriter(signal.key);
    else signals.deliver(signal);
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
        // None of its writes must survive a crash of the server, nor do notifications.
        settings: { synchronous_commit: 'off' },
        onnotify: receive,
        onclose: () => lose(candidate),
        signal: closing.signal,
      });
      client = candidate;
      const begun = performance.now();
      // Before anything that would remain on a shared connection.
      await session.check(createSend(candidate, { due: 0, heard: 0 }));
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

  /** @throws `storage.misconfigured` if a notification sent like a signal does not arrive here */
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

  /** Joins the members. After its last step the others wait for this process, so it trusts no cache before. */
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
   * Detects a connection that was cut silently, or replaced by a pooler. An answer after the end of the lease does
   * not count, since other processes may have stopped waiting for this one.
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
    /** Reconnects, after the target of signals has moved to another server than the one that it listens on. */
    renew: () => lose(client),
    /** Like `feed.subscribe`, without connecting. */
    observe: signals.feed.subscribe,
    /** Passes the writers announced by other processes to `hear`. */
    onWriter(hear: (key: string) => void): void {
      hearWriter = hear;
    },
    /** Delivers a signal to the listeners of this process. */
    deliver: signals.deliver,
    /** Reports that this process added to the change feed. */
    changed(): void {
      signals.deliver(CHANGES);
      if (!barriers.isAlone) notifyOfChanges.call();
    },
    /** Encodes a signal for `receive`. */
    encode: ({ topic, key }: NodeSignal) => `${self}:${topic}:${key}`,
    /** Resolves when every process has received everything committed before, or no longer trusts its caches. */
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
