import { afterEach, beforeAll, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createFollower } from '../support/feed.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus, type Person } from '../support/people.ts';
import { openSocket } from '../support/sockets.ts';
import { openStream, type StreamClient } from '../support/streams.ts';

/** Changes of permissions that documents inherit, or have by conditions, in the feed and in open streams. */
onEveryStorage('changes under rules', (world) => {
  const open: StreamClient[] = [];
  let address: string;
  beforeAll(async () => {
    address = `http://127.0.0.1:${await openSocket(world.backend.app)}`;
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  const send = async (person: Person, method: string, url: string, body?: unknown) => {
    const answer = await world.call(method, url, { token: person.token, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.data;
  };
  const setRules = (name: string, rules: unknown) =>
    expectStatus(world.call('PUT', `/admin/collection/${name}/rules`, { basic: adminOf(world), body: rules }), 200);

  /** A board that is shared with a member, with one task; and a stranger. */
  async function scene() {
    const [boards, tasks] = [await world.collection(), await world.collection()];
    await setRules(tasks, {
      parent: { field: 'board', collection: boards, read: 'read', create: 'update', onDelete: 'detach' },
    });
    const [owner, member, stranger] = [await world.user(), await world.user(), await world.user()];
    const board = await send(owner, 'POST', `/document/${boards}`, {});
    await send(owner, 'PUT', `/document/${boards}/${board.id}/read/user/${member.name}`);
    const task = await send(owner, 'POST', `/document/${tasks}`, { board: board.id });
    await world.backend.deliver();
    const feedOf = async (options: CallOptions) => {
      const feed = createFollower(world, options, `collection=${tasks}`);
      await feed.begin();
      return feed;
    };
    const feeds = await Promise.all([feedOf({ token: member.token }), feedOf({ token: stranger.token }), feedOf({})]);
    return { boards, tasks, owner, member, stranger, board: board.id, task: task.id, feeds };
  }

  /** Returns the news of each feed, or that it has to be listed again. */
  const newsOf = (feeds: readonly ReturnType<typeof createFollower>[]) =>
    Promise.all(
      feeds.map(async (feed) => {
        const { status, body } = await feed.next();
        return status === 200 ? feed.news() : [body.code];
      }),
    );
  const AGAIN = ['changes.resync_required'];

  it('bring the children to those who may read the parent, and to nobody else', async () => {
    const { tasks, owner, task, board, feeds } = await scene();
    await send(owner, 'PUT', `/document/${tasks}/${task}`, { board, title: 'Print' });
    expect(await newsOf(feeds)).toEqual([[`put 2 ${task}`], [], []]);
    await send(owner, 'DELETE', `/document/${tasks}/${task}`);
    expect(await newsOf(feeds)).toEqual([[`gone ${task}`], [], []]);
  });

  it('say that a child is gone when it moves to a parent that the reader may not read', async () => {
    const { boards, tasks, owner, task, feeds } = await scene();
    const other = await send(owner, 'POST', `/document/${boards}`, {});
    await send(owner, 'PUT', `/document/${tasks}/${task}/.board`, { data: other.id });
    expect(await newsOf(feeds)).toEqual([[`gone ${task}`], [], []]);
  });

  it('make a reader list again who gains or loses the right on the parent, and nobody else', async () => {
    const { boards, owner, member, stranger, board, feeds } = await scene();
    await send(owner, 'DELETE', `/document/${boards}/${board}/read/user/${member.name}`);
    expect(await newsOf(feeds)).toEqual([AGAIN, [], []]);
    await send(owner, 'PUT', `/document/${boards}/${board}/read/user/${stranger.name}`);
    expect((await newsOf(feeds)).slice(1)).toEqual([AGAIN, []]);
  });

  it('make readers list again when a parent is removed and its children stay', async () => {
    const { boards, owner, board, feeds } = await scene();
    await send(owner, 'DELETE', `/document/${boards}/${board}`);
    expect((await newsOf(feeds))[0]).toEqual(AGAIN);
  });

  it('follow a condition that does not name the caller exactly', async () => {
    const { owner } = await scene();
    const posts = await world.collection();
    await setRules(posts, { read: [{ role: 'anonymous', if: 'public = true' }] });
    const { id } = await send(owner, 'POST', `/document/${posts}`, { public: false });
    const hidden = await send(owner, 'POST', `/document/${posts}`, { public: false });
    await world.backend.deliver();
    const feed = createFollower(world, {}, `collection=${posts}`);
    await feed.begin();
    const set = (data: boolean) => send(owner, 'PUT', `/document/${posts}/${id}/.public`, { data });
    await set(true);
    expect(await feed.news()).toEqual([`put 2 ${id}`]);
    await set(false);
    expect(await feed.news()).toEqual([`gone ${id}`]);
    await set(true);
    await feed.news();
    await send(owner, 'DELETE', `/document/${posts}/${id}`);
    await send(owner, 'DELETE', `/document/${posts}/${hidden.id}`);
    expect(await feed.news()).toEqual([`gone ${id}`]);
  });

  it('make the users of a role list again when a condition that names the caller changes', async () => {
    const { owner, member, stranger } = await scene();
    const notes = await world.collection();
    await setRules(notes, { read: [{ role: 'registereduser', if: 'friends contains caller.name' }] });
    const { id } = await send(owner, 'POST', `/document/${notes}`, { friends: [member.name] });
    await world.backend.deliver();
    const feeds = [member, stranger].map(({ token }) => createFollower(world, { token }, `collection=${notes}`));
    for (const feed of feeds) await feed.begin();
    await send(owner, 'PUT', `/document/${notes}/${id}/.title`, { data: 'Zeno' });
    expect(await newsOf(feeds)).toEqual([[`put 2 ${id}`], []]);
    await send(owner, 'PUT', `/document/${notes}/${id}/.friends`, { data: [] });
    expect(await newsOf(feeds)).toEqual([AGAIN, AGAIN]);
  });

  it('make a user list again whose name changes, which conditions name', async () => {
    const { owner, member, stranger } = await scene();
    const notes = await world.collection();
    await setRules(notes, { read: [{ role: 'registereduser', if: 'reviewer = caller.name' }] });
    const [own, admins] = [`${member.name}x`, `${member.name}y`];
    for (const reviewer of [own, admins]) await send(owner, 'POST', `/document/${notes}`, { reviewer });
    const { id } = await send(owner, 'POST', `/document/${notes}`, { reviewer: member.name });
    await world.backend.deliver();
    const feeds = [member, stranger].map(({ token }) => createFollower(world, { token }, `collection=${notes}`));
    for (const feed of feeds) await feed.begin();
    await world.caughtUp();
    const stream = await openStream(address, `collection=${notes}`, {
      appCode: world.backend.appCode,
      token: member.token,
    });
    open.push(stream);
    await stream.line('ready');
    const resyncs = () => stream.events.filter(({ event }) => event === 'resync').length;
    await send(member, 'PUT', '/me/username', { username: own });
    expect(await newsOf(feeds)).toEqual([AGAIN, []]);
    await until(() => resyncs() > 0);
    await send(owner, 'PUT', `/document/${notes}/${id}/.title`, { data: 'Secret' });
    await feeds[0]?.begin();
    const before = resyncs();
    const basic = adminOf(world);
    await expectStatus(world.call('PUT', `/admin/user/${own}`, { basic, body: { username: admins } }), 200);
    expect(await newsOf(feeds)).toEqual([AGAIN, []]);
    await until(() => resyncs() > before);
    await world.caughtUp();
    expect(JSON.stringify(stream.events)).not.toContain('Secret');
  });

  it('reach open streams: a new child, a change, and the end of the right', async () => {
    const { boards, tasks, owner, member, stranger, board } = await scene();
    await world.caughtUp();
    const { appCode } = world.backend;
    for (const { token } of [member, stranger]) {
      const stream = await openStream(address, `collection=${tasks}`, { appCode, token });
      open.push(stream);
      await stream.line('ready');
    }
    const [theirs, others] = open;
    const { id } = await send(owner, 'POST', `/document/${tasks}`, { board });
    await until(() => theirs?.events.some(({ event, data }) => event === 'put' && data.id === id) ?? false);
    await send(owner, 'DELETE', `/document/${boards}/${board}/read/user/${member.name}`);
    await until(() => theirs?.events.some(({ event }) => event === 'resync') ?? false);
    await send(owner, 'PUT', `/document/${tasks}/${id}/.title`, { data: 'Secret' });
    await world.caughtUp();
    expect(others?.events.filter(({ event }) => event !== 'ready')).toEqual([]);
    expect(JSON.stringify(theirs?.events)).not.toContain('Secret');
  });
});
