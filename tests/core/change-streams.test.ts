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
  groupPrincipal,
  MAX_MARKS,
  NO_LOCKOUT,
  type Storage,
  type StreamEvent,
  type StreamSink,
  type Timers,
  userPrincipal,
  type VisibilityMark,
} from '@baobab/core';
import { afterEach, describe, expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, newDocument } from '../../packages/contracts/src/storage/fixtures.ts';
import { testAudit } from '../support/audit.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { until } from '../support/patience.ts';

const READ = 1;
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
          long.delete(call);
          work();
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
  let beats = 0;
  let release: () => void = nothing;
  const sink: StreamSink = {
    send(event) {
      events.push(event);
      if (isStuck) unread += 100_000;
    },
    beat: () => void beats++,
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
    if (event.type === 'put') return 'put';
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
afterEach(() => {
  for (const one of opened.splice(0).reverse()) one.dispose();
});

async function prepare(maxStreams = 100) {
  const storage = createMemoryStorage();
  const [clock, secrets, hand] = [createHandDrivenClock(), createNodeSecrets('a key for tests'), createTimers()];
  const audit = testAudit();
  const settings = createSettings({ storage, secrets, clock, logger });
  const policies = createPolicies({ storage, clock });
  const passwords = createPasswordForms({ hash: async () => '', verify: async () => true });
  const deps = { storage, clock, secrets, logger, settings, audit };
  const knownClients = createKnownClients({ secrets });
  const authentication = createAuthentication({ ...deps, passwords, guesses: NO_LOCKOUT, knownClients });
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
    const document = newDocument(author.id, books, { grants: [{ principal, rights: READ }] });
    return storage.documents.add(document).then(() => document.id);
  };

  async function open(actor: Actor, since: string | null = null) {
    const receiver = createReceiver();
    const wanted = { since, collections: ['books'], where: null, address: `10.0.${clients++}.1` };
    const close = await streams.open(actor, wanted, () => receiver.sink);
    return { ...receiver, close, receiver };
  }

  const mark = (visibility: VisibilityMark) =>
    storage.transaction((stores) => stores.changes.markVisibility(visibility, clock.now())).then(() => undefined);
  return { storage, streams, hand, author, reader, actorOf, share, open, mark, clock };
}

describe('a stream', () => {
  it('is told to list again when a mark concerns it, and then has the new rights', async () => {
    const { storage, reader, author, actorOf, open, mark, share, clock } = await prepare();
    const group = { id: '01890000-0000-7000-8000-00000000000a', name: 'Friends', created: clock.now() };
    await storage.groups.add(group, author.id);
    const [own, other] = [await open(await actorOf(reader)), await open(await actorOf(author, [group.id]))];
    for (const { has } of [own, other]) await has('ready');
    await share(groupPrincipal(group.id));
    await storage.transaction(async (stores) => {
      await stores.groups.setRole(group.id, reader.id, 'member', { joined: clock.now(), counted: false });
      await stores.changes.markVisibility({ audience: userPrincipal(reader.id), collection: null, reason: 'group' }, 0);
    });
    await own.hasResync();
    await share(groupPrincipal(group.id));
    await own.has('put');
    expect(own.lines().filter((line) => !line.startsWith('resync'))).toEqual(['ready', 'put']);
    expect(other.lines()).toEqual(['ready', 'put', 'put']);
    await mark({ audience: '*', collection: 'films', reason: 'collection' });
    await mark({ audience: '*', collection: 'books', reason: 'collection' });
    for (const { has } of [own, other]) await has('resync collection');
    expect(other.lines().filter((line) => line.startsWith('resync'))).toEqual(['resync collection']);
  });

  it('gets nothing by rights that ended in the same transaction', async () => {
    const { storage, reader, author, actorOf, open, share, clock } = await prepare();
    const group = { id: '01890000-0000-7000-8000-00000000000a', name: 'Friends', created: clock.now() };
    await storage.groups.add(group, author.id);
    await storage.groups.setRole(group.id, reader.id, 'member', { joined: clock.now(), counted: false });
    const id = await share(groupPrincipal(group.id));
    const { has, lines, hasResync } = await open(await actorOf(reader, [group.id]));
    await has('ready');
    const scope = { everything: true, owner: null, principals: [], followed: false, ruled: 0 };
    await storage.transaction(async (stores) => {
      const change = { content: '{"secret":true}', updated: 1, version: null };
      await stores.documents.replace({ collection: 'books', id }, scope, change);
      await stores.groups.removeMember(group.id, reader.id);
      await stores.changes.markVisibility({ audience: userPrincipal(reader.id), collection: null, reason: 'group' }, 0);
    });
    await hasResync();
    await share(userPrincipal(reader.id));
    await has('put');
    expect(lines().filter((line) => !line.startsWith('resync'))).toEqual(['ready', 'put']);
  });

  it('gets nothing by rights that ended before somebody else was given a document that changed earlier', async () => {
    const { storage, reader, author, actorOf, open, share, clock } = await prepare();
    const group = { id: '01890000-0000-7000-8000-00000000000a', name: 'Friends', created: clock.now() };
    await storage.groups.add(group, author.id);
    await storage.groups.setRole(group.id, reader.id, 'member', { joined: clock.now(), counted: false });
    const { changes } = storage;
    Object.assign(storage, {
      changes: { ...changes, readAll: (wanted) => changes.readAll({ ...wanted, limit: 1 }) },
    } satisfies Partial<Storage>);
    const { has, lines, hasResync } = await open(await actorOf(reader, [group.id]));
    await has('ready');
    const id = await share(userPrincipal(author.id));
    await storage.transaction(async (stores) => {
      await stores.groups.removeMember(group.id, reader.id);
      await stores.changes.markVisibility({ audience: userPrincipal(reader.id), collection: null, reason: 'group' }, 0);
    });
    await storage.documents.grant({ collection: 'books', id }, EVERYTHING, {
      principal: groupPrincipal(group.id),
      rights: READ,
    });
    await hasResync();
    await share(userPrincipal(reader.id));
    await has('put');
    expect(lines().filter((line) => !line.startsWith('resync'))).toEqual(['ready', 'put']);
  });

  it('has a document where it changed, and not where others were given it', async () => {
    const { storage, reader, author, actorOf, open, share } = await prepare();
    const [own, other] = [await open(await actorOf(author)), await open(await actorOf(reader))];
    for (const { has } of [own, other]) await has('ready');
    const [first, second] = [await share(userPrincipal(author.id)), await share(userPrincipal(author.id))];
    await storage.documents.grant({ collection: 'books', id: first }, EVERYTHING, {
      principal: userPrincipal(reader.id),
      rights: READ,
    });
    const third = await share(userPrincipal(reader.id));
    await until(() => own.ids().includes(third) && other.ids().includes(third));
    expect(own.ids()).toEqual([first, second, third]);
    expect(other.ids()).toEqual([first, third]);
  });

  it('goes on by itself when the rights of very many others have changed', async () => {
    const { storage, reader, actorOf, open, share } = await prepare();
    const { has, lines } = await open(await actorOf(reader));
    await has('ready');
    await storage.transaction(async ({ changes }) => {
      for (let i = 0; i <= MAX_MARKS; i++) {
        await changes.markVisibility({ audience: userPrincipal(`${i}`), collection: null, reason: 'role' }, 0);
      }
    });
    await share(userPrincipal(reader.id));
    await has('put');
    await share(userPrincipal(reader.id));
    await until(() => lines().length === 3);
    expect(lines()).toEqual(['ready', 'put', 'put']);
  });

  it('ends instead when its session has ended before it could list again', async () => {
    const { storage, reader, actorOf, open, mark } = await prepare();
    const actor = await actorOf(reader);
    const { has } = await open(actor);
    await has('ready');
    await storage.sessions.remove(actor.sessionId ?? '');
    await mark({ audience: userPrincipal(reader.id), collection: null, reason: 'role' });
    await has('end session.invalid');
  });

  it('of a slow reader waits, then has only the newest states, and ends if the reader takes nothing', async () => {
    const { storage, reader, actorOf, open, share, hand } = await prepare();
    const { receiver, has, lines, events } = await open(await actorOf(reader));
    await has('ready');
    receiver.stick();
    const principal = userPrincipal(reader.id);
    const first = await share(principal);
    await has('put');
    const address = { collection: 'books', id: first };
    const scope = { everything: true, owner: null, principals: [], followed: false, ruled: 0 };
    for (let n = 2; n < 20; n++) {
      await storage.documents.replace(address, scope, { content: `{"n":${n}}`, updated: n, version: null });
    }
    await until(() => hand.waiting > 0);
    expect(lines()).toEqual(['ready', 'put']);
    receiver.takeAll();
    await until(() => lines().length === 3);
    const last = events.at(-1);
    expect(last?.type === 'put' && last.change.type === 'put' && last.change.document.version).toBe(19);
    receiver.stick();
    await share(principal);
    await until(() => lines().length === 4);
    await until(() => {
      hand.passLong();
      return receiver.hasEnded;
    });
    expect(lines().at(-1)).toBe('end changes.too_slow');
  });

  it('of a user who follows very many has what they write', async () => {
    const { storage, reader, author, actorOf, open, share } = await prepare();
    for (let n = 0; n < 1_001; n++) {
      const followed = await addUser(storage, `followed${n}`);
      await storage.follows.add(reader.id, followed.id);
    }
    await storage.follows.add(reader.id, author.id);
    const { has, lines } = await open(await actorOf(reader));
    await has('ready');
    await share(userPrincipal(author.id));
    await has('put');
    expect(lines()).toEqual(['ready', 'put']);
  });

  it('is kept alive, and leaves no timer and no place behind', async () => {
    const { streams, hand, reader, author, actorOf, open } = await prepare(2);
    const [one, two] = [await open(await actorOf(reader)), await open(await actorOf(author))];
    await expect(actorOf(reader).then((actor) => open(actor))).rejects.toMatchObject({ code: 'changes.unavailable' });
    await until(() => one.receiver.beats > 0 && two.receiver.beats > 0);
    one.close();
    const again = await open(await actorOf(reader));
    await again.has('ready');
    streams.stop();
    expect(two.lines().at(-1)).toBe('end service.stopping');
    await expect(actorOf(reader).then((actor) => open(actor))).rejects.toMatchObject({ code: 'service.stopping' });
    streams.dispose();
    await until(() => hand.waiting === 0);
  });
});
