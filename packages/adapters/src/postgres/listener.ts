import { randomBytes, randomInt } from 'node:crypto';
import { AppError, type Logger, type Signal } from '@baobab/core';
import postgres, { type Sql } from 'postgres';
import { CHANGES, CHANGES_INTERVAL, createLocalSignals } from '../signals.ts';
import { createThrottle } from '../throttle.ts';
import { channelOf, createBarriers, LEASE_MS, MEMBERS } from './barriers.ts';

export const CHANNEL = 'baobab';

/** The channel on which processes tell that they added to the change feed; programs that do not know it do not listen. */
const CHANGES_CHANNEL = 'baobab_changes';

const HEARTBEAT_MS = 1_000;
const RETRY_MS = 200;
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

/**
 * Receives the signals of every node over a listening connection of its own. While that connection is down or does not
 * answer, the feed is not live. When it is back, all listeners are told that signals may have been missed.
 */
export function createListener({ url, logger }: { url: string; logger: Logger }) {
  let client: Sql | null = null;
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
  function connected(): Sql {
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

  function lose(lost: Sql): void {
    if (client !== lost) return;
    client = null;
    barriers.lose();
    if (live) {
      live = false;
      signals.deliver(null);
      if (!closed) logger.warn({}, 'notification connection lost, caching stopped until it is back');
    }
    void lost.end({ timeout: 0 }).catch(() => undefined);
    schedule(connect, RETRY_MS);
  }

  async function connect(): Promise<void> {
    if (closed) return;
    const candidate: Sql = postgres(url, {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: 5,
      connection: {
        application_name: 'baobab listener',
        // Nothing that it writes has to survive a crash of the server; notifications do not either.
        ...({ synchronous_commit: 'off' } as object),
      },
      onnotice: () => undefined,
      onclose: () => lose(candidate),
      // Options of the driver that its types do not declare.
      ...({
        onnotify: receive,
        fetch_types: false,
      } as object),
    });
    client = candidate;
    const begun = performance.now();
    try {
      await join(candidate);
    } catch (err) {
      logger.debug({ err }, 'cannot listen for notifications yet, retrying');
      lose(candidate);
      return;
    }
    if (client !== candidate || closed) return;
    leaseEnd = begun + LEASE_MS;
    live = true;
    signals.deliver(null);
    schedule(beat, HEARTBEAT_MS);
  }

  /** After its last step others wait for this process, so it trusts no cache before. */
  async function join(candidate: Sql): Promise<void> {
    const id = randomInt(MAX_MEMBER_ID);
    const own = channelOf(String(id));
    await candidate`listen ${candidate(CHANNEL)}; listen ${candidate(CHANGES_CHANNEL)}; listen ${candidate(MEMBERS)}; listen ${candidate(own)}`.simple();
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
   * Detects a connection that was cut silently. An answer after the end of the lease does not count: others may have
   * stopped waiting for this process.
   */
  async function beat(): Promise<void> {
    const current = client;
    if (current === null || closed) return;
    const begun = performance.now();
    const limit = new Promise<'late'>((resolve) => setTimeout(resolve, Math.max(0, leaseEnd - begun), 'late').unref());
    const answer = current`select 1`.then(
      () => 'alive',
      () => 'dead',
    );
    if ((await Promise.race([answer, limit])) === 'alive' && performance.now() < leaseEnd) {
      leaseEnd = begun + LEASE_MS;
      schedule(beat, HEARTBEAT_MS);
    } else lose(current);
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
