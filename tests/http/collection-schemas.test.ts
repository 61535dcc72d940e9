import { describe, expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus } from '../support/people.ts';

const ARTICLE = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    state: { enum: ['draft', 'public'], default: 'draft' },
  },
  required: ['title'],
  additionalProperties: false,
};

onEveryStorage('schemas of collections', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const asAdmin = (method: string, url: string, body?: unknown) =>
    call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
  const urlOf = (collection: string, query = '') => `/admin/collection/${collection}/schema${query}`;

  /** A collection with a schema, and a user who writes to it. */
  async function scene(schema: unknown = ARTICLE) {
    const [collection, { token }] = [await world.collection(), await world.user()];
    await expectStatus(asAdmin('PUT', urlOf(collection), schema), 200);
    const send = (method: string, path = '', body?: unknown) =>
      call(method, `/document/${collection}${path}`, { token, ...(body === undefined ? {} : { body }) });
    const create = async (content: unknown) => (await expectStatus(send('POST', '', content), 200)).data;
    return { collection, token, send, create };
  }

  function expectInvalid(answer: Answer, ...paths: string[]): void {
    expectFailure(answer, 400);
    expect(answer.body.code).toBe('document.invalid');
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
  }

  it('new documents must conform, whoever creates them; nothing is filled in', async () => {
    const { collection, send, create } = await scene();
    expectInvalid(await send('POST', '', {}), '/title');
    expectInvalid(await send('POST', '', { title: '', tags: [1], more: true }), '/more', '/title', '/tags/0');
    expectInvalid(await asAdmin('POST', `/document/${collection}`, {}), '/title');
    const made = await create({ title: 'Rain', id: 'x', '@version': 1, _author: 'y', _allowRead: [] });
    expect(made).toMatchObject({ title: 'Rain', '@version': 1 });
    expect(made).not.toHaveProperty('state');
  });

  it('sees the content without the names of the service, and what is no object as its value', async () => {
    const { send, create } = await scene({
      type: 'object',
      properties: { value: { type: 'integer' } },
      required: ['value'],
      additionalProperties: false,
    });
    expect(await create('7')).toMatchObject({ value: 7 });
    expect(await create({ value: 8, '@class': 'x' })).toMatchObject({ value: 8 });
    expectInvalid(await send('POST', '', '"text"'), '/value');
    expectInvalid(await send('POST', '', '[1]'), '/value');
  });

  it('a replacement, a field, an append and the removal of a field must leave a document that conforms', async () => {
    const { send, create } = await scene();
    const { id } = await create({ title: 'Rain', tags: ['a', 'b'] });
    expectInvalid(await send('PUT', `/${id}`, { tags: [] }), '/title');
    expectInvalid(await send('PUT', `/${id}/.title`, { data: 7 }), '/title');
    expectInvalid(await send('PUT', `/${id}/.other`, { data: 7 }), '/other');
    expectInvalid(await send('DELETE', `/${id}/.title`), '/title');
    await expectStatus(send('PUT', `/${id}/.tags[]`, { data: 'c' }), 200);
    expectInvalid(await send('PUT', `/${id}/.tags[]`, { data: 'd' }), '/tags');
    expectInvalid(await send('PUT', `/${id}/.tags[0]`, { data: null }), '/tags/0');
    await expectStatus(send('DELETE', `/${id}/.tags[0]`), 200);
    await expectStatus(send('PUT', `/${id}/.tags[]`, { data: 'd' }), 200);
    const { data } = await send('GET', `/${id}`);
    expect(data).toMatchObject({ title: 'Rain', tags: ['b', 'c', 'd'], '@version': 4 });
    await expectStatus(send('PUT', `/${id}`, { title: 'Sun' }), 200);
  });

  it('an invalid change by a caller without the right to update is refused for the missing right', async () => {
    const { collection, create } = await scene();
    const { id } = await create({ title: 'Rain' });
    const { token } = await world.user();
    const url = `/document/${collection}/${id}`;
    expectFailure(await call('PUT', `${url}/.title`, { token, body: { data: 7 } }), 403);
    expectFailure(await call('PUT', url, { token, body: { title: 7 } }), 403);
    const unknown = `/document/${collection}/00000000-0000-7000-8000-000000000000`;
    expectFailure(await call('PUT', unknown, { token, body: { title: 7 } }), 404);
  });

  it('concurrent appends never leave a document that does not conform', async () => {
    const { send, create } = await scene();
    const { id } = await create({ title: 'Rain', tags: [] });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => send('PUT', `/${id}/.tags[]`, { data: `t${i}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(new Set(statuses)).toEqual(new Set([200, 400]));
    expect((await send('GET', `/${id}`)).data.tags).toHaveLength(3);
  });

  it.each([false, true])('in a batch with atomic: %s each problem names its operation', async (atomic) => {
    const { collection, token, send, create } = await scene();
    const { id } = await create({ title: 'Rain' });
    const operations = [
      { method: 'POST', path: `/document/${collection}`, body: { title: 'Sun' } },
      { method: 'PUT', path: `/document/${collection}/${id}/.title`, body: { data: 7 } },
    ];
    const answer = await call('POST', '/batch', { token, body: { atomic, operations } });
    const failed = atomic ? answer.body : answer.data[1];
    expect(failed).toMatchObject({
      code: 'document.invalid',
      errors: [{ path: '/title', message: 'must be string', operation: 1 }],
    });
    expect((await send('GET', '?count=true')).data).toEqual([{ count: atomic ? 1 : 2 }]);
  });

  it('the replay of a refused request has the same problems', async () => {
    const { collection, token } = await scene();
    const options = { token, body: { title: 7 }, headers: { 'Idempotency-Key': world.unique('key') } };
    const first = await call('POST', `/document/${collection}`, options);
    const again = await call('POST', `/document/${collection}`, options);
    expectInvalid(first, '/title');
    expect([again.status, again.body.errors]).toEqual([400, first.body.errors]);
  });

  describe('/admin/collection/:name/schema', () => {
    it.each([
      ['?dry=true', 200],
      ['', 400],
    ])('PUT with "%s" counts stored documents that violate it, and leaves them readable', async (query, status) => {
      const [collection, { token }] = [await world.collection(), await world.user()];
      const ids: string[] = [];
      for (let i = 0; i < 15; i++) {
        await expectStatus(call('POST', `/document/${collection}`, { token, body: { title: `t${i}` } }), 200);
        const { data } = await expectStatus(call('POST', `/document/${collection}`, { token, body: { text: i } }), 200);
        ids.push(data.id);
      }
      const { data } = await expectStatus(asAdmin('PUT', urlOf(collection, query), ARTICLE), 200);
      expect(data.violations).toBe(15);
      expect(data.first.map(({ id }: { id: string }) => id)).toEqual(ids);
      const problems = data.first[0].errors.toSorted((a: { path: string }, b: { path: string }) =>
        a.path < b.path ? -1 : 1,
      );
      expect(problems).toEqual([
        { path: '/text', message: 'is not allowed' },
        { path: '/title', message: 'is missing' },
      ]);
      const url = `/document/${collection}/${ids[0]}`;
      expect((await call('PUT', url, { token, body: { text: 1 } })).status).toBe(status);
      expect((await call('GET', url, { token })).data).toHaveProperty('text');
      expect((await call('DELETE', url, { token })).status).toBe(204);
    });

    it('answers the schema as it was sent, replaces and removes it, and forgets it with the collection', async () => {
      const { collection, send } = await scene();
      expect((await expectStatus(asAdmin('GET', urlOf(collection)), 200)).data).toEqual(ARTICLE);
      await expectStatus(asAdmin('PUT', urlOf(collection.toUpperCase()), { type: 'object' }), 200);
      await expectStatus(send('POST', '', {}), 200);
      await expectStatus(asAdmin('PUT', urlOf(collection), ARTICLE), 200);
      expectInvalid(await send('POST', '', {}), '/title');
      await expectStatus(asAdmin('DELETE', urlOf(collection)), 200);
      await expectStatus(send('POST', '', {}), 200);
      const missing = await asAdmin('DELETE', urlOf(collection));
      expect([missing.status, missing.body.code]).toEqual([404, 'schema.not_found']);
      expectFailure(await asAdmin('GET', urlOf(collection)), 404);
      await expectStatus(asAdmin('PUT', urlOf(collection), ARTICLE), 200);
      await expectStatus(asAdmin('DELETE', `/admin/collection/${collection}`), 200);
      await expectStatus(asAdmin('POST', `/admin/collection/${collection}`), 201);
      await expectStatus(send('POST', '', {}), 200);
    });

    it('rejects what is no schema, with pointers, and keeps the one before', async () => {
      const { collection, send } = await scene();
      for (const [schema, path] of [
        [{ type: 'text' }, '/type'],
        [[], ''],
        [{ properties: { a: { type: 'string', pattern: '(?!x)' } } }, '/properties/a/pattern'],
        [{ description: 'x'.repeat(65_536) }, ''],
      ] as const) {
        const answer = await asAdmin('PUT', urlOf(collection), schema);
        expectFailure(answer, 400);
        expect([answer.body.code, answer.body.errors[0].path]).toEqual(['schema.invalid', path]);
      }
      expectInvalid(await send('POST', '', {}), '/title');
    });

    it('is for administrators, and for collections that exist', async () => {
      const [collection, { token }] = [await world.collection(), await world.user()];
      for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
        const options = body === undefined ? { token } : { token, body };
        expectFailure(await call(method, urlOf(collection), options), 403);
        const missing = await asAdmin(method, urlOf('nothing'), body);
        expect(missing.body.code).toBe('collection.not_found');
      }
    });
  });
});
