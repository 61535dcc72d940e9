import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE } from '../support/documents.ts';

const NOTHING = { _allowRead: [], _allowUpdate: [], _allowDelete: [], _allow: [] };

onEveryStorage('all grants of a document', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  async function book() {
    const shelf = await createShelf(world);
    const created = await shelf.create({ a: 1 });
    const url = shelf.path(created.id);
    const { token } = shelf.owner;
    return {
      ...shelf,
      created,
      url,
      token,
      put: (body: unknown, as: string | undefined = token) => call('PUT', `${url}/acl`, { body, token: as }),
      shown: async (as: string | undefined = token) => (await call('GET', `${url}?withAcl=true`, { token: as })).data,
    };
  }

  describe('PUT /document/:collection/:id/acl', () => {
    it('grants exactly what it names and revokes everything else', async () => {
      const { put, share, created, url, shown } = await book();
      const [reader, writer, former] = [await world.user(), await world.user(), await world.user()];
      await share(created.id, `all/user/${former.name}`);
      await share(created.id, 'read/role/anonymous');
      const { status, text } = await put({
        read: { users: [reader.name.toUpperCase(), writer.name, reader.name], roles: [] },
        update: { users: [writer.name] },
        delete: { roles: ['registered'] },
      });
      expect([status, text]).toEqual([200, '{"result":"ok","data":"","http_code":200}']);
      const read = async (token?: string) => (await call('GET', url, token === undefined ? {} : { token })).status;
      expect([await read(reader.token), await read(writer.token), await read(former.token), await read()]).toEqual([
        200, 200, 403, 403,
      ]);
      expect(await shown()).toEqual({
        ...created,
        _allowRead: [
          { name: reader.name, isrole: false },
          { name: writer.name, isrole: false },
        ],
        _allowUpdate: [{ name: writer.name, isrole: false }],
        _allowDelete: [{ name: 'registereduser', isrole: true }],
        _allow: [],
      });
      expect((await call('PUT', url, { token: writer.token, body: { a: 2 } })).status).toBe(200);
      expect((await call('DELETE', url, { token: former.token })).status).toBe(204);
    });

    it('revokes everything when it names nobody', async () => {
      for (const body of [{}, { all: {} }, { read: { users: [], roles: [] } }]) {
        const { put, share, created, shown } = await book();
        await share(created.id, 'all/role/registereduser');
        expect((await put(body)).status).toBe(200);
        expect(await shown()).toEqual({ ...created, ...NOTHING });
      }
    });

    it.each<[what: string, body: unknown, bbCode: string | undefined]>([
      ['an unknown user', { read: { users: ['admin', 'nobody-at-all'] } }, '40005'],
      ['the name of a JavaScript property for a user', { read: { users: ['__proto__'] } }, '40005'],
      ['an unknown role', { all: { roles: ['no-role'] } }, '40006'],
      ['the name of a JavaScript property for a role', { all: { roles: ['constructor'] } }, '40006'],
      ['users that are not an array', { update: { users: 'admin' } }, '40010'],
      ['users that are null', { update: { users: null } }, '40010'],
      ['roles that are not an array', { delete: { roles: { 0: 'anonymous' } } }, '40010'],
      ['an unknown permission', { write: { users: [] } }, '40003'],
      ['the name of a JavaScript property for a permission', '{"__proto__":{"users":[]}}', '40003'],
      ['an array for a permission', { read: ['admin'] }, undefined],
      ['null for a permission', { read: null }, undefined],
      ['a name that is not a string', { read: { users: [1] } }, undefined],
      ['more than a thousand names', { read: { users: Array.from({ length: 1001 }, () => 'admin') } }, undefined],
      ['a body that is not an object', [], undefined],
      ['no body', undefined, '40011'],
    ])('rejects %s with 400 and changes nothing', async (_what, body, bbCode) => {
      const { put, share, created, shown } = await book();
      await share(created.id, 'read/role/anonymous');
      const before = await shown();
      const answer = await put(body);
      expect([answer.status, answer.body.bb_code]).toEqual([400, bbCode]);
      expect(await shown()).toEqual(before);
      expect(before._allowRead).toEqual([{ name: 'anonymous', isrole: true }]);
    });

    it('is for users who may grant', async () => {
      const { put, share, created, url, collection, token } = await book();
      const [holder, writer] = [await world.user(), await world.user()];
      const body = { all: { users: [holder.name] }, update: { users: [writer.name] } };
      expect((await put(body)).status).toBe(200);
      expect((await put(body, await world.admin())).status).toBe(200);
      expect((await put(body, holder.token)).status).toBe(200);
      expect((await put(body, writer.token)).status).toBe(403);
      expect((await put(body, (await world.user()).token)).status).toBe(403);
      await share(created.id, 'all/role/anonymous');
      expect((await call('PUT', `${url}/acl`, { body })).status).toBe(401);
      const other = await world.collection();
      for (const path of [`${collection}/${NOWHERE}`, `${other}/${created.id}`, `nowhere/${created.id}`]) {
        expect((await call('PUT', `/document/${path}/acl`, { body, token })).status).toBe(404);
      }
    });
  });

  describe('?withAcl=true', () => {
    it('shows the grants to users who may grant, by id alone too, and only the document to others', async () => {
      const { put, share, created, url, shown } = await book();
      const [holder, reader] = [await world.user(), await world.user()];
      await put({ all: { users: [holder.name] }, read: { users: [reader.name], roles: ['BACKOFFICE', 'anonymous'] } });
      const expected = {
        ...created,
        ...NOTHING,
        _allowRead: [
          { name: 'anonymous', isrole: true },
          { name: 'BackOffice', isrole: true },
          { name: reader.name, isrole: false },
        ],
        _allow: [{ name: holder.name, isrole: false }],
      };
      for (const token of [undefined, holder.token, await world.admin()]) expect(await shown(token)).toEqual(expected);
      const byId = await call('GET', `/document/${created.id}?withAcl=true`, { token: holder.token });
      expect(byId.data).toEqual(expected);
      expect(await shown(reader.token)).toEqual(created);
      await share(created.id, 'all/role/anonymous');
      expect((await call('GET', `${url}?withAcl=true`)).data).toEqual(created);
      expect((await call('GET', `${url}?withAcl=false`, { token: holder.token })).data).toEqual(created);
    });

    it('returns grants in the form that PUT and a new document accept', async () => {
      const { put, shown, collection, token, url, create } = await book();
      await put({ read: { roles: ['anonymous'] }, update: { users: ['admin'] } });
      const read = await shown();
      expect((await call('PUT', url, { token, body: read })).status).toBe(200);
      const { id } = await create(read);
      const copy = (await call('GET', `/document/${collection}/${id}?withAcl=true`, { token })).data;
      expect(copy).toMatchObject({ a: 1, _allowRead: read._allowRead, _allowUpdate: read._allowUpdate });
    });

    it('changes nothing for a document that does not exist or is not readable', async () => {
      const { url, collection } = await book();
      const { token } = await world.user();
      expect((await call('GET', `${url}?withAcl=true`, { token })).status).toBe(403);
      expect((await call('GET', `/document/${collection}/${NOWHERE}?withAcl=true`, { token })).status).toBe(404);
    });
  });
});
