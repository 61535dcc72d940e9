import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE, type Shelf } from '../support/documents.ts';

const CALLS = ['read', 'listed', 'update', 'grant', 'revoke', 'delete'] as const;
type Expected = readonly [read: number, listed: boolean, update: number, grant: number, revoke: number, remove: number];

const NOTHING: Expected = [403, false, 403, 403, 403, 403];
const READ: Expected = [200, true, 403, 403, 403, 403];
const UPDATE: Expected = [403, false, 200, 403, 403, 403];
const DELETE: Expected = [403, false, 403, 403, 403, 204];
const ALL: Expected = [200, true, 200, 200, 200, 204];
/** Callers without credentials get no further than reading. */
const ANONYMOUS: Expected = [403, false, 401, 401, 401, 401];
const ANONYMOUS_READER: Expected = [200, true, 401, 401, 401, 401];

type Caller = 'owner' | 'administrator' | 'BackOffice' | 'other' | 'anonymous';

/** The caller, the earlier grants (`@` stands for the caller's name), and the statuses of each call. */
const MATRIX: ReadonlyArray<readonly [caller: Caller, grants: readonly string[], expected: Expected]> = [
  ['owner', [], ALL],
  ['administrator', [], ALL],
  ['BackOffice', [], ALL],
  ['other', [], NOTHING],
  ['other', ['read/user/@'], READ],
  ['other', ['update/user/@'], UPDATE],
  ['other', ['delete/user/@'], DELETE],
  ['other', ['all/user/@'], ALL],
  ['other', ['read/user/@', 'update/user/@', 'delete/user/@'], [200, true, 200, 403, 403, 204]],
  ['other', ['read/role/registereduser'], READ],
  ['other', ['update/role/registereduser'], UPDATE],
  ['other', ['delete/role/registereduser'], DELETE],
  ['other', ['all/role/registereduser'], ALL],
  ['other', ['read/role/anonymous'], READ],
  ['other', ['all/role/anonymous'], ALL],
  ['other', ['update/user/@', 'read/role/registereduser'], [200, true, 200, 403, 403, 403]],
  ['other', ['all/role/administrator'], NOTHING],
  ['other', ['all/role/backoffice'], NOTHING],
  ['anonymous', [], ANONYMOUS],
  ['anonymous', ['all/role/registereduser'], ANONYMOUS],
  ['anonymous', ['read/role/anonymous'], ANONYMOUS_READER],
  ['anonymous', ['update/role/anonymous'], ANONYMOUS],
  ['anonymous', ['all/role/anonymous'], ANONYMOUS_READER],
];

onEveryStorage('rights on documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const shelf = () => createShelf(world);

  async function credentials(caller: Caller, { owner }: Shelf): Promise<{ name: string; options: CallOptions }> {
    if (caller === 'owner') return { name: owner.name, options: { token: owner.token } };
    if (caller === 'administrator') return { name: 'admin', options: { token: await world.admin() } };
    if (caller === 'BackOffice') {
      const name = world.unique('clerk');
      const body = { username: name, password: 'secret', role: 'backoffice' };
      await call('POST', '/admin/user', { token: await world.admin(), body });
      return { name, options: { basic: [name, 'secret'] } };
    }
    if (caller === 'anonymous') return { name: 'nobody', options: {} };
    const { name, token } = await world.user();
    return { name, options: { token } };
  }

  async function attempt({ path, ids }: Shelf, id: string, options: CallOptions): Promise<Record<string, unknown>> {
    const { name: third } = await world.user();
    const status = async (method: string, suffix = '', body?: unknown) =>
      (await call(method, path(id) + suffix, body === undefined ? options : { ...options, body })).status;
    const byIdAlone = (await call('GET', `/document/${id}`, options)).status;
    const outcome = {
      read: await status('GET'),
      listed: (await ids(options)).includes(id),
      update: await status('PUT', '', { changed: true }),
      grant: await status('PUT', `/read/user/${third}`),
      revoke: await status('DELETE', '/update/role/registered'),
      delete: await status('DELETE'),
    };
    return { ...outcome, byIdAlone };
  }

  it.each(MATRIX)('give %s with grants %j exactly the expected access', async (caller, grants, expected) => {
    const place = await shelf();
    const { name, options } = await credentials(caller, place);
    const { id } = await place.create({ changed: false });
    for (const grant of grants) await place.share(id, grant.replace('@', name));
    const due = Object.fromEntries(CALLS.map((key, i) => [key, expected[i]]));
    // `update` is revoked from registereduser only after it was tried, and nothing later depends on it.
    expect(await attempt(place, id, options)).toEqual({ ...due, byIdAlone: expected[0] });
    const after = await call('GET', place.path(id), { token: place.owner.token });
    expect(after.status).toBe(expected[5] === 204 ? 404 : 200);
    if (after.status === 200) expect(after.data.changed).toBe(expected[2] === 200);
  });

  describe('grants', () => {
    it('are answered with 200 and an empty payload, and can be revoked', async () => {
      const { create, path, owner } = await shelf();
      const [{ id }, { name, token }] = [await create({}), await world.user()];
      const grant = `${path(id)}/read/user/${name}`;
      for (const [method, read] of [
        ['PUT', 200],
        ['PUT', 200],
        ['DELETE', 403],
        ['DELETE', 403],
      ] as const) {
        const { status, text } = await call(method, grant, { token: owner.token });
        expect([status, text]).toEqual([200, '{"result":"ok","data":"","http_code":200}']);
        expect((await call('GET', path(id), { token })).status).toBe(read);
      }
    });

    it('do not change the version', async () => {
      const { create, share, path, owner } = await shelf();
      const created = await create({});
      await share(created.id, 'all/role/registereduser');
      expect((await call('GET', path(created.id), { token: owner.token })).data).toEqual(created);
    });

    it.each([
      ['registered', 'registereduser'],
      ['REGISTEREDUSER', 'registereduser'],
      ['Anonymous', 'anonymous'],
    ])('to the role "%s" are stored as grants to %s', async (alias, role) => {
      const { create, share, path } = await shelf();
      const [{ id }, { token }] = [await create({}), await world.user()];
      const options = role === 'anonymous' ? {} : { token };
      await share(id, `read/role/${alias}`);
      expect((await call('GET', path(id), options)).status).toBe(200);
      await share(id, `read/role/${role}`, 'DELETE');
      expect((await call('GET', path(id), options)).status).toBe(403);
    });

    it.each(['admin', 'administrator', 'backoffice', 'BackOffice'])('accept the role name "%s"', async (role) => {
      const { create, share } = await shelf();
      await share((await create({})).id, `all/role/${role}`);
    });

    it('find the user whatever the case of the name', async () => {
      const { create, share, path } = await shelf();
      const [{ id }, { name, token }] = [await create({}), await world.user(world.unique('Zoë '))];
      await share(id, `read/user/${encodeURIComponent(name.toUpperCase())}`);
      expect((await call('GET', path(id), { token })).status).toBe(200);
    });

    it('of all remain when read is revoked, and a single right remains when all is revoked', async () => {
      const { create, share, path } = await shelf();
      const [{ id }, { name, token }] = [await create({}), await world.user()];
      const read = async () => (await call('GET', path(id), { token })).status;
      await share(id, `all/user/${name}`);
      await share(id, `read/user/${name}`, 'DELETE');
      expect(await read()).toBe(200);
      await share(id, `read/user/${name}`);
      await share(id, `all/user/${name}`, 'DELETE');
      expect(await read()).toBe(200);
      await share(id, `read/user/${name}`, 'DELETE');
      expect(await read()).toBe(403);
    });

    it('do not affect the rights of the owner', async () => {
      const { create, share, path, owner } = await shelf();
      const { id } = await create({});
      await share(id, `read/user/${owner.name}`);
      await share(id, `all/user/${owner.name}`, 'DELETE');
      expect((await call('GET', path(id), { token: owner.token })).status).toBe(200);
    });

    it.each(['PUT', 'DELETE'])('%s of an unknown action are 400 with 40003', async (method) => {
      const { create, path, owner } = await shelf();
      const { id } = await create({});
      for (const action of ['write', 'READ', 'constructor', '%20read', 'readx']) {
        for (const to of ['user/admin', 'role/registereduser']) {
          const { status, body } = await call(method, `${path(id)}/${action}/${to}`, { token: owner.token });
          expect([status, body.bb_code]).toEqual([400, '40003']);
        }
      }
    });

    it.each(['PUT', 'DELETE'])('%s are 404 for an unknown user, role, document or collection', async (method) => {
      const { create, path, collection, owner } = await shelf();
      const { id } = await create({});
      const other = await world.collection();
      const urls = [
        `${path(id)}/read/user/nobody-at-all`,
        `${path(id)}/read/role/no-role`,
        `${path(id)}/read/role/constructor`,
        `${path(id)}/read/role/__proto__`,
        `${path(id)}/read/user/__proto__`,
        `${path(NOWHERE)}/read/role/registereduser`,
        `${path('no-id')}/read/role/registereduser`,
        `/document/${other}/${id}/read/role/registereduser`,
        `/document/nowhere/${id}/read/role/registereduser`,
        `/document/${collection}x/${id}/read/user/${owner.name}`,
      ];
      for (const url of urls) {
        const { status } = await call(method, url, { token: owner.token });
        expect([url, status]).toEqual([url, 404]);
      }
    });
  });

  describe('grants in a new document', () => {
    it('are given to users and roles', async () => {
      const { create, path } = await shelf();
      const [reader, writer, third] = [await world.user(), await world.user(), await world.user()];
      const { id, ...document } = await create({
        _allowRead: [{ name: reader.name }, { name: reader.name, isrole: false }],
        _allowUpdate: [{ name: writer.name.toUpperCase() }, { name: reader.name }],
        _allowDelete: [{ name: 'registered', isrole: true }],
        _allow: [],
        a: 1,
      });
      expect(Object.keys(document).filter((key) => key.startsWith('_allow'))).toEqual([]);
      const status = async (method: string, token: string) =>
        (await call(method, path(id), method === 'PUT' ? { token, body: {} } : { token })).status;
      expect(await status('GET', reader.token)).toBe(200);
      expect(await status('GET', writer.token)).toBe(403);
      expect(await status('PUT', reader.token)).toBe(200);
      expect(await status('PUT', writer.token)).toBe(200);
      expect(await status('PUT', third.token)).toBe(403);
      expect(await status('DELETE', third.token)).toBe(204);
    });

    it('may be of all rights', async () => {
      const { create, path } = await shelf();
      const { name, token } = await world.user();
      const { id } = await create({ _allow: [{ name, isrole: false }] });
      expect((await call('PUT', `${path(id)}/read/role/anonymous`, { token })).status).toBe(200);
      expect((await call('GET', path(id))).status).toBe(200);
    });

    it.each([
      ['an object instead of an array', { _allowRead: { name: 'admin' } }, '40010'],
      ['null', { _allow: null }, '40010'],
      ['an unknown user', { _allowUpdate: [{ name: 'nobody-at-all' }] }, '40005'],
      ['an unknown role', { _allowDelete: [{ name: 'no-role', isrole: true }] }, '40006'],
      [
        'the name of a JavaScript property for a role',
        { _allowRead: [{ name: 'constructor', isrole: true }] },
        '40006',
      ],
      ['a string as entry', { _allowRead: ['admin'] }, undefined],
      ['no name', { _allowRead: [{ isrole: true }] }, undefined],
      ['more than a thousand', { _allowRead: Array.from({ length: 1001 }, () => ({ name: 'admin' })) }, undefined],
    ])('are 400 with %s, and nothing is stored', async (_what, content, bbCode) => {
      const { collection, owner, ids } = await shelf();
      const { status, body } = await call('POST', `/document/${collection}`, { token: owner.token, body: content });
      expect([status, body.bb_code]).toEqual([400, bbCode]);
      expect(await ids({ token: owner.token })).toEqual([]);
    });
  });
});
