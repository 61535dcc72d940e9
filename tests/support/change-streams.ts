import { createMemoryStorage } from '@baobab/adapters/memory';
import { createNodeSecrets } from '@baobab/adapters/system';
import {
  type Actor,
  createActor,
  createAuthentication,
  createChangeStreams,
  createKnownClients,
  createPasswordForms,
  createPolicies,
  createSettings,
  NO_HOOKS,
  NO_LOCKOUT,
  RIGHTS,
  type StreamEvent,
  type StreamSink,
  type Timers,
  type VisibilityMark,
} from '@baobab/core';
import { addCollection, addUser, newDocument } from '../../packages/contracts/src/storage/fixtures.ts';
import { testAudit } from './audit.ts';
import { createHandDrivenClock, trusting } from './clock.ts';
import { until } from './patience.ts';

const nothing = () => undefined;
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Timers that pass quickly, except for long ones, which pass when the test says so. */
function createTimers() {
  const long = new Set<() => void>();
  const short = new Set<NodeJS.Timeout>();
  const timers: Timers = {
    after(milliseconds, work) {
      if (milliseconds >= 30_000) {
        const call = () => {
          if (long.delete(call)) work();
        };
        long.add(call);
        return () => long.delete(call);
      }
      const timer = setTimeout(
        () => {
          short.delete(timer);
          work();
        },
        Math.min(milliseconds, 50),
      );
      short.add(timer);
      return () => {
        short.delete(timer);
        clearTimeout(timer);
      };
    },
  };
  return {
    timers,
    passLong: () => {
      for (const call of Array.from(long)) call();
    },
    get waiting() {
      return long.size + short.size;
    },
  };
}

/** A receiver that takes everything, or nothing while it is `stuck`. */
function createReceiver() {
  const events: StreamEvent[] = [];
  let unread = 0;
  let isStuck = false;
  let hasEnded = false;
  const beats: (string | null)[] = [];
  let release: () => void = nothing;
  const sink: StreamSink = {
    send(event) {
      events.push(event);
      if (isStuck) unread += 100_000;
    },
    beat: (id) => void beats.push(id),
    get unread() {
      return unread;
    },
    taken: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
    end() {
      hasEnded = true;
    },
  };
  const line = (event: StreamEvent): string => {
    if (event.type === 'resync') return `resync ${event.reason}`;
    return event.type === 'end' ? `end ${event.code}` : event.type;
  };
  const lines = () => events.map(line);
  const ids = () =>
    events.flatMap((event) => (event.type === 'put' && event.change.type === 'put' ? [event.change.document.id] : []));
  return {
    ids,
    sink,
    events,
    lines,
    has: (wanted: string) => until(() => lines().includes(wanted)),
    /** For whatever reason: what ends a right may be noticed by a look at the session before it is read from the feed. */
    hasResync: () => until(() => lines().some((line) => line.startsWith('resync'))),
    stick() {
      isStuck = true;
    },
    takeAll() {
      isStuck = false;
      unread = 0;
      release();
    },
    get hasEnded() {
      return hasEnded;
    },
    get beats() {
      return beats;
    },
  };
}

const opened: { dispose(): void }[] = [];
let clients = 0;

/** To be called after each test. */
export function disposeStreams(): void {
  for (const one of opened.splice(0).reverse()) one.dispose();
}

/** Streams of changes on a storage in memory, with two users and a collection. */
export async function prepareStreams(maxStreams = 100) {
  const storage = createMemoryStorage();
  const [clock, secrets, hand] = [createHandDrivenClock(), createNodeSecrets('a key for tests'), createTimers()];
  const audit = testAudit();
  const settings = createSettings({ storage, secrets, clock, logger });
  const policies = createPolicies({ storage, clock });
  const passwords = createPasswordForms({ hash: async () => '', verify: async () => true });
  const deps = { storage, clock, secrets, logger, settings, audit };
  const knownClients = createKnownClients({ secrets });
  const authentication = createAuthentication({
    ...deps,
    passwords,
    guesses: NO_LOCKOUT,
    knownClients,
    hooks: NO_HOOKS,
    timeWatch: trusting(clock),
  });
  const gauges = { add: nothing };
  const { timers } = hand;
  const streams = createChangeStreams({ ...deps, policies, authentication, gauges, timers, maxStreams });
  opened.push(settings, policies, authentication, streams);
  const [author, reader] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  const books = await addCollection(storage, 'books');

  async function actorOf(user: typeof reader, groups: readonly string[] = []): Promise<Actor> {
    const id = secrets.token();
    await storage.sessions.add({ id, userId: user.id, created: clock.now(), lastUsed: clock.now(), deviceId: null });
    return createActor({ id: user.id, name: user.name, role: user.role }, id, groups);
  }

  /** A document that a principal may read. */
  const share = (principal: string) => {
    const document = newDocument(author.id, books, { grants: [{ principal, rights: RIGHTS.read }] });
    return storage.documents.add(document).then(() => document.id);
  };

  async function open(actor: Actor, since: string | null = null) {
    const receiver = createReceiver();
    const wanted = { since, collections: ['books'], where: null, address: `10.0.${clients++}.1` };
    const close = await streams.open(actor, wanted, () => receiver.sink);
    return { ...receiver, close, receiver };
  }

  const mark = (visibility: VisibilityMark) =>
    storage.transaction((stores) => stores.changes.markVisibility([visibility], clock.now())).then(() => undefined);
  const stop = () => streams.stop();
  const dispose = () => streams.dispose();
  return { storage, stop, dispose, hand, author, reader, actorOf, share, open, mark, clock };
}
