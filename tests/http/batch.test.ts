import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE, type Shelf } from '../support/documents.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: envelopes of every shape
type Item = any;

onEveryStorage('batches', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const batch = (operations: unknown, options: CallOptions, atomic?: unknown) =>
    call('POST', '/batch', { ...options, body: { operations, ...(atomic === undefined ? {} : { atomic }) } });

  async function shelf(): Promise<Shelf & { readonly token: string; readonly url: string }> {
    const made = await createShelf(world);
    return { ...made, token: made.owner.token, url: `/document/${made.collection}` };
  }

  it('answer each operation as its own route would, in order', async () => {
    const { create, path, url, token } = await shelf();
    const other = await world.user();
    const [a, b, c] = [await create({ n: 1, tags: ['x'] }), await create({ n: 2 }), await create({ n: 3 })];
    const { status, body, data } = await batch(
      [
        { method: 'POST', path: url, body: { n: 4 } },
        { method: 'GET', path: path(a.id) },
        { method: 'GET', path: `/document/${b.id}` },
        { method: 'PUT', path: path(b.id), body: { n: 20, '@version': 1 } },
        { method: 'PUT', path: `${path(a.id)}/.tags[1]`, body: { data: 'y' } },
        { method: 'GET', path: `${path(a.id)}/.tags` },
        { method: 'PUT', path: `${path(a.id)}/read/user/${other.name}` },
        { method: 'PUT', path: `${path(b.id)}/all/role/anonymous` },
        { method: 'DELETE', path: `${path(b.id)}/all/role/anonymous` },
        { method: 'PUT', path: `${path(b.id)}/acl`, body: { update: { users: [other.name] } } },
        { method: 'GET', path: `${path(b.id)}?withAcl=true&call_id=k` },
        { method: 'DELETE', path: path(c.id) },
      ],
      { token },
    );
    expect([status, body.result, body.http_code]).toEqual([200, 'ok', 200]);
    expect(data.map(({ http_code }: Item) => http_code)).toEqual([...Array(11).fill(200), 204]);
    expect(data[0].data).toMatchObject({ n: 4, '@version': 1 });
    expect(data[1]).toEqual({ result: 'ok', data: a, http_code: 200 });
    expect(data[2].data).toEqual(b);
    expect(data[3].data).toMatchObject({ n: 20, '@version': 2 });
    expect(data[4].data).toMatchObject({ tags: ['x', 'y'] });
    expect(data[5].data).toEqual({ result: ['x', 'y'] });
    expect(data[6]).toEqual({ result: 'ok', data: '', http_code: 200 });
    expect(data[10].call_id).toBe('k');
    expect(data[10].data._allowUpdate).toEqual([{ name: other.name, isrole: false }]);
    expect(data[11]).toEqual({ result: 'ok', data: '', http_code: 204 });
    expect((await call('GET', path(a.id), { token: other.token })).data.tags).toEqual(['x', 'y']);
    expect((await call('GET', path(b.id), { token: other.token })).status).toBe(403);
    expect((await call('GET', path(c.id), { token })).status).toBe(404);
  });

  it('fail with the status, code and message of the single routes', async () => {
    const { create, path, url, token } = await shelf();
    const [mine, theirs] = [await create({ a: [1] }), await (await shelf()).create({})];
    const operations: Operation[] = [
      { method: 'POST', path: '/document/nowhere', body: {} },
      { method: 'POST', path: url },
      { method: 'POST', path: url, body: { _allowRead: 1 } },
      { method: 'POST', path: url, body: { _allowRead: [{ name: 'nobody-at-all' }] } },
      { method: 'GET', path: path(NOWHERE) },
      { method: 'GET', path: path('no-id') },
      { method: 'GET', path: `/document/${theirs['@class']}/${theirs.id}` },
      { method: 'PUT', path: path(mine.id), body: { '@version': 7 } },
      { method: 'PUT', path: path(mine.id), body: { '@version': 'x' } },
      { method: 'POST', path: url, body: { '@version': 'x' } },
      { method: 'PUT', path: `${path(mine.id)}/.n`, body: { data: 1, '@version': null } },
      { method: 'PUT', path: path(mine.id) },
      { method: 'PUT', path: `/document/${theirs['@class']}/${theirs.id}`, body: {} },
      { method: 'PUT', path: `${path(mine.id)}/.a[5]`, body: { data: 1 } },
      { method: 'PUT', path: `${path(mine.id)}/.a`, body: { date: 1 } },
      { method: 'PUT', path: `${path(mine.id)}/.id`, body: { data: 1 } },
      { method: 'GET', path: `${path(mine.id)}/.b` },
      { method: 'PUT', path: `${path(mine.id)}/write/user/admin` },
      { method: 'PUT', path: `${path(mine.id)}/read/user/nobody-at-all` },
      { method: 'DELETE', path: `${path(mine.id)}/read/role/no-role` },
      { method: 'PUT', path: `${path(mine.id)}/acl`, body: { write: {} } },
      { method: 'DELETE', path: path(NOWHERE) },
      { method: 'DELETE', path: `${path(mine.id)}?ver=7` },
      { method: 'DELETE', path: `${path(mine.id)}/.a?version[]=7` },
      { method: 'POST', path: `${url}?ID=${NOWHERE}`, body: {} },
      { method: 'DELETE', path: `/document/${theirs['@class']}/${theirs.id}` },
    ];
    for (const options of [{ token }, {}]) {
      const { data, status } = await batch(operations, options);
      expect(status).toBe(200);
      for (const [at, { method, path: one, body }] of operations.entries()) {
        const alone = await call(method, one, { ...options, ...(body === undefined ? {} : { body }) });
        const together = { ...data[at], request_header: alone.body.request_header };
        expect([method, one, together]).toEqual([method, one, alone.body]);
      }
      if (options.token === undefined) expect(data[0].http_code).toBe(401);
    }
    expect((await call('GET', path(mine.id), { token })).data).toEqual(mine);
  });

  it('continue after a failed operation', async () => {
    const { url, token, ids } = await shelf();
    const { data } = await batch(
      [
        { method: 'POST', path: url, body: { n: 1 } },
        { method: 'POST', path: '/document/nowhere', body: { n: 2 } },
        { method: 'POST', path: url, body: { n: 3 } },
      ],
      { token },
      false,
    );
    expect(data.map(({ result, http_code }: Item) => [result, http_code])).toEqual([
      ['ok', 200],
      ['error', 404],
      ['ok', 200],
    ]);
    expect(await ids({ token })).toEqual([data[0].data.id, data[2].data.id]);
  });

  it('let each operation see the effects of those before it', async () => {
    const { create, path, token } = await shelf();
    const { id } = await create({ list: [] });
    const append = (n: number) => ({ method: 'PUT', path: `${path(id)}/.list[${n}]`, body: { data: n } });
    for (const atomic of [false, true]) {
      const operations = [
        { method: 'PUT', path: path(id), body: { list: [] } },
        ...[0, 1, 2].map(append),
        { method: 'GET', path: `${path(id)}/.list` },
        { method: 'DELETE', path: path(id) },
      ];
      if (!atomic) operations.pop();
      const { data } = await batch(operations, { token }, atomic);
      expect(data[4].data.result).toEqual([0, 1, 2]);
    }
    expect((await call('GET', path(id), { token })).status).toBe(404);
  });

  describe('atomic batches', () => {
    it('change nothing when one operation fails, and name that operation', async () => {
      const { create, path, url, token, ids } = await shelf();
      const [a, b] = [await create({ n: 1 }), await create({ n: 2 })];
      const operations = [
        { method: 'POST', path: url, body: {} },
        { method: 'PUT', path: path(a.id), body: { n: 10 } },
        { method: 'PUT', path: `${path(a.id)}/read/role/anonymous` },
        { method: 'DELETE', path: path(b.id) },
        { method: 'PUT', path: path(a.id), body: { n: 11, '@version': 1 } },
        { method: 'DELETE', path: path(NOWHERE) },
      ];
      const { status, body } = await batch(operations, { token }, true);
      expect([status, body.bb_code, body.operation]).toEqual([400, '40001', 4]);
      expect(body).toMatchObject({ result: 'error', resource: '/batch', method: 'POST' });
      expect(body.message).toMatch(/^operations\[4\]: The document has changed/);
      expect(await ids({ token })).toEqual([a.id, b.id]);
      expect((await call('GET', path(a.id), { token })).data).toEqual(a);
      expect((await call('GET', path(a.id))).status).toBe(403);
    });

    it.each([
      ['a document that does not exist', { method: 'GET', path: `/document/${NOWHERE}` }, 404, undefined],
      ['no body', { method: 'POST', path: '/document/x' }, 400, '40011'],
      ['an unknown call', { method: 'GET', path: '/me' }, 400, undefined],
    ] as const)('fail with the status of %s', async (_what, operation, expected, bbCode) => {
      const { url, token, ids } = await shelf();
      const { status, body } = await batch([{ method: 'POST', path: url, body: {} }, operation], { token }, true);
      expect([status, body.bb_code, body.operation]).toEqual([expected, bbCode, 1]);
      expect(await ids({ token })).toEqual([]);
    });

    it('apply all operations when none fails, even with concurrent writers in another order', async () => {
      const { create, path, url, token } = await shelf();
      const made: string[] = [];
      for (let n = 0; n < 12; n++) made.push((await create({ n: 0 })).id);
      const one = (order: readonly string[], n: number) =>
        batch(
          [
            ...order.map((id) => ({ method: 'PUT', path: `${path(id)}/.k${n}`, body: { data: n } })),
            { method: 'POST', path: url, body: { of: n } },
          ],
          { token },
          true,
        );
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => one(n % 2 === 0 ? made : made.toReversed(), n)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      for (const id of made) {
        const { data } = await call('GET', path(id), { token });
        expect(data).toMatchObject(Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, n])));
        expect(data['@version']).toBe(11);
      }
      expect((await call('GET', `${url}/count`, { token })).data.count).toBe(22);
    });

    it('run concurrently with single calls on the same documents', async () => {
      const { create, path, share, token } = await shelf();
      const made = [(await create({})).id, (await create({})).id];
      const people = [await world.user(), await world.user()];
      const calls = Array.from({ length: 12 }, (_, n) => {
        const id = made[n % 2] as string;
        const { name } = people[n % 2] as { name: string };
        if (n % 3 === 0) return share(id, `read/user/${name}`).then(() => 200);
        if (n % 3 === 1) {
          return call('PUT', `${path(id)}/.n${n}`, { token, body: { data: n } }).then(({ status }) => status);
        }
        const grants = made.toReversed().map((one) => ({ method: 'PUT', path: `${path(one)}/read/user/${name}` }));
        return batch(grants, { token }, true).then(({ status }) => status);
      });
      expect(await Promise.all(calls)).toEqual(Array(12).fill(200));
    });
  });

  it('preserve content exactly, whatever the whitespace around it', async () => {
    const { url, collection, token } = await shelf();
    const content = '{"b":1,"10":2,"1":-1e-8,"":{"z":[ ],"a":"\\u00e9\\"}]"},"body":{"operations":[1]}}';
    const sent = ` { "operations" :\n[ {"path":"${url}" , "body" : ${content}\t, "method":"POST"} ,
      {"method":"POST","path":"${url}","body":null},{"body":[1 ,2],"method":"post","path":"${url}"}] , "atomic":true }`;
    const { status, text, data } = await call('POST', '/batch', { token, body: sent });
    expect([text, status]).toEqual([text, 200]);
    const kept = '"b":1,"10":2,"1":-1e-8,"":{"z":[],"a":"é\\"}]"},"body":{"operations":[1]}}';
    expect(text).toContain(kept);
    const { text: read } = await call('GET', `/document/${collection}/${data[0].data.id}`, { token });
    expect(read).toContain(kept);
    expect([data[1].data.value, data[2].data.value]).toEqual([null, [1, 2]]);
  });

  it('create documents in the order of the operations', async () => {
    const { url, token, ids } = await shelf();
    const operations = Array.from({ length: 100 }, (_, n) => ({
      method: 'POST',
      path: url,
      body: { n, ...(n % 3 === 0 ? { _allowRead: [{ name: 'anonymous', isrole: true }] } : {}) },
    }));
    const { data } = await batch(operations, { token }, true);
    expect(await ids({ token })).toEqual(data.map((item: Item) => item.data.id));
    expect(await ids({})).toHaveLength(34);
  });

  it('give anonymous callers what they may read, and nothing else', async () => {
    const { create, share, path, url } = await shelf();
    const [a, b] = [await create({ n: 1 }), await create({ n: 2 })];
    await share(a.id, 'read/role/anonymous');
    const reads = [a, b].map(({ id }) => ({ method: 'GET', path: path(id) }));
    const { data } = await batch([...reads, { method: 'POST', path: url, body: {} }], {});
    expect(data.map(({ http_code }: Item) => http_code)).toEqual([200, 403, 401]);
    expect((await batch(reads, {}, true)).status).toBe(403);
    expect((await batch(reads, { appCode: null })).status).toBe(400);
    expect((await batch(reads, { token: 'stale' })).status).toBe(401);
  });

  it.each<[what: string, body: unknown, path: string]>([
    ['a body that is not an object', [], ''],
    ['null', 'null', ''],
    ['no operations', { atomic: true }, '/operations'],
    ['operations that are not an array', { operations: { 0: {} } }, '/operations'],
    ['an operation that is not an object', { operations: ['GET /document/x'] }, '/operations/0'],
    ['an operation without a method', { operations: [{ path: '/document/x' }] }, '/operations/0/method'],
    ['an operation without a path', { operations: [{ method: 'GET' }] }, '/operations/0/path'],
    ['a path that is not a string', { operations: [{ method: 'GET', path: 1 }] }, '/operations/0/path'],
    ['a flag that is not a boolean', { operations: [], atomic: 'true' }, '/atomic'],
    [
      '101 operations',
      { operations: Array.from({ length: 101 }, () => ({ method: 'GET', path: '/document/x' })) },
      '/operations',
    ],
  ])('are rejected as a whole with 400 that names the input: %s', async (_what, body, path) => {
    const { token } = await world.user();
    const answer = await call('POST', '/batch', { token, body });
    expect(answer.body).toMatchObject({ http_code: 400, code: 'batch.invalid', errors: [{ path }] });
    expect(answer.body.operation).toBeUndefined();
  });

  it('need a body', async () => {
    const { token } = await world.user();
    expect((await call('POST', '/batch', { token })).body).toMatchObject({ http_code: 400, code: 'input.empty' });
  });

  it('may be empty', async () => {
    const { token } = await world.user();
    for (const atomic of [true, false]) expect((await batch([], { token }, atomic)).data).toEqual([]);
  });

  it('accept only calls on single documents', async () => {
    const { collection, token, create, path } = await shelf();
    const { id } = await create({});
    const operations = [
      ['GET', `/document/${collection}`],
      ['GET', `/document/${collection}/count`],
      ['GET', '/me'],
      ['POST', '/batch'],
      ['POST', '/user'],
      ['PATCH', `${path(id)}/.a`],
      ['DELETE', `/document/${collection}`],
      ['POST', path(id)],
      ['POST', `${path(id)}/.a`],
      ['GET', `${path(id)}/acl`],
      ['PUT', `${path(id)}/read/team/x`],
      ['GET', `document/${collection}/${id}`],
      ['GET', ''],
      ['GET', `${path(id)}/%ff`],
      ['GET', `/document/${collection}/%00`],
    ].map(([method, one]) => ({ method, path: one, body: {} }));
    const { data } = await batch(operations, { token });
    expect(data.map(({ http_code }: Item) => http_code)).toEqual(operations.map(() => 400));
    expect((await call('GET', path(id), { token })).status).toBe(200);
  });

  it('limit the size of each operation, of all operations together and of the answers', async () => {
    const { url, token, create, path } = await shelf();
    const body = (bytes: number) => ({ a: 'x'.repeat(bytes - 8) });
    const [fits, tooLarge] = [body(1_048_576), body(1_048_577)];
    const post = (one: unknown) => ({ method: 'POST', path: url, body: one });
    const { data } = await batch([post(fits), post(tooLarge), post(fits)], { token });
    expect(data.map(({ http_code }: Item) => http_code)).toEqual([200, 413, 200]);
    expect((await batch([post(fits), post(fits), post(fits), post(fits)], { token })).status).toBe(413);
    const { id } = await create(fits);
    const reads = Array.from({ length: 20 }, () => ({ method: 'GET', path: path(id) }));
    const answers = (await batch(reads, { token })).data.map(({ http_code }: Item) => http_code);
    expect([answers.slice(0, 8), answers.slice(9)]).toEqual([Array(8).fill(200), Array(11).fill(413)]);
    expect((await batch(reads, { token }, true)).status).toBe(413);
  });
});
