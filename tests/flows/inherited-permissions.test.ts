import { createAdminClient } from '@baobab/client/admin';
import { createOffline, memoryStore } from '@baobab/client/offline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CallOptions } from '../support/backend.ts';
import { createClient } from '../support/client.ts';
import { type ClusterWorld, expectOk, startCluster } from '../support/cluster-world.ts';
import { CLUSTER_SETTINGS, twoNodesOnPostgres, twoWorkersOnSqlite } from '../support/clusters.ts';
import { openLive } from '../support/live-sockets.ts';
import { pause, until } from '../support/patience.ts';
import { openStream } from '../support/streams.ts';

const { APP_CODE } = CLUSTER_SETTINGS;

/** Ways to end the access that a member inherits: method, path, body, and the caller. */
const ENDS = {
  'a grant on the parent is revoked': ({ boards, board, member, owner }: Scene) =>
    ['DELETE', `/document/${boards}/${board}/all/user/${member.name}`, undefined, owner] as const,
  'the member leaves the group': ({ group, member }: Scene) =>
    ['DELETE', `/group/${group}/member/${member.name}`, undefined, member] as const,
  'the rules change': ({ tasks }: Scene) =>
    ['PUT', `/admin/collection/${tasks}/rules`, { parent: null }, null] as const,
  'the child moves to another parent': ({ tasks, task, secret, owner }: Scene) =>
    ['PUT', `/document/${tasks}/${task}/.board`, { data: secret }, owner] as const,
  'the parent is removed': ({ boards, board, owner }: Scene) =>
    ['DELETE', `/document/${boards}/${board}`, undefined, owner] as const,
};
type End = keyof typeof ENDS;
type Person = Awaited<ReturnType<ClusterWorld['person']>>;
interface Scene {
  readonly boards: string;
  readonly tasks: string;
  readonly owner: Person;
  readonly member: Person;
  readonly group: string;
  /** A board that the member may read, and one that they may not. */
  readonly board: string;
  readonly secret: string;
  /** A task of the board, and one of the member. */
  readonly task: string;
  readonly mine: string;
}

describe.each([
  ['two nodes on Postgres', twoNodesOnPostgres],
  ['two workers on SQLite', twoWorkersOnSqlite],
])('inherited permissions on %s', (_name, create) => {
  let world: ClusterWorld;
  const open: Array<{ close(): void }> = [];

  beforeAll(async () => {
    world = await startCluster(create);
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  afterAll(() => world.close());

  const send = async (by: Person | null, method: string, path: string, body?: unknown) => {
    const options: CallOptions = { token: by?.token ?? world.admin, ...(body !== undefined && { body }) };
    return (await expectOk(world.here(method, path, options))).data;
  };

  /** A board that is shared with a member, directly or through a group, with one task. */
  async function scene(end: End): Promise<Scene> {
    const [boards, tasks] = [await world.collection(), await world.collection()];
    const parent = { field: 'board', collection: boards, read: 'read', update: 'read', onDelete: 'detach' };
    await send(null, 'PUT', `/admin/collection/${tasks}/rules`, { parent });
    const [owner, member] = [await world.person(), await world.person()];
    const { id: group } = await send(owner, 'POST', '/group', { name: 'Friends' });
    await send(null, 'PUT', `/group/${group}/member/${member.name}`, { role: 'member' });
    const newBoard = async () => (await send(owner, 'POST', `/document/${boards}`, {})).id;
    const [board, secret] = [await newBoard(), await newBoard()];
    const grantee = end === 'the member leaves the group' ? `group/${group}` : `user/${member.name}`;
    await send(owner, 'PUT', `/document/${boards}/${board}/all/${grantee}`);
    const { id: task } = await send(owner, 'POST', `/document/${tasks}`, { board, title: 'Print' });
    const { id: mine } = await send(member, 'POST', `/document/${tasks}`, { title: 'Mine' });
    return { boards, tasks, owner, member, group, board, secret, task, mine };
  }

  /** Streams, sockets and a device of the member, on each address. */
  async function follow({ tasks, member }: Scene) {
    const followers = await Promise.all(
      world.addresses.map(async (url) => {
        const stream = await openStream(url, `collection=${tasks}`, { token: member.token, appCode: APP_CODE });
        const live = await openLive(url, { hello: { appCode: APP_CODE, session: member.token } });
        const client = createAdminClient({ url, appCode: APP_CODE });
        const offline = createOffline(client, { collections: [tasks], automatic: false, store: memoryStore() });
        open.push(stream, live, client, offline);
        await live.line('welcome');
        live.send({ type: 'subscribe', id: 1, collection: tasks });
        await Promise.all([live.line('ready 1'), stream.line('ready')]);
        await client.auth.login({ username: member.name, password: 'secret' });
        await offline.ready;
        await offline.sync();
        const call = createClient(url, APP_CODE);
        const { body } = await expectOk(call('GET', `/changes?collection=${tasks}`, { token: member.token }));
        return { call, stream, live, offline, since: encodeURIComponent(body.next) };
      }),
    );
    return followers;
  }

  it.each(Object.keys(ENDS) as End[])('end when %s', async (end) => {
    const here = await scene(end);
    const { tasks, task, mine, member, owner } = here;
    const titles = (rows: readonly object[]) => rows.map((row) => ('title' in row ? row.title : null)).toSorted();
    const followers = await follow(here);
    /** Syncs until it has these, because transactions of others hold back the feed of Postgres. */
    const synced = ({ offline }: (typeof followers)[number], wanted: readonly string[]) =>
      expect
        .poll(async () => {
          await offline.sync();
          return titles(await offline.collection(tasks).query().list());
        })
        .toEqual(wanted);
    await send(member, 'PUT', `/document/${tasks}/${task}/.title`, { data: 'Bind' });
    for (const follower of followers) {
      await Promise.all([follower.stream.line(`put 2 ${task}`), follower.live.line('put 1 2')]);
      await synced(follower, ['Bind', 'Mine']);
    }

    const [method, path, body, by] = ENDS[end](here);
    await send(by, method, path, body);
    const { token } = member;
    for (const { call, since } of followers) {
      expect((await call('GET', `/document/${tasks}/${task}`, { token })).status).toBe(403);
      const write = call('PUT', `/document/${tasks}/${task}/.title`, { token, body: { data: 'x' } });
      expect((await write).status).toBe(403);
      expect(titles((await call('GET', `/document/${tasks}`, { token })).data)).toEqual(['Mine']);
      expect((await call('GET', `/document/${tasks}/count`, { token })).data.count).toBe(1);
      const page = await call('GET', `/changes?collection=${tasks}&since=${since}`, { token });
      expect(page.text).not.toContain('"put"');
    }

    await send(owner, 'PUT', `/document/${tasks}/${task}/.title`, { data: 'Secret' });
    // Repeated, because a stream that is told to list again skips what it missed.
    await until(async () => {
      await send(member, 'PUT', `/document/${tasks}/${mine}/.title`, { data: 'Fence' });
      await pause(100);
      return followers.every(({ stream, live }) =>
        [stream.events, live.messages].every((seen) => JSON.stringify(seen).includes('Fence')),
      );
    });
    for (const follower of followers) {
      const { stream, live } = follower;
      for (const events of [stream.lines(), live.lines()]) {
        expect(events.some((line) => line.startsWith('resync') || line.startsWith('gone'))).toBe(true);
      }
      expect(JSON.stringify([stream.events, live.messages])).not.toContain('Secret');
      await synced(follower, ['Fence']);
    }
  });
});
