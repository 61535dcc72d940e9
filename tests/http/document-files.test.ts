import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { taskOfBoard } from '../support/documents.ts';
import { filePart, multipart } from '../support/files.ts';
import { adminOf, expectStatus, type Person } from '../support/people.ts';

/** Files that belong to a document: its permissions apply to them, and they go with it. */
onEveryStorage('files of documents', (world) => {
  const as = (person: Person | null): CallOptions => (person === null ? {} : { token: person.token });
  const call = (person: Person | null, method: string, url: string, body?: unknown) =>
    world.call(method, url, { ...as(person), ...(body === undefined ? {} : { body }) });
  const asAdmin = (method: string, url: string, body?: unknown) =>
    world.call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
  const statusOf = async (person: Person | null, method: string, url: string) =>
    (await call(person, method, url)).status;

  const attach = (person: Person, document: string, headers: Readonly<Record<string, string>> = {}) =>
    world.call('POST', `/file?document=${document}`, { ...as(person), headers, bytes: multipart(filePart('plan')) });
  const attached = async (person: Person, document: string): Promise<string> =>
    (await expectStatus(attach(person, document), 201)).data.id;
  const listed = async (person: Person | null, query = ''): Promise<string[]> =>
    (await expectStatus(call(person, 'GET', `/file/details${query}`), 200)).data.map(({ id }: { id: string }) => id);
  const blobsOf = async (id: string) => {
    const page = await world.blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 1000 });
    return page.keys.filter((key) => key.includes(id)).length;
  };
  const expectGone = async (...ids: readonly string[]) => {
    for (const id of ids) {
      expect((await asAdmin('GET', `/file/${id}`)).status).toBe(404);
      expect(await blobsOf(id)).toBe(0);
    }
  };

  /** A board of the owner, with a task that inherits from it; a member who may read and update the board. */
  async function scene() {
    const [boards, tasks] = [await world.collection(), await world.collection()];
    await expectStatus(asAdmin('PUT', `/admin/collection/${tasks}/rules`, { parent: taskOfBoard(boards) }), 200);
    const [owner, member, stranger] = [await world.user(), await world.user(), await world.user()];
    const added = async (collection: string, body: object): Promise<string> =>
      (await expectStatus(call(owner, 'POST', `/document/${collection}`, body), 200)).data.id;
    const board = await added(boards, { title: 'Launch' });
    const task = await added(tasks, { board });
    const grants = (right: string) => `/document/${boards}/${board}/${right}/user/${member.name}`;
    const give = (right: string) => expectStatus(call(owner, 'PUT', grants(right)), 200);
    const revoke = (right: string) => expectStatus(call(owner, 'DELETE', grants(right)), 200);
    const places = { board: `${boards}/${board}`, task: `${tasks}/${task}` };
    return { boards, tasks, board, task, owner, member, stranger, added, give, revoke, places };
  }

  describe.each(['board', 'task'] as const)('of a %s', (kind) => {
    it('are read, listed, removed and granted by the rights on the document', async () => {
      const { owner, member, stranger, places, give } = await scene();
      const place = places[kind];
      const id = await attached(owner, place);
      expect((await call(owner, 'GET', `/file/details/${id}`)).data.document).toBe(place);
      for (const person of [member, stranger]) {
        expect(await statusOf(person, 'GET', `/file/${id}`)).toBe(404);
        expect(await statusOf(person, 'DELETE', `/file/${id}`)).toBe(404);
        expect(await listed(person)).toEqual([]);
        expect(await statusOf(person, 'GET', `/file/details?document=${place}`)).toBe(403);
      }
      await give('read');
      expect((await call(member, 'GET', `/file/${id}`)).text).toBe('plan');
      expect(await listed(member)).toEqual([id]);
      expect(await listed(member, '?orderBy=fileName')).toEqual([id]);
      expect(await listed(member, "?where=fileName%3D'notes.txt'")).toEqual([id]);
      expect(await listed(member, `?document=${place}`)).toEqual([id]);
      expect((await call(member, 'GET', '/file/details?count=true')).data).toEqual([{ count: 1 }]);
      expect((await call(member, 'GET', `/file/details?document=${place}&count=true`)).data).toEqual([{ count: 1 }]);
      expect(await statusOf(member, 'DELETE', `/file/${id}`)).toBe(403);
      expect(await statusOf(member, 'PUT', `/file/${id}/read/user/${stranger.name}`)).toBe(403);
      await give('update');
      expect(await statusOf(member, 'PUT', `/file/${id}/read/user/${stranger.name}`)).toBe(200);
      expect(await statusOf(stranger, 'GET', `/file/${id}`)).toBe(200);
      expect(await statusOf(member, 'DELETE', `/file/${id}/read/user/${stranger.name}`)).toBe(200);
      expect(await statusOf(stranger, 'GET', `/file/${id}`)).toBe(404);
      expect((await call(member, 'GET', `/file/details/${id}?withAcl=true`)).data._allowRead).toEqual([]);
      expect(await statusOf(member, 'DELETE', `/file/${id}`)).toBe(200);
      await expectGone(id);
    });

    it('can be stored by callers who may update the document alone', async () => {
      const { member, stranger, places, give } = await scene();
      const place = places[kind];
      expect((await attach(stranger, place)).body).toMatchObject({ http_code: 403, code: 'access.denied' });
      await give('read');
      expect((await attach(member, place)).body).toMatchObject({ http_code: 403, code: 'access.denied' });
      await give('update');
      const id = await attached(member, place);
      expect(await listed(member)).toEqual([id]);
    });

    it('end with the rights on the document, except for their authors', async () => {
      const { owner, member, places, give, revoke } = await scene();
      const place = places[kind];
      for (const right of ['read', 'update']) await give(right);
      const [theirs, own] = [await attached(owner, place), await attached(member, place)];
      await revoke('update');
      expect(await statusOf(member, 'DELETE', `/file/${theirs}`)).toBe(403);
      expect((await attach(member, place)).status).toBe(403);
      await revoke('read');
      expect(await statusOf(member, 'GET', `/file/${theirs}`)).toBe(404);
      expect(await listed(member)).toEqual([own]);
      expect(await statusOf(member, 'GET', `/file/${own}`)).toBe(200);
    });

    it('go with the document, with their bytes', async () => {
      const { owner, places } = await scene();
      const place = places[kind];
      const ids = [await attached(owner, place), await attached(owner, place)];
      const other = (
        await expectStatus(world.call('POST', '/file', { ...as(owner), bytes: multipart(filePart('x')) }), 201)
      ).data.id;
      await expectStatus(call(owner, 'DELETE', `/document/${place}`), 204);
      await expectGone(...ids);
      expect(await listed(owner)).toEqual([other]);
    });
  });

  it('go with the parent of the document, with its collection, and with its author', async () => {
    const first = await scene();
    const ofTask = await attached(first.owner, first.places.task);
    await expectStatus(call(first.owner, 'DELETE', `/document/${first.places.board}`), 204);
    await expectGone(ofTask);

    const second = await scene();
    const ofBoard = await attached(second.owner, second.places.board);
    await expectStatus(asAdmin('DELETE', `/admin/collection/${second.boards}`), 200);
    await expectGone(ofBoard);

    const third = await scene();
    for (const right of ['read', 'update']) await third.give(right);
    const ofMember = await attached(third.member, third.places.board);
    await expectStatus(asAdmin('DELETE', `/admin/user/${third.owner.name}`), 200);
    await expectGone(ofMember);
    expect(await listed(third.member)).toEqual([]);
  });

  it('follow a task to another board', async () => {
    const { boards, tasks, task, member, owner, places, give, added } = await scene();
    for (const right of ['read', 'update']) await give(right);
    const id = await attached(owner, places.task);
    const other = await added(boards, { title: 'Secret' });
    await expectStatus(call(owner, 'PUT', `/document/${tasks}/${task}`, { board: other }), 200);
    expect(await statusOf(member, 'GET', `/file/${id}`)).toBe(404);
    expect(await listed(member)).toEqual([]);
  });

  it('are found and ordered by their documents, which lists show', async () => {
    const { owner, places } = await scene();
    const [onTask, onBoard] = [await attached(owner, places.task), await attached(owner, places.board)];
    const upload = world.call('POST', '/file', { ...as(owner), bytes: multipart(filePart('plan')) });
    const own = (await expectStatus(upload, 201)).data.id;
    expect(await listed(owner, `?where=${encodeURIComponent(`document = '${places.task}'`)}`)).toEqual([onTask]);
    expect(await listed(owner, '?where=document%20is%20null')).toEqual([own]);
    const [first, second] = [places.board, places.task].toSorted();
    const { data } = await call(owner, 'GET', '/file/details?fields=id,document&orderBy=document');
    const id = (place: string | undefined) => (place === places.task ? onTask : onBoard);
    expect(data).toEqual([
      { id: own, document: null },
      { id: id(first), document: first },
      { id: id(second), document: second },
    ]);
  });

  it('need an existing document', async () => {
    const { boards, board, owner, tasks } = await scene();
    const unknown = '01a1fd53-e3a9-7129-9929-d37a635ccc92';
    for (const [document, status, code] of [
      [`${boards}/${unknown}`, 404, 'document.not_found'],
      [`${boards}/nonsense`, 404, 'document.not_found'],
      [`${tasks}/${board}`, 404, 'document.not_found'],
      [`nowhere/${board}`, 404, 'collection.not_found'],
      [board, 400, 'input.invalid'],
      [`${boards}/${board}/x`, 400, 'input.invalid'],
      ['', 400, 'input.invalid'],
    ] as const) {
      expect((await attach(owner, document)).body, document).toMatchObject({ http_code: status, code });
      expect((await call(owner, 'GET', `/file/details?document=${document}`)).body).toMatchObject({ code });
    }
    const before = await attached(owner, `${boards}/${board}`.toUpperCase().replace(boards.toUpperCase(), boards));
    expect((await call(owner, 'GET', `/file/details/${before}`)).data.document).toBe(`${boards}/${board}`);
  });

  it('are public if the document is, and if a file is granted to anonymous callers', async () => {
    const { owner, places } = await scene();
    const id = await attached(owner, places.board);
    const alone = await attached(owner, places.task);
    for (const url of [`/file/${id}`, `/file/details/${id}`, `/file/attachedData/${id}`, '/file/details']) {
      expect(await statusOf(null, 'GET', url)).toBe(401);
    }
    expect(await statusOf(null, 'GET', `/file/details?document=${places.board}`)).toBe(403);
    await expectStatus(call(owner, 'PUT', `/document/${places.board}/read/role/anonymous`), 200);
    expect(await listed(null, `?document=${places.board}`)).toEqual([id]);
    for (const url of [`/file/${id}`, `/file/details/${id}`, `/file/attachedData/${id}`]) {
      expect(await statusOf(null, 'GET', url)).toBe(200);
    }
    await expectStatus(call(owner, 'DELETE', `/document/${places.board}/read/role/anonymous`), 200);
    expect(await statusOf(null, 'GET', `/file/${alone}`)).toBe(401);
    await expectStatus(call(owner, 'PUT', `/file/${alone}/read/role/anonymous`), 200);
    expect(await statusOf(null, 'GET', `/file/${alone}`)).toBe(200);
    expect(await statusOf(null, 'DELETE', `/file/${alone}`)).toBe(401);
    await expectStatus(call(owner, 'DELETE', `/file/${alone}/read/role/anonymous`), 200);
  });

  it('are not stored twice by a repeated request, and not in another document', async () => {
    const { owner, places } = await scene();
    const headers = { 'idempotency-key': world.unique('key') };
    const first = await expectStatus(attach(owner, places.board, headers), 201);
    expect((await expectStatus(attach(owner, places.board, headers), 201)).data.id).toBe(first.data.id);
    expect((await attach(owner, places.task, headers)).body.code).toBe('idempotency.mismatch');
    expect(await listed(owner)).toEqual([first.data.id]);
  });

  it('go in a batch that removes the document', async () => {
    const { owner, places } = await scene();
    const id = await attached(owner, places.board);
    const operations = [{ method: 'DELETE', path: `/document/${places.board}` }];
    const { status, text } = await call(owner, 'POST', '/batch', { atomic: true, operations });
    expect(status, text).toBe(200);
    await expectGone(id);
  });
});
