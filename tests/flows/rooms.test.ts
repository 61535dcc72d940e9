import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterWorld, expectOk, startCluster } from '../support/cluster-world.ts';
import { CLUSTER_SETTINGS, twoNodesOnPostgres, twoWorkersOnSqlite } from '../support/clusters.ts';
import { type LiveMessage, type LiveSocket, openLive } from '../support/live-sockets.ts';
import { until } from '../support/patience.ts';

const { APP_CODE } = CLUSTER_SETTINGS;
/** Members of killed nodes are gone after this time. */
const GONE_MS = 30_000;

/** The members of a room, as a client knows them from its messages. */
function knownBy({ messages }: LiveSocket): string[] {
  const known = new Set<string>();
  for (const message of messages) {
    for (const { id } of (message.members ?? []) as LiveMessage[]) known.add(id);
    if (message.type === 'joined') known.add(message.member.id);
    if (message.type === 'left') known.delete(message.id);
  }
  return [...known].toSorted();
}

describe.each([
  ['two nodes on Postgres', twoNodesOnPostgres],
  ['two workers on SQLite', twoWorkersOnSqlite],
])('rooms of %s', (_name, create) => {
  let world: ClusterWorld;
  let token: string;
  let room: string;
  const open: LiveSocket[] = [];

  beforeAll(async () => {
    world = await startCluster(create);
    token = world.admin;
    await expectOk(world.here('POST', '/admin/collection/boards', { token, body: {} }));
    const { data } = await expectOk(world.here('POST', '/document/boards', { token, body: {} }));
    room = `boards/${data.id}`;
  });
  afterAll(async () => {
    for (const one of open) one.close();
    await world.close();
  });

  async function joined(address: string): Promise<{ readonly live: LiveSocket; readonly self: string }> {
    const live = await openLive(address, { hello: { appCode: APP_CODE, session: token } });
    open.push(live);
    await live.line('welcome');
    live.send({ type: 'join', room, state: null });
    return { live, self: String((await live.line('presence')).self) };
  }

  it('agree on their members, pass large messages on, and forget members of a killed node', async () => {
    const members = [];
    for (const address of [...world.addresses, ...world.addresses, ...world.addresses])
      members.push(await joined(address));
    const all = members.map(({ self }) => self).toSorted();
    for (const { live } of members) await until(() => String(knownBy(live)) === String(all));
    const [sender, ...others] = members;
    const data = { text: '日本語'.repeat(1_500), n: 1 };
    for (let n = 0; n < 5; n++) sender?.live.send({ type: 'send', room, data: { ...data, n } });
    for (const { live } of others) {
      await until(() => live.messages.filter(({ type }) => type === 'message').length === 5);
      const got = live.messages.filter(({ type }) => type === 'message');
      expect(got.map((message) => message.data.n)).toEqual([0, 1, 2, 3, 4]);
      expect(got[0]?.data).toEqual({ ...data, n: 0 });
    }
    sender?.live.send({ type: 'state', room, state: { typing: true } });
    for (const { live } of others) expect((await live.line('state')).state).toEqual({ typing: true });

    const [node, remaining] = world.nodes;
    if (remaining === undefined) return; // a worker cannot be killed alone
    const killedAt = performance.now();
    node?.kill('SIGKILL');
    const left = members.filter((_member, at) => at % 2 === 1);
    const rest = left.map(({ self }) => self).toSorted();
    for (const { live } of left) await until(() => String(knownBy(live)) === String(rest));
    expect(performance.now() - killedAt).toBeLessThan(GONE_MS);
  });
});
