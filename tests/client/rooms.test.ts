import type { Baobab, LiveState, RoomMember } from '@baobab/client';
import { live } from '@baobab/client/live';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientService, nameOf, openClientService, PASSWORD } from '../support/client-service.ts';
import { createCutFetch } from '../support/live/cut-fetch.ts';
import { until } from '../support/patience.ts';

interface Cursor {
  readonly x: number;
}

describe('rooms', () => {
  let service: ClientService;
  beforeAll(async () => {
    service = await openClientService();
  });
  afterAll(() => service.close());

  async function person() {
    const net = createCutFetch();
    return { net, client: await service.user({ live, ...net }) };
  }

  /** A room and two users who may enter. */
  async function scene() {
    const [one, two] = [await person(), await person()];
    const boards = one.client.collection(await service.collection());
    const { id } = await boards.create({});
    await boards.grant(id, 'read', { user: nameOf(two.client) });
    return { one, two, boards, id, ref: `${boards.name}/${id}` };
  }

  function enter(client: Baobab, ref: string) {
    const room = client.room<Cursor, string>(ref);
    const seen = {
      states: [] as LiveState[],
      messages: [] as (readonly [string, string | null | undefined])[],
      codes: [] as string[],
      /** Numbers of members, one after the other. */
      sizes: [] as number[],
    };
    let members: readonly RoomMember<Cursor>[] = [];
    const stop = room.on({
      onMembers: (now) => {
        members = now;
        seen.sizes.push(now.length);
      },
      onMessage: (data, from) => seen.messages.push([data, from?.user]),
      onState: (state) => seen.states.push(state),
      onError: ({ code }) => seen.codes.push(code),
    });
    const users = () => members.map(({ user, state }) => `${user} ${state?.x ?? '-'}`).toSorted();
    return { room, seen, stop, users, isIn: () => until(() => seen.states.at(-1) === 'live') };
  }

  it('show who is there with what, and pass messages on', async () => {
    const { one, two, ref } = await scene();
    const [a, b] = [nameOf(one.client), nameOf(two.client)];
    const first = enter(one.client, ref);
    first.room.track({ x: 1 });
    await first.isIn();
    const second = enter(two.client, ref);
    await until(() => String(second.users()) === String([`${a} 1`, `${b} -`].toSorted()));
    for (let x = 2; x <= 200; x++) second.room.track({ x });
    for (const { users } of [first, second]) {
      await until(() => String(users()) === String([`${a} 1`, `${b} 200`].toSorted()));
    }
    first.room.send('hello');
    await until(() => second.seen.messages.length === 1);
    expect([second.seen.messages, first.seen.messages]).toEqual([[['hello', a]], []]);
    second.stop();
    second.room.leave();
    await until(() => String(first.users()) === String([`${a} 1`]));
    expect([...first.seen.codes, ...second.seen.codes]).toEqual([]);
    first.stop();
    first.room.leave();
    await until(() => one.net.open() + two.net.open() === 0);
  });

  it('are entered again after a lost connection, with the same state, over the socket of live queries', async () => {
    const { one, two, boards, ref } = await scene();
    let rows = -1;
    const stopQuery = boards.query().live((now) => {
      rows = now.length;
    });
    const [first, second] = [enter(one.client, ref), enter(two.client, ref)];
    first.room.track({ x: 7 });
    await until(() => second.users().some((text) => text.endsWith(' 7')) && rows === 1);
    expect(one.net.open()).toBe(1);
    const before = second.seen.sizes.length;
    one.net.cut();
    // Its absence may be short.
    await until(() => second.seen.sizes.slice(before).includes(1));
    await until(() => first.seen.states.length === 4);
    expect(first.seen.states).toEqual(['connecting', 'live', 'connecting', 'live']);
    await until(() => second.users().some((text) => text.endsWith(' 7')));
    await until(() => first.users().length === 2);
    stopQuery();
    for (const { stop, room } of [first, second]) {
      stop();
      room.leave();
    }
  });

  it('never show a state as that of another user', async () => {
    const { one, two, boards, id, ref } = await scene();
    const [owner, other] = [nameOf(one.client), await service.user()];
    await boards.grant(id, 'read', { user: nameOf(other) });
    const [first, second] = [enter(one.client, ref), enter(two.client, ref)];
    first.room.track({ x: 7 });
    const shows = (...texts: string[]) =>
      until(() => String(second.users()) === String([...texts, `${nameOf(two.client)} -`].toSorted()));
    await shows(`${owner} 7`);
    await one.client.auth.login({ username: nameOf(other), password: PASSWORD });
    await shows(`${nameOf(other)} -`);
    await one.client.auth.login({ username: owner, password: PASSWORD });
    await shows(`${owner} 7`);
    first.stop();
    second.stop();
    first.room.leave();
  });

  it('show a state that the app has changed in place', async () => {
    const { one, two, ref } = await scene();
    const room = one.client.room(ref);
    const state = { x: 1 };
    room.track(state);
    const second = enter(two.client, ref);
    await until(() => second.users().includes(`${nameOf(one.client)} 1`));
    state.x = 2;
    room.track(state);
    await until(() => second.users().includes(`${nameOf(one.client)} 2`));
    second.stop();
    room.leave();
  });

  it('send what was said before they were entered', async () => {
    const { one, two, ref } = await scene();
    const listening = enter(two.client, ref);
    await listening.isIn();
    const room = one.client.room(ref);
    room.send('first');
    await until(() => listening.seen.messages.length === 1);
    room.leave();
    await until(() => listening.users().length === 1);
    listening.stop();
  });

  it('report that the document may not be read, or no longer', async () => {
    const { two, boards, id, ref } = await scene();
    const stranger = (await person()).client;
    const refused = enter(stranger, ref);
    await until(() => refused.seen.states.at(-1) === 'failed');
    expect(refused.seen.codes).toEqual(['access.denied']);
    const revoked = enter(two.client, ref);
    await revoked.isIn();
    await boards.revoke(id, 'read', { user: nameOf(two.client) });
    await until(() => revoked.seen.states.at(-1) === 'failed');
    expect([revoked.seen.codes, revoked.users()]).toEqual([['access.denied'], []]);
    refused.stop();
    revoked.stop();
  });

  it('need the option `live`', () => {
    expect(() => service.client().room('boards/x')).toThrow(/@baobab\/client\/live/);
  });
});
