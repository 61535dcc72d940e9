import { ERRORS } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE, UUID, WIRE_DATE } from '../support/documents.ts';

onEveryStorage('documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const shelf = () => createShelf(world);

  describe('POST /document/:collection', () => {
    it('stores the content and answers with the whole document', async () => {
      const { collection, owner } = await shelf();
      const { status, data, headers } = await call('POST', `/document/${collection}`, {
        token: owner.token,
        body: { title: 'Zeno', tags: [1, null, { a: true }] },
      });
      expect(status).toBe(200);
      expect(data).toEqual({
        id: expect.stringMatching(UUID),
        '@ID': data.id,
        '@rid': `#${data.id}`,
        '@version': 1,
        '@class': collection,
        _creation_date: expect.stringMatching(WIRE_DATE),
        _update_date: data._creation_date,
        _author: owner.name,
        _updated_by: owner.name,
        title: 'Zeno',
        tags: [1, null, { a: true }],
      });
      expect(headers['bb-username']).toBe(owner.name);
    });

    it('finds the collection whatever the case, and answers with its original spelling', async () => {
      const { collection, owner } = await shelf();
      const url = `/document/${collection.toUpperCase()}`;
      const { data } = await call('POST', url, { token: owner.token, body: {} });
      expect(data['@class']).toBe(collection);
      expect((await call('GET', `${url}/${data.id}`, { token: owner.token })).data).toEqual(data);
    });

    it('ignores fields that the service owns', async () => {
      const { create, owner } = await shelf();
      const sent = {
        '@version': 7,
        _author: 'me',
        _updated_by: 'me',
        id: 1,
        '@class': 2,
        '@own': 3,
        _allowX: 4,
        _creation_date: 5,
        a: 6,
      };
      const created = await create(sent);
      expect(created).toMatchObject({ '@version': 1, _author: owner.name, a: 6 });
      expect(created.id).toMatch(UUID);
      expect(Object.keys(created)).not.toContain('@own');
      expect(Object.keys(created)).not.toContain('_allowX');
    });

    it.each(['null', '"1"', '1.5', '{}', '[]', 'true', '9007199254740992'])(
      'is 400 when @version is %s, and stores nothing',
      async (version) => {
        const { collection, owner } = await shelf();
        const url = `/document/${collection}`;
        for (const headers of [{}, { 'idempotency-key': 'k' }]) {
          const answer = await call('POST', url, {
            token: owner.token,
            headers,
            body: `{"a":1,"@version":${version}}`,
          });
          expect([answer.status, answer.body.message]).toEqual([400, ERRORS['document.version_invalid']]);
        }
        expect((await call('GET', `${url}/count`, { token: owner.token })).data).toEqual({ count: 0 });
      },
    );

    it('is 404 for a collection that does not exist', async () => {
      const { token } = await world.user();
      expect((await call('POST', '/document/nowhere', { token, body: {} })).status).toBe(404);
      expect((await call('POST', `/document/${NOWHERE}`, { token, body: {} })).status).toBe(404);
    });

    it('is 400 with 40011 without a body', async () => {
      const { collection, owner } = await shelf();
      for (const headers of [{}, { 'content-type': 'application/json' }]) {
        const { status, body } = await call('POST', `/document/${collection}`, { token: owner.token, headers });
        expect([status, body.bb_code]).toEqual([400, '40011']);
      }
    });

    it('requires a user', async () => {
      const { collection } = await shelf();
      expect((await call('POST', `/document/${collection}`, { body: {} })).status).toBe(401);
    });
  });

  describe('reading', () => {
    it('finds a document by collection and id, and by id alone, whatever the case of the id', async () => {
      const { create, path, owner } = await shelf();
      const created = await create({ a: 1 });
      for (const url of [path(created.id), `/document/${created.id}`, `/document/${created.id.toUpperCase()}`]) {
        const { status, data } = await call('GET', url, { token: owner.token });
        expect([status, data]).toEqual([200, created]);
      }
    });

    it('is 404 for a document that does not exist or is in another collection', async () => {
      const { create, path, owner } = await shelf();
      const created = await create({});
      const other = await world.collection();
      const urls = [path(NOWHERE), path('no-id'), `/document/${NOWHERE}`, `/document/${other}/${created.id}`];
      for (const url of [...urls, `/document/nowhere/${created.id}`, '/document/nowhere']) {
        expect((await call('GET', url, { token: owner.token })).status).toBe(404);
      }
    });
  });

  describe('PUT /document/:collection/:id', () => {
    it('replaces the whole content and increments the version', async () => {
      const { create, path, owner } = await shelf();
      const created = await create({ a: 1, b: 2 });
      const { status, data } = await call('PUT', path(created.id), { token: owner.token, body: { b: 3 } });
      expect(status).toBe(200);
      const { a, ...rest } = created;
      expect(a).toBe(1);
      expect(data).toEqual({ ...rest, b: 3, '@version': 2, _update_date: expect.stringMatching(WIRE_DATE) });
      expect((await call('GET', path(created.id), { token: owner.token })).data).toEqual(data);
    });

    it('accepts a document as it was read, and keeps the fields that the service owns', async () => {
      const { create, path, owner } = await shelf();
      const created = await create({ a: 1 });
      const body = { ...created, _author: 'x', _creation_date: 'x', '@class': 'x', id: 'x', a: 2 };
      const { data } = await call('PUT', path(created.id), { token: owner.token, body });
      expect(data).toEqual({ ...created, a: 2, '@version': 2, _update_date: expect.stringMatching(WIRE_DATE) });
    });

    it('is 400 with 40001 when @version is not the current one, and changes nothing', async () => {
      const { create, path, owner } = await shelf();
      const { id } = await create({ a: 1 });
      const put = (version: unknown) =>
        call('PUT', path(id), { token: owner.token, body: { a: 2, '@version': version } });
      expect((await put(1)).status).toBe(200);
      for (const stale of [1, 3, 0, -1, Number.MAX_SAFE_INTEGER]) {
        const { status, body } = await put(stale);
        expect([status, body.bb_code]).toEqual([400, '40001']);
      }
      expect((await call('GET', path(id), { token: owner.token })).data['@version']).toBe(2);
    });

    it.each([['"1"'], ['1.5'], ['null'], ['true'], ['[1]'], ['1e300']])(
      'is 400 when @version is %s',
      async (version) => {
        const { create, path, owner } = await shelf();
        const { id } = await create({ a: 1 });
        const body = `{"@version":${version}}`;
        const answer = await call('PUT', path(id), { token: owner.token, body });
        expect([answer.status, answer.body.bb_code]).toEqual([400, undefined]);
        expect((await call('GET', path(id), { token: owner.token })).data.a).toBe(1);
      },
    );

    it('lets exactly one of 20 concurrent writers of the same version succeed', async () => {
      const { create, path, owner } = await shelf();
      const { id } = await create({});
      const attempts = Array.from({ length: 20 }, (_, i) =>
        call('PUT', path(id), { token: owner.token, body: { i, '@version': 1 } }),
      );
      const statuses = (await Promise.all(attempts)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 400)).toHaveLength(19);
    });

    it('ignores grants in the content', async () => {
      const { create, path, owner } = await shelf();
      const [created, stranger] = [await create({}), await world.user()];
      const body = { _allowRead: [{ name: stranger.name }], _allow: 'anything' };
      expect((await call('PUT', path(created.id), { token: owner.token, body })).status).toBe(200);
      expect((await call('GET', path(created.id), { token: stranger.token })).status).toBe(403);
    });

    it('is 404 for a document that does not exist, and 400 without a body', async () => {
      const { create, path, owner } = await shelf();
      const { id } = await create({});
      const { token } = owner;
      const other = await world.collection();
      for (const url of [path(NOWHERE), path('x'), `/document/${other}/${id}`, `/document/nowhere/${id}`]) {
        expect((await call('PUT', url, { token, body: {} })).status).toBe(404);
      }
      expect((await call('PUT', path(id), { token })).body.bb_code).toBe('40011');
    });
  });

  describe('DELETE /document/:collection/:id', () => {
    it('answers 204 without a body and removes the document', async () => {
      const { create, path, owner, ids } = await shelf();
      const { id } = await create({});
      const { status, text } = await call('DELETE', path(id), {
        token: owner.token,
        headers: { 'content-type': 'application/json' },
      });
      expect([status, text]).toEqual([204, '']);
      expect((await call('GET', path(id), { token: owner.token })).status).toBe(404);
      expect((await call('DELETE', path(id), { token: owner.token })).status).toBe(404);
      expect(await ids({ token: owner.token })).toEqual([]);
    });

    it('removes only the version that it is given', async () => {
      const { create, path, owner } = await shelf();
      const { id } = await create({});
      const { token } = owner;
      await call('PUT', path(id), { token, body: { a: 1 } });
      const stranger = await world.user();
      expect((await call('DELETE', `${path(id)}?version=2`, { token: stranger.token })).status).toBe(403);
      for (const headers of [{}, { 'idempotency-key': 'k1' }]) {
        const stale = await call('DELETE', `${path(id)}?version=1`, { token, headers });
        expect([stale.status, stale.body.code]).toEqual([400, 'document.stale']);
      }
      expect((await call('DELETE', `${path(id)}?version=x`, { token })).body.code).toBe('document.version_invalid');
      const operations = [{ method: 'DELETE', path: `${path(id)}?version=1` }];
      expect((await call('POST', '/batch', { token, body: { atomic: true, operations } })).body.code).toBe(
        'document.stale',
      );
      expect((await call('GET', path(id), { token })).data.a).toBe(1);
      expect(
        (await call('DELETE', `${path(id)}?version=2`, { token, headers: { 'idempotency-key': 'k2' } })).status,
      ).toBe(204);
      expect((await call('DELETE', `${path(id)}?version=2`, { token })).body.code).toBe('document.not_found');
    });

    it('lets either a removal or a change of the same version succeed', async () => {
      const { create, path, owner } = await shelf();
      const { token } = owner;
      for (let round = 0; round < 5; round++) {
        const { id } = await create({});
        const answers = await Promise.all([
          call('DELETE', `${path(id)}?version=1`, { token }),
          call('PUT', path(id), { token, body: { '@version': 1 } }),
        ]);
        expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      }
    });

    it('is 404 for a document of another collection, and keeps it', async () => {
      const { create, path, owner } = await shelf();
      const { id } = await create({});
      const other = await world.collection();
      expect((await call('DELETE', `/document/${other}/${id}`, { token: owner.token })).status).toBe(404);
      expect((await call('DELETE', `/document/nowhere/${id}`, { token: owner.token })).status).toBe(404);
      expect((await call('GET', path(id), { token: owner.token })).status).toBe(200);
    });
  });
});
