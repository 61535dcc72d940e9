import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { adminOf, expectStatus, type Person } from '../support/people.ts';

/** Ways around the rules of a task board, tried by a removed member who knows all ids. */
onEveryStorage('a removed member', (world) => {
  const call = (person: Person | null, method: string, url: string, body?: unknown) =>
    world.call(method, url, {
      ...(person !== null && { token: person.token }),
      ...(body === undefined ? {} : { body }),
    });

  async function scene(parent: object = {}) {
    const [boards, tasks] = [await world.collection(), await world.collection()];
    const usual = { create: 'update', read: 'read', update: 'update', delete: 'update' };
    const rules = { parent: { field: 'board', collection: boards, ...usual, onDelete: 'detach', ...parent } };
    await expectStatus(
      world.call('PUT', `/admin/collection/${tasks}/rules`, { basic: adminOf(world), body: rules }),
      200,
    );
    const [owner, former] = [await world.user(), await world.user()];
    const board = (await expectStatus(call(owner, 'POST', `/document/${boards}`, {}), 200)).data.id;
    const secret = { title: 'Secret', n: 1, board };
    const task = (await expectStatus(call(owner, 'POST', `/document/${tasks}`, secret), 200)).data.id;
    const mine = (await expectStatus(call(former, 'POST', `/document/${boards}`, {}), 200)).data.id;
    return { boards, tasks, owner, former, board, task, mine };
  }

  it('gains nothing by creating a board with the id of a deleted one', async () => {
    for (const collection of [undefined, null]) {
      const { boards, tasks, owner, former, board, task } = await scene(collection === null ? { collection } : {});
      await expectStatus(call(owner, 'DELETE', `/document/${boards}/${board}`), 204);
      const again = await call(former, 'POST', `/document/${boards}?id=${board}`, {});
      expect([again.status, again.body.code]).toEqual([409, 'document.exists']);
      expect((await call(former, 'GET', `/document/${tasks}/${task}`)).status).toBe(403);
      expect((await call(former, 'GET', `/document/${tasks}`)).data).toEqual([]);
    }
  });

  it('gains nothing by the id of a board that nothing remembers', async () => {
    const { boards, tasks, owner, former, board, task } = await scene();
    const admin = { basic: adminOf(world) };
    await expectStatus(world.call('DELETE', `/admin/collection/${boards}`, admin), 200);
    await expectStatus(world.call('POST', `/admin/collection/${boards}`, admin), 201);
    const again = await call(former, 'POST', `/document/${boards}?id=${board}`, {});
    expect([again.status, again.body.code]).toEqual([409, 'document.exists']);
    expect((await call(former, 'GET', `/document/${tasks}/${task}`)).status).toBe(403);
    expect((await world.call('POST', `/document/${boards}?id=${board}`, { ...admin, body: {} })).status).toBe(200);
    const free = randomUUID();
    const create = () => call(owner, 'POST', `/document/${boards}?id=${free}`, { title: 'Mine' });
    await expectStatus(create(), 200);
    await expectStatus(call(owner, 'POST', `/document/${tasks}`, { board: free }), 200);
    expect((await expectStatus(create(), 200)).data.id).toBe(free);
  });

  it('gains nothing by any way to read or write a task', async () => {
    const { boards, tasks, owner, former, board, task, mine } = await scene();
    const url = `/document/${tasks}/${task}`;
    const condition = encodeURIComponent(`board = '${board}'`);
    for (const query of ['', `where=${condition}`, `expand=board`, 'orderBy=n', 'fields=title', `id=${task}`]) {
      if (query.startsWith('id=')) continue;
      expect((await call(former, 'GET', `/document/${tasks}?${query}`)).data).toEqual([]);
    }
    for (const query of ['groupBy=title', 'fields=sum(n)']) {
      expect(JSON.stringify((await call(former, 'GET', `/document/${tasks}?${query}`)).body)).not.toMatch(
        /Secret|"n":1|:1[,}]/,
      );
    }
    expect((await call(former, 'GET', `/document/${tasks}/count?where=${condition}`)).data.count).toBe(0);
    expect((await call(former, 'POST', `/document/${tasks}/query`, { where: `board = '${board}'` })).data).toEqual([]);
    const note = (await call(former, 'POST', `/document/${boards}`, { task, board })).data.id;
    const expanded = await call(former, 'GET', `/document/${boards}/${note}?expand=task,board`);
    expect(expanded.text).not.toContain('Secret');
    expect((await call(former, 'POST', `/document/${tasks}?id=${task}`, { board: mine })).status).toBe(409);
    for (const [method, path, body] of [
      ['GET', url],
      ['GET', `${url}/.title`],
      ['PUT', url, { board: mine, title: 'x' }],
      ['PUT', `${url}/.board`, { data: mine }],
      ['PATCH', url, { set: { board: mine } }],
      ['DELETE', url],
      ['PUT', `${url}/read/user/${former.name}`],
      ['PUT', `${url}/acl`, { read: { users: [former.name] } }],
    ] as const) {
      expect([method, path, (await call(former, method, path, body)).status]).toEqual([method, path, 403]);
    }
    const operations = [
      { method: 'PUT', path: `${url}/.board`, body: { data: mine } },
      { method: 'GET', path: url },
      { method: 'POST', path: `/document/${tasks}`, body: { board, title: 'Spam' } },
    ];
    const batch = await call(former, 'POST', '/batch', { operations });
    expect(batch.data.map((one: { http_code: number }) => one.http_code)).toEqual([403, 403, 400]);
    const changes = await call(former, 'GET', `/changes?since=0&collection=${tasks}`);
    expect(changes.data).toEqual([]);
    expect((await call(owner, 'GET', url)).data).toMatchObject({ title: 'Secret', board });
  });

  it('learns nothing of a task from a unique index', async () => {
    const { tasks, former, mine, task } = await scene();
    await expectStatus(
      world.call('PUT', `/admin/collection/${tasks}/index/title`, { basic: adminOf(world), body: { unique: true } }),
      201,
    );
    const answer = await call(former, 'POST', `/document/${tasks}`, { title: 'Secret', board: mine });
    expect([answer.status, answer.text.includes(task)]).toEqual([409, false]);
    expect(
      (await call(former, 'POST', `/document/${tasks}?id=${randomUUID()}`, { title: 'x', board: mine })).status,
    ).toBe(200);
  });
});
