import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { taskOfBoard } from '../support/documents.ts';
import { filePart, multipart } from '../support/files.ts';
import { adminOf, expectStatus, type Person } from '../support/people.ts';

const MESSAGE = 'Only the assignee or the owner of the board can close a task';

/** A task board: boards are shared by grants, and tasks and comments inherit from them. */
onEveryStorage('a task board', (world) => {
  const as = (person: Person | null): CallOptions => (person === null ? {} : { token: person.token });
  const call = (person: Person | null, method: string, url: string, body?: unknown) =>
    world.call(method, url, { ...as(person), ...(body === undefined ? {} : { body }) });

  async function scene() {
    const [boards, tasks, comments] = [await world.collection(), await world.collection(), await world.collection()];
    const setRules = (name: string, rules: unknown) =>
      expectStatus(world.call('PUT', `/admin/collection/${name}/rules`, { basic: adminOf(world), body: rules }), 200);
    await setRules(tasks, {
      parent: taskOfBoard(boards),
      check: { update: 'not changed(column) or caller.name in [old.assignee, parent._author]' },
      messages: { update: MESSAGE },
    });
    await setRules(comments, {
      parent: { field: 'task', create: 'read', read: 'read', delete: 'update', onDelete: 'cascade' },
    });
    const [owner, member, stranger] = [await world.user(), await world.user(), await world.user()];
    const board = (await expectStatus(call(owner, 'POST', `/document/${boards}`, { title: 'Launch' }), 200)).data.id;
    for (const right of ['read', 'update']) {
      await expectStatus(call(owner, 'PUT', `/document/${boards}/${board}/${right}/user/${member.name}`), 200);
    }
    const newTask = (person: Person, content: object) =>
      call(person, 'POST', `/document/${tasks}`, { board, ...content });
    return { boards, tasks, comments, owner, member, stranger, board, newTask, setRules };
  }

  it('shows tasks to the members of the board alone', async () => {
    const { tasks, owner, member, stranger, newTask } = await scene();
    const { id } = (await expectStatus(newTask(owner, { title: 'Print', column: 'open' }), 200)).data;
    for (const [person, status, n] of [
      [member, 200, 1],
      [stranger, 403, 0],
      [null, 403, 0],
    ] as const) {
      expect((await call(person, 'GET', `/document/${tasks}/${id}`)).status).toBe(status);
      const list = (query: string) => call(person, 'GET', `/document/${tasks}?${query}`);
      expect((await list('')).data).toHaveLength(n);
      expect((await list('orderBy=title')).data).toHaveLength(n);
      expect((await list("where=title%3D'Print'")).data).toHaveLength(n);
      expect((await call(person, 'GET', `/document/${tasks}/count`)).data.count).toBe(n);
      expect((await list('groupBy=column')).data).toHaveLength(n);
    }
  });

  it('lets nobody write onto a board they may not change', async () => {
    const { tasks, stranger, member, board } = await scene();
    const create = (person: Person, body: object) => call(person, 'POST', `/document/${tasks}`, body);
    expect(await create(stranger, { board, title: 'Spam' })).toMatchObject({
      status: 400,
      body: { code: 'document.parent_invalid' },
    });
    expect(await create(stranger, { title: 'Spam' })).toMatchObject({ status: 400 });
    const { id } = (await expectStatus(create(member, { board, title: 'Mine' }), 200)).data;
    expect((await call(stranger, 'PUT', `/document/${tasks}/${id}`, { board })).status).toBe(403);
    expect((await call(member, 'PUT', `/document/${tasks}/${id}`, { title: 'Loose' })).body.code).toBe(
      'document.parent_invalid',
    );
  });

  it('lets only the assignee or the owner of the board close a task', async () => {
    const { tasks, owner, member, newTask } = await scene();
    const { id } = (await expectStatus(newTask(owner, { column: 'open', assignee: owner.name }), 200)).data;
    const close = (person: Person) => call(person, 'PUT', `/document/${tasks}/${id}/.column`, { data: 'done' });
    expect((await call(member, 'PUT', `/document/${tasks}/${id}/.title`, { data: 'Renamed' })).status).toBe(200);
    expect(await close(member)).toMatchObject({
      status: 403,
      body: { code: 'rule.refused', message: MESSAGE, rule: 'update' },
    });
    expect((await close(owner)).status).toBe(200);
  });

  it('ends the rights of a removed member on the tasks, also their own, immediately', async () => {
    const { boards, tasks, owner, member, board, newTask } = await scene();
    const { id } = (await expectStatus(newTask(owner, { title: 'Theirs' }), 200)).data;
    await expectStatus(call(owner, 'DELETE', `/document/${boards}/${board}/update/user/${member.name}`), 200);
    expect((await call(member, 'PUT', `/document/${tasks}/${id}/.title`, { data: 'x' })).status).toBe(403);
    await expectStatus(call(owner, 'DELETE', `/document/${boards}/${board}/read/user/${member.name}`), 200);
    expect((await call(member, 'GET', `/document/${tasks}/${id}`)).status).toBe(403);
    expect((await call(member, 'GET', `/document/${tasks}`)).data).toEqual([]);
  });

  it('removes comments and files with their task, and tasks with their board', async () => {
    const { boards, tasks, comments, owner, member, stranger, board, newTask } = await scene();
    const { id } = (await expectStatus(newTask(owner, { title: 'Print' }), 200)).data;
    const other = (await expectStatus(newTask(owner, { title: 'Bind' }), 200)).data.id;
    for (const task of [id, other])
      await expectStatus(call(member, 'POST', `/document/${comments}`, { task, text: 'Yes' }), 200);
    const attach = (person: Person, place: string) =>
      world.call('POST', `/file?document=${place}`, { ...as(person), bytes: multipart(filePart('A plan')) });
    const places = [`${tasks}/${id}`, `${tasks}/${other}`, `${boards}/${board}`];
    for (const place of places) await expectStatus(attach(member, place), 201);
    expect((await attach(stranger, places[0] ?? '')).status).toBe(403);
    const files = async (person: Person) => (await call(person, 'GET', '/file/details')).data.length;
    expect([await files(owner), await files(member), await files(stranger)]).toEqual([3, 3, 0]);
    expect((await call(owner, 'GET', `/document/${comments}`)).data).toHaveLength(2);
    await expectStatus(call(member, 'DELETE', `/document/${tasks}/${id}`), 204);
    expect([await files(owner), await files(member)]).toEqual([2, 2]);
    expect((await call(owner, 'GET', `/document/${comments}`)).data).toHaveLength(1);
    await expectStatus(call(owner, 'DELETE', `/document/${boards}/${board}`), 204);
    const all = { basic: adminOf(world) };
    expect((await world.call('GET', `/document/${tasks}`, all)).data).toEqual([]);
    expect((await world.call('GET', `/document/${comments}`, all)).data).toEqual([]);
    expect((await world.call('GET', '/file/details', all)).data).toEqual([]);
    const left = await world.blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 100 });
    expect(left.keys).toEqual([]);
  });

  describe('conditions', () => {
    it('show and protect documents by their content', async () => {
      const posts = await world.collection();
      const { setRules } = await scene();
      await setRules(posts, {
        read: [{ role: 'anonymous', if: 'public = true' }],
        update: [{ role: 'registereduser', if: 'editors contains caller.name' }],
      });
      const [author, editor, stranger] = [await world.user(), await world.user(), await world.user()];
      const { id } = (
        await expectStatus(call(author, 'POST', `/document/${posts}`, { public: false, editors: [editor.name] }), 200)
      ).data;
      const seen = async (person: Person | null) => [
        (await call(person, 'GET', `/document/${posts}/${id}`)).status,
        (await call(person, 'GET', `/document/${posts}`)).data.length,
      ];
      expect([await seen(stranger), await seen(null)]).toEqual([
        [403, 0],
        [403, 0],
      ]);
      expect((await call(stranger, 'PUT', `/document/${posts}/${id}/.public`, { data: true })).status).toBe(403);
      expect((await call(editor, 'PUT', `/document/${posts}/${id}/.public`, { data: true })).status).toBe(200);
      expect([await seen(stranger), await seen(null)]).toEqual([
        [200, 1],
        [200, 1],
      ]);
    });
  });
});
