import { afterEach, beforeAll, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { createGroup, enroll } from '../support/groups.ts';
import { type LiveSocket, openLive } from '../support/live-sockets.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus } from '../support/people.ts';
import { openSocket } from '../support/sockets.ts';

function scenarios(world: World): void {
  const call: typeof world.call = (...args) => world.call(...args);
  const open: LiveSocket[] = [];
  let address: string;
  beforeAll(async () => {
    address = `http://127.0.0.1:${await openSocket(world.backend.app)}`;
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close();
  });

  async function socketOf(token: string): Promise<LiveSocket> {
    const opened = await openLive(address, { hello: { appCode: world.backend.appCode, session: token } });
    open.push(opened);
    await opened.line('welcome');
    return opened;
  }

  /** A document with its owner and a reader. */
  async function scene() {
    const { owner, create, share, collection, path } = await createShelf(world);
    const [{ id }, friend] = [await create({}), await world.user()];
    await share(id, `read/user/${friend.name}`);
    await world.backend.deliver();
    await world.caughtUp();
    const room = `${collection}/${id}`;
    return { owner, friend, room, share, id, path };
  }

  async function joined(token: string, room: string, state: unknown = null) {
    const live = await socketOf(token);
    live.send({ type: 'join', room, state });
    const presence = await live.line('presence');
    return { live, presence, self: String(presence.self) };
  }

  it('show their members, who arrive, change and leave', async () => {
    const { owner, friend, room } = await scene();
    const one = await joined(owner.token, room, { cursor: 1.0 });
    expect(one.presence.members).toEqual([{ id: one.self, user: expect.any(String), state: { cursor: 1 } }]);
    const two = await joined(friend.token, room, 'here');
    expect(two.presence.members).toHaveLength(2);
    expect((await one.live.line('joined')).member).toEqual({ id: two.self, user: friend.name, state: 'here' });
    two.live.send({ type: 'state', room, state: [2] });
    expect(await one.live.line('state')).toEqual({ type: 'state', room, id: two.self, state: [2] });
    two.live.send({ type: 'leave', room });
    expect(await one.live.line('left')).toEqual({ type: 'left', room, id: two.self });
    const again = await joined(friend.token, room);
    expect(again.presence.members.map(({ id }: { id: string }) => id)).toEqual([one.self, again.self]);
    again.live.close();
    await until(() => one.live.messages.filter(({ type }) => type === 'left').length === 2);
    expect(two.live.lines().filter((line) => line.startsWith('joined'))).toEqual([]);
  });

  it('pass messages on to all others, unchanged and in order', async () => {
    const { owner, friend, room } = await scene();
    const [one, two, three] = [
      await joined(owner.token, room),
      await joined(friend.token, room),
      await joined(friend.token, room),
    ];
    const texts = ['{"n":12345678901234567890,"é":"日本"}', '"b"', 'null'];
    for (const data of texts) one.live.send(`{"type":"send","room":${JSON.stringify(room)},"data":${data}}`);
    for (const { live } of [two, three]) {
      await until(() => live.messages.filter(({ type }) => type === 'message').length === 3);
      const got = live.messages.filter(({ type }) => type === 'message');
      expect(got.map(({ data }) => data)).toEqual(texts.map((text) => JSON.parse(text)));
      expect(got.every(({ from }) => from === one.self)).toBe(true);
    }
    expect(one.live.lines().filter((line) => line.startsWith('message'))).toEqual([]);
  });

  it('admit those who may read the document, and no others', async () => {
    const { owner, room, id } = await scene();
    const stranger = await socketOf((await world.user()).token);
    const [collection] = room.split('/');
    const cases = [
      [room, 'access.denied'],
      [`${collection}/nonsense`, 'document.not_found'],
      [`${collection}/${id}/x`, 'document.not_found'],
      [`nowhere/${id}`, 'collection.not_found'],
    ] as const;
    for (const [at, code] of cases) {
      stranger.send({ type: 'join', room: at });
      await until(() => stranger.messages.some((message) => message.room === at && message.code === code));
    }
    stranger.send({ type: 'send', room, data: 1 });
    await stranger.line('error input.invalid');
    const one = await joined(owner.token, room);
    one.live.send({ type: 'join', room });
    await one.live.line('error input.invalid');
    expect(one.presence.members).toHaveLength(1);
  });

  it('are left by those who may no longer read the document', async () => {
    const { owner, friend, room, share, id, path } = await scene();
    const [one, two] = [await joined(owner.token, room), await joined(friend.token, room)];
    await share(id, `read/user/${friend.name}`, 'DELETE');
    expect((await two.live.line('end')).data.code).toBe('access.denied');
    expect((await one.live.line('left')).id).toBe(two.self);
    two.live.send({ type: 'send', room, data: 1 });
    await two.live.line('error input.invalid');
    await expectStatus(call('DELETE', path(id), { token: owner.token }), 204);
    expect((await one.live.line('end')).data.code).toBe('document.not_found');
  });

  it('are left by those who read the document as members of a group that they leave', async () => {
    const { owner, room, share, id } = await scene();
    const member = await world.user();
    const group = await createGroup(world, owner);
    await enroll(world, { id: group, by: owner, user: member });
    await share(id, `read/group/${group}`);
    const one = await joined(member.token, room);
    await expectStatus(call('DELETE', `/group/${group}/member/${member.name}`, { token: owner.token }), 200);
    expect((await one.live.line('end')).data.code).toBe('access.denied');
  });

  it('are left by those who read the document by a condition with their name when they are renamed', async () => {
    const { owner, room } = await scene();
    const [member, [collection]] = [await world.user(), room.split('/')];
    const read = [{ role: 'registereduser', if: 'reviewer = caller.name' }];
    await expectStatus(
      call('PUT', `/admin/collection/${collection}/rules`, { basic: adminOf(world), body: { read } }),
      200,
    );
    const body = { data: member.name };
    await expectStatus(call('PUT', `/document/${room}/.reviewer`, { token: owner.token, body }), 200);
    await world.caughtUp();
    const one = await joined(member.token, room);
    const renamed = { token: member.token, body: { username: `${member.name}x` } };
    await expectStatus(call('PUT', '/me/username', renamed), 200);
    expect((await one.live.line('end')).data.code).toBe('access.denied');
  });

  it('are the same in any spelling, so that a socket joins them once', async () => {
    const { owner, friend, room } = await scene();
    const [one, two] = [await joined(owner.token, room), await joined(friend.token, room)];
    one.live.send({ type: 'join', room: room.toUpperCase() });
    await one.live.line('error input.invalid');
    one.live.send({ type: 'send', room: room.toUpperCase(), data: 1 });
    expect(await two.live.line('message')).toMatchObject({ room, data: 1 });
    expect(two.live.messages.filter(({ type }) => type === 'joined')).toEqual([]);
  });

  it('refuse messages that are too large or too many', async () => {
    const { owner, friend, room } = await scene();
    const [one, two] = [await joined(owner.token, room), await joined(friend.token, room)];
    one.live.send({ type: 'send', room, data: 'x'.repeat(16_383) });
    await one.live.line('error input.too_large');
    one.live.send({ type: 'send', room, data: 'é'.repeat(8_000) });
    await two.live.line('message');
    for (let n = 0; n < 120; n++) one.live.send({ type: 'send', room, data: n });
    expect((await one.live.line('error room.too_many_messages')).retryAfter).toBe(1);
  });
}

onEveryStorage('rooms', scenarios);
