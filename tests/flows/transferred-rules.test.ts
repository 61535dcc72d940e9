import { join } from 'node:path';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { runCommand } from '../support/command.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { adminOf, expectStatus, loginAs } from '../support/people.ts';

const ends: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(databaseUrl: string): Promise<World> {
  const backend = await createTestBackend({ databaseUrl });
  ends.push(() => backend.close());
  return createWorld(backend);
}

it('a copied database applies the same rules, and access that is inherited ends there as well', async () => {
  const { path, remove } = createFolder();
  ends.push(remove);
  const database = await createDatabase({ empty: true });
  ends.push(() => database.drop());
  const here = `sqlite:${join(path, 'here.db')}`;

  const first = await serve(here);
  const [boards, tasks] = [await first.collection(), await first.collection()];
  const [owner, member] = [await first.user(), await first.user()];
  const asAdmin = { basic: adminOf(first) };
  const rules = {
    parent: { field: 'board', collection: boards, read: 'read', update: 'read' },
    check: { update: 'not changed(column) or caller.name = parent._author' },
    messages: { update: 'Only the owner of the board can close a task' },
  };
  await expectStatus(first.call('PUT', `/admin/collection/${tasks}/rules`, { ...asAdmin, body: rules }), 200);
  const { token } = owner;
  const { id: group } = (await expectStatus(first.call('POST', '/group', { token, body: { name: 'Friends' } }), 201))
    .data;
  const enrolled = first.call('PUT', `/group/${group}/member/${member.name}`, { ...asAdmin, body: { role: 'member' } });
  await expectStatus(enrolled, 200);
  const { id: board } = (await expectStatus(first.call('POST', `/document/${boards}`, { token, body: {} }), 200)).data;
  await expectStatus(first.call('PUT', `/document/${boards}/${board}/read/group/${group}`, { token }), 200);
  const body = { board, column: 'open' };
  const { id: task } = (await expectStatus(first.call('POST', `/document/${tasks}`, { token, body }), 200)).data;
  await first.backend.close();

  const { code, errors } = await runCommand(['transfer', '--from', here, '--to', database.url], {});
  expect([code, errors]).toEqual([0, '']);

  const second = await serve(database.url);
  const session = { token: await loginAs(second, member.name) };
  const list = async () =>
    (await second.call('GET', `/document/${tasks}`, session)).data.map(({ id }: { id: string }) => id);
  expect(await list()).toEqual([task]);
  const close = await second.call('PUT', `/document/${tasks}/${task}/.column`, { ...session, body: { data: 'done' } });
  expect(close).toMatchObject({ status: 403, body: { code: 'rule.refused', message: rules.messages.update } });
  const rename = second.call('PUT', `/document/${tasks}/${task}/.title`, { ...session, body: { data: 'Print' } });
  await expectStatus(rename, 200);
  await second.backend.sweep();
  const indexes = await second.call('GET', `/admin/collection/${tasks}/index`, { basic: adminOf(second) });
  expect(indexes.data).toMatchObject([{ state: 'ready' }]);
  await expectStatus(second.call('DELETE', `/group/${group}/member/${member.name}`, session), 200);
  expect(await list()).toEqual([]);
  expect((await second.call('GET', `/document/${tasks}/${task}`, session)).status).toBe(403);
});

it('a copied database serves lists and removals before its indexes are built', async () => {
  const { path, remove } = createFolder();
  ends.push(remove);
  const [here, there] = ['here', 'there'].map((name) => `sqlite:${join(path, name)}.db`) as [string, string];
  const first = await serve(here);
  const [boards, tasks] = [await first.collection(), await first.collection()];
  const parent = { field: 'board', collection: boards, read: 'read', onDelete: 'cascade' };
  const change = { basic: adminOf(first), body: { parent } };
  await expectStatus(first.call('PUT', `/admin/collection/${tasks}/rules`, change), 200);
  const asUnique = { basic: adminOf(first), body: { unique: true } };
  await expectStatus(first.call('PUT', `/admin/collection/${boards}/index/name`, asUnique), 201);
  const owner = await first.user();
  const asOwner = { token: owner.token };
  const { id } = (
    await expectStatus(first.call('POST', `/document/${boards}`, { ...asOwner, body: { name: 'a' } }), 200)
  ).data;
  await expectStatus(first.call('POST', `/document/${tasks}`, { ...asOwner, body: { board: id } }), 200);
  await first.backend.close();

  const { code, errors } = await runCommand(['transfer', '--from', here, '--to', there], {});
  expect([code, errors]).toEqual([0, '']);

  const second = await serve(there);
  const session = { token: await loginAs(second, owner.name) };
  const of = (collection: string, where: string) =>
    second.call('GET', `/document/${collection}?where=${encodeURIComponent(where)}`, session);
  expect((await of(tasks, `board = '${id}'`)).data).toHaveLength(1);
  expect((await of(boards, "name = 'a'")).data).toHaveLength(1);
  const again = await second.call('POST', `/document/${boards}`, { ...session, body: { name: 'a' } });
  expect(again.body).toMatchObject({ code: 'document.duplicate', errors: [{ path: '/name' }] });
  await expectStatus(second.call('DELETE', `/document/${boards}/${id}`, session), 204);
  expect((await of(tasks, `board = '${id}'`)).data).toEqual([]);
});
