import {
  groupPrincipal,
  MAX_MARKS,
  NOBODY,
  RIGHTS,
  type Storage,
  userPrincipal,
  type VisibilityMark,
} from '@baobab/core';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../packages/contracts/src/storage/fixtures.ts';
import { disposeStreams, prepareStreams } from '../support/change-streams.ts';
import { until } from '../support/patience.ts';

const markOf = (id: string): VisibilityMark => ({ audience: userPrincipal(id), collection: null, reason: 'group' });

afterEach(disposeStreams);

describe('a stream', () => {
  it('is told to list again when a mark concerns it, and then has the new rights', async () => {
    const { storage, reader, author, actorOf, open, mark, share, clock } = await prepareStreams();
    const group = { id: '01890000-0000-7000-8000-00000000000a', name: 'Friends', created: clock.now() };
    await storage.groups.add(group, author.id);
    const [own, other] = [await open(await actorOf(reader)), await open(await actorOf(author, [group.id]))];
    for (const { has } of [own, other]) await has('ready');
    await share(groupPrincipal(group.id));
    await storage.transaction(async (stores) => {
      await stores.groups.setRole(group.id, reader.id, 'member', { joined: clock.now(), counted: false });
      await stores.changes.markVisibility([markOf(reader.id)], 0);
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
    const { storage, reader, author, actorOf, open, share, clock } = await prepareStreams();
    const group = { id: '01890000-0000-7000-8000-00000000000a', name: 'Friends', created: clock.now() };
    await storage.groups.add(group, author.id);
    await storage.groups.setRole(group.id, reader.id, 'member', { joined: clock.now(), counted: false });
    const id = await share(groupPrincipal(group.id));
    const { has, lines, hasResync } = await open(await actorOf(reader, [group.id]));
    await has('ready');
    const scope = { everything: true, owner: null, principals: [], followed: false, ruled: 0 };
    await storage.transaction(async (stores) => {
      const change = { content: '{"secret":true}', by: NOBODY, updated: 1, version: null };
      await stores.documents.replace({ collection: 'books', id }, scope, change);
      await stores.groups.removeMember(group.id, reader.id);
      await stores.changes.markVisibility([markOf(reader.id)], 0);
    });
    await hasResync();
    await share(userPrincipal(reader.id));
    await has('put');
    expect(lines().filter((line) => !line.startsWith('resync'))).toEqual(['ready', 'put']);
  });

  it('gets nothing by rights that ended before somebody else was given a document that changed earlier', async () => {
    const { storage, reader, author, actorOf, open, share, clock } = await prepareStreams();
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
      await stores.changes.markVisibility([markOf(reader.id)], 0);
    });
    await storage.documents.grant({ collection: 'books', id }, EVERYTHING, {
      principal: groupPrincipal(group.id),
      rights: RIGHTS.read,
    });
    await hasResync();
    await share(userPrincipal(reader.id));
    await has('put');
    expect(lines().filter((line) => !line.startsWith('resync'))).toEqual(['ready', 'put']);
  });

  it('has a document where it changed, and not where others were given it', async () => {
    const { storage, reader, author, actorOf, open, share } = await prepareStreams();
    const [own, other] = [await open(await actorOf(author)), await open(await actorOf(reader))];
    for (const { has } of [own, other]) await has('ready');
    const [first, second] = [await share(userPrincipal(author.id)), await share(userPrincipal(author.id))];
    await storage.documents.grant({ collection: 'books', id: first }, EVERYTHING, {
      principal: userPrincipal(reader.id),
      rights: RIGHTS.read,
    });
    const third = await share(userPrincipal(reader.id));
    await until(() => own.ids().includes(third) && other.ids().includes(third));
    expect(own.ids()).toEqual([first, second, third]);
    expect(other.ids()).toEqual([first, third]);
  });

  it('goes on by itself when the rights of very many others have changed', async () => {
    const { storage, reader, actorOf, open, share } = await prepareStreams();
    const { has, lines } = await open(await actorOf(reader));
    await has('ready');
    await storage.transaction(async ({ changes }) => {
      for (let i = 0; i <= MAX_MARKS; i++) await changes.markVisibility([markOf(`${i}`)], 0);
    });
    await share(userPrincipal(reader.id));
    await has('put');
    await share(userPrincipal(reader.id));
    await until(() => lines().length === 3);
    expect(lines()).toEqual(['ready', 'put', 'put']);
  });

  it('ends instead when its session has ended before it could list again', async () => {
    const { storage, reader, actorOf, open, mark } = await prepareStreams();
    const actor = await actorOf(reader);
    const { has } = await open(actor);
    await has('ready');
    await storage.sessions.remove(actor.sessionId ?? '');
    await mark({ audience: userPrincipal(reader.id), collection: null, reason: 'role' });
    await has('end session.invalid');
  });

  it('of a slow reader waits, then has only the newest states, and ends if the reader takes nothing', async () => {
    const { storage, reader, actorOf, open, share, hand } = await prepareStreams();
    const { receiver, has, lines, events } = await open(await actorOf(reader));
    await has('ready');
    receiver.stick();
    const principal = userPrincipal(reader.id);
    const first = await share(principal);
    await has('put');
    const address = { collection: 'books', id: first };
    const scope = { everything: true, owner: null, principals: [], followed: false, ruled: 0 };
    for (let n = 2; n < 20; n++) {
      await storage.documents.replace(address, scope, { content: `{"n":${n}}`, by: NOBODY, updated: n, version: null });
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

  it('has a new cursor in each heartbeat, whether or not something was written', async () => {
    const { reader, actorOf, open } = await prepareStreams(2);
    const { receiver } = await open(await actorOf(reader));
    const cursors = () => receiver.beats.filter((id) => id !== null);
    await until(() => cursors().length > 3);
    expect(new Set(cursors()).size).toBe(cursors().length);
  });

  it('is kept alive, and leaves no timer and no place behind', async () => {
    const { stop, dispose, hand, reader, author, actorOf, open } = await prepareStreams(2);
    const [one, two] = [await open(await actorOf(reader)), await open(await actorOf(author))];
    await expect(actorOf(reader).then((actor) => open(actor))).rejects.toMatchObject({ code: 'changes.unavailable' });
    await until(() => one.receiver.beats.length > 0 && two.receiver.beats.length > 0);
    one.close();
    const again = await open(await actorOf(reader));
    await again.has('ready');
    stop();
    expect(two.lines().at(-1)).toBe('end service.stopping');
    await expect(actorOf(reader).then((actor) => open(actor))).rejects.toMatchObject({ code: 'service.stopping' });
    dispose();
    await until(() => hand.waiting === 0);
  });
});
