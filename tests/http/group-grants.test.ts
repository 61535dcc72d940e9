import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { createShelf, NOWHERE } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, stored } from '../support/files.ts';
import { createGroup, enroll } from '../support/groups.ts';
import { expectStatus, type Person, personWithRole } from '../support/people.ts';

/** More groups than the principals that fit into a statement of their own. */
const MANY = 6;

onEveryStorage('grants to groups', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const as = ({ token }: { token: string }) => ({ token });

  /** A document and a file of somebody in a group, shared with it, and a caller of each kind. */
  async function prepare() {
    const shelf = await createShelf(world);
    const { owner } = shelf;
    const [member, exMember, manyMember, stranger] = [
      await world.user(),
      await world.user(),
      await world.user(),
      await world.user(),
    ];
    for (let i = 0; i < MANY; i++) await createGroup(world, manyMember, `Own ${i}`);
    const group = await createGroup(world, owner);
    for (const user of [member, exMember, manyMember]) await enroll(world, { id: group, by: owner, user });
    const hidden = await shelf.create({ n: 1, tags: ['hidden'] });
    const document = await shelf.create({ n: 2, tags: ['shared'] });
    await shelf.share(document.id, `read/group/${group}`);
    const pointer = await shelf.create({ ref: document.id });
    await shelf.share(pointer.id, 'read/role/anonymous');
    const file = await stored(world, owner.token, filePart('Shared'), {
      name: 'acl',
      content: JSON.stringify({ read: { groups: [group] } }),
    });
    await expectStatus(call('GET', shelf.path(document.id), as(exMember)), 200);
    await expectStatus(call('DELETE', `/group/${group}/member/${exMember.name}`, as(exMember)), 200);
    return { ...shelf, group, member, exMember, manyMember, stranger, hidden, document, pointer, file };
  }

  type Prepared = Awaited<ReturnType<typeof prepare>>;

  /** Visibility of the shared document to a caller by each path: true, false, or the status of a refusal. */
  async function seen({ collection, path, document, pointer, file }: Prepared, options: CallOptions) {
    const get = async (url: string) => call('GET', url, options);
    const list = `/document/${collection}`;
    const isListed = async (url: string, id: string) => {
      const { status, data } = await get(url);
      return status === 200 ? data.some((row: { id: string }) => row.id === id) : status;
    };
    const criteria = 'where=n%3D2';
    const operations = [
      { method: 'GET', path: path(document.id) },
      { method: 'GET', path: `${path(document.id)}/.n` },
    ];
    const batch = await call('POST', '/batch', { ...options, body: { operations } });
    const statusOf = async (url: string) => (await get(url)).status;
    const counted = async (url: string) => {
      const { status, data } = await get(url);
      return status === 200 ? Number(Array.isArray(data) ? data[0].count : data.count) : status;
    };
    return {
      one: await statusOf(path(document.id)),
      byId: await statusOf(`/document/${document.id}`),
      field: await statusOf(`${path(document.id)}/.tags[0]`),
      expanded: (await get(`${path(pointer.id)}?expand=ref`)).data._expanded?.ref?.id === document.id,
      list: await isListed(list, document.id),
      newest: await isListed(`${list}?orderBy=_creation_date+desc`, document.id),
      search: await isListed(`${list}?${criteria}`, document.id),
      sorted: await isListed(`${list}?orderBy=n+desc`, document.id),
      count: await counted(`${list}/count?${criteria}`),
      counted: await counted(`${list}?count=true&${criteria}`),
      aggregate: (await get(`${list}?fields=count(*)+as+count&${criteria}`)).data[0].count,
      batch: batch.status === 200 ? batch.data.map(({ http_code }: { http_code: number }) => http_code) : batch.status,
      file: await statusOf(`/file/${file.id}`),
      details: await statusOf(`/file/details/${file.id}`),
      attached: await statusOf(`/file/attachedData/${file.id}`),
      files: await isListed('/file/details', file.id),
      foundFiles: await isListed('/file/details?where=contentLength%3D6', file.id),
      fileCount: await counted(`/file/details?count=true&where=id%3D'${file.id}'`),
    };
  }

  const VISIBLE = {
    one: 200,
    byId: 200,
    field: 200,
    expanded: true,
    list: true,
    newest: true,
    search: true,
    sorted: true,
    count: 1,
    counted: 1,
    aggregate: 1,
    batch: [200, 200],
    file: 200,
    details: 200,
    attached: 200,
    files: true,
    foundFiles: true,
    fileCount: 1,
  };
  const INVISIBLE = {
    one: 403,
    byId: 403,
    field: 403,
    expanded: false,
    list: false,
    newest: false,
    search: false,
    sorted: false,
    count: 0,
    counted: 0,
    aggregate: 0,
    batch: [403, 403],
    file: 404,
    details: 404,
    attached: 404,
    files: false,
    foundFiles: false,
    fileCount: 0,
  };
  const ANONYMOUS = {
    ...INVISIBLE,
    file: 401,
    details: 401,
    attached: 401,
    files: 401,
    foundFiles: 401,
    fileCount: 401,
  };

  it('hold for every way to read, and only for those who are in the group', async () => {
    const prepared = await prepare();
    const { owner, member, manyMember, exMember, stranger, group } = prepared;
    const backOffice = await personWithRole(world, 'BackOffice');
    for (const who of [owner, member, manyMember, backOffice, { token: await world.admin() }]) {
      expect(await seen(prepared, as(who))).toEqual(VISIBLE);
    }
    expect(await seen(prepared, { basic: [member.name, 'secret'] })).toEqual(VISIBLE);
    for (const who of [exMember, stranger]) expect(await seen(prepared, as(who))).toEqual(INVISIBLE);
    expect(await seen(prepared, {})).toEqual(ANONYMOUS);
    expectFailure(await call('GET', prepared.path(prepared.hidden.id), as(member)), 403);

    await enroll(world, { id: group, by: owner, user: stranger });
    expect(await seen(prepared, as(stranger))).toEqual(VISIBLE);
    await expectStatus(call('DELETE', `/group/${group}/member/${manyMember.name}`, as(owner)), 200);
    expect(await seen(prepared, as(manyMember))).toEqual(INVISIBLE);
    await expectStatus(call('DELETE', `/group/${group}`, as(owner)), 200);
    for (const who of [member, stranger]) expect(await seen(prepared, as(who))).toEqual(INVISIBLE);
    expect(await seen(prepared, { basic: [member.name, 'secret'] })).toEqual(INVISIBLE);
    expect(await seen(prepared, as(owner))).toEqual(VISIBLE);
  });

  it('give the rights that they name, and are taken back one by one', async () => {
    for (const who of ['member', 'manyMember'] as const) {
      const prepared = await prepare();
      const { group, document, path, share } = prepared;
      const caller = prepared[who];
      const put = async () => (await call('PUT', path(document.id), { ...as(caller), body: { n: 2 } })).status;
      const remove = async () => (await call('DELETE', path(document.id), as(caller))).status;
      const grant = async () => (await call('PUT', `${path(document.id)}/read/role/anonymous`, as(caller))).status;
      expect([await put(), await grant(), await remove()]).toEqual([403, 403, 403]);
      await share(document.id, `update/group/${group}`);
      expect([await put(), await grant(), await remove()]).toEqual([200, 403, 403]);
      await share(document.id, `update/group/${group}`, 'DELETE');
      await share(document.id, `all/group/${group.toUpperCase()}`);
      expect([await put(), await grant(), await remove()]).toEqual([200, 200, 204]);
    }
  });

  it('may be given with a new document, in an access list and in a batch, and are shown', async () => {
    const { collection, owner, group, path, document, member } = await prepare();
    const entry = { name: group, isrole: false, isgroup: true };
    const acl = async (id: string) => (await call('GET', `${path(id)}?withAcl=true`, as(owner))).data;
    expect(await acl(document.id)).toMatchObject({ _allowRead: [entry], _allowUpdate: [] });
    const body = { _allowRead: [{ name: group, isgroup: true }], _allow: [{ name: group, isgroup: true }] };
    const { data } = await expectStatus(call('POST', `/document/${collection}`, { ...as(owner), body }), 200);
    expect(await acl(data.id)).toMatchObject({ _allowRead: [entry], _allow: [entry] });
    const lists = { update: { groups: [group.toUpperCase(), group], users: [member.name] } };
    await expectStatus(call('PUT', `${path(data.id)}/acl`, { ...as(owner), body: lists }), 200);
    expect(await acl(data.id)).toMatchObject({
      _allowRead: [],
      _allowUpdate: [entry, { name: member.name, isrole: false }],
      _allow: [],
    });
    const operations = [
      { method: 'PUT', path: `${path(data.id)}/delete/group/${group}` },
      { method: 'DELETE', path: `${path(data.id)}/update/group/${group}` },
      { method: 'POST', path: `/document/${collection}`, body },
    ];
    await expectStatus(call('POST', '/batch', { ...as(owner), body: { atomic: true, operations } }), 200);
    expect(await acl(data.id)).toMatchObject({ _allowDelete: [entry], _allowUpdate: [{ name: member.name }] });
    const back = await acl(document.id);
    await expectStatus(call('POST', `/document/${collection}`, { ...as(owner), body: back }), 200);
  });

  describe('to groups that the caller is not in', () => {
    const unknown = async (prepared: Prepared): Promise<string[]> => [
      await createGroup(world, prepared.stranger),
      NOWHERE,
      'Friends',
    ];

    it('are refused as if there were no such group', async () => {
      const prepared = await prepare();
      const { owner, path, document, file } = prepared;
      const calls = [path(document.id), `/file/${file.id}`].flatMap((url) => [
        ['PUT', url] as const,
        ['DELETE', url] as const,
      ]);
      for (const group of await unknown(prepared)) {
        for (const [method, url] of calls) {
          const answer = await call(method, `${url}/read/group/${group}`, as(owner));
          expectFailure(answer, 404);
          expect(answer.body.code).toBe('group.not_found');
        }
      }
    });

    it('are refused in bodies like unknown users', async () => {
      const prepared = await prepare();
      const { collection, owner, path, document } = prepared;
      for (const group of await unknown(prepared)) {
        const lists = { read: { groups: [group] } };
        const created = { _allowRead: [{ name: group, isgroup: true }] };
        for (const answer of [
          await call('PUT', `${path(document.id)}/acl`, { ...as(owner), body: lists }),
          await call('POST', `/document/${collection}`, { ...as(owner), body: created }),
        ]) {
          expectFailure(answer, 400);
          expect(answer.body.code).toBe('grant.group_unknown');
        }
      }
      expect((await call('GET', `${path(document.id)}?withAcl=true`, as(owner))).data._allowRead).toHaveLength(1);
    });

    it('may be given by administrators, but only to groups that exist', async () => {
      const { path, document, file, stranger } = await prepare();
      const group = await createGroup(world, stranger);
      const admin = as({ token: await world.admin() });
      for (const url of [path(document.id), `/file/${file.id}`]) {
        await expectStatus(call('PUT', `${url}/read/group/${group}`, admin), 200);
        expectFailure(await call('PUT', `${url}/read/group/${NOWHERE}`, admin), 404);
        expectFailure(await call('DELETE', `${url}/read/group/${NOWHERE}`, admin), 404);
      }
      await expectStatus(call('GET', path(document.id), as(stranger)), 200);
      await expectStatus(call('GET', `/file/${file.id}`, as(stranger)), 200);
    });

    it('can be revoked by owners after they left, which tells others nothing', async () => {
      const prepared = await prepare();
      const { owner, member, group, path, document, file, stranger } = prepared;
      await expectStatus(
        call('PUT', `/group/${group}/member/${member.name}`, { ...as(owner), body: { role: 'owner' } }),
        200,
      );
      await expectStatus(call('DELETE', `/group/${group}/member/${owner.name}`, as(owner)), 200);
      for (const url of [path(document.id), `/file/${file.id}`]) {
        expectFailure(await call('DELETE', `${url}/read/group/${group}`, as(stranger)), 404);
        await expectStatus(call('GET', url, as(member)), 200);
        await expectStatus(call('DELETE', `${url}/read/group/${group}`, as(owner)), 200);
        expectFailure(await call('DELETE', `${url}/read/group/${group}`, as(owner)), 404);
      }
      expectFailure(await call('GET', path(document.id), as(member)), 403);
      expectFailure(await call('GET', `/file/${file.id}`, as(member)), 404);
    });
  });

  it('are refused in malformed access lists', async () => {
    const { owner, path, document } = await prepare();
    for (const groups of ['x', [1], {}]) {
      const body = { read: { groups } };
      expectFailure(await call('PUT', `${path(document.id)}/acl`, { ...as(owner), body }), 400);
    }
  });

  it('follow 50 members who come and go at once, while others read', async () => {
    const { owner, group, path, document, ids, file } = await prepare();
    const people = await Promise.all(Array.from({ length: 50 }, () => world.user()));
    const sees = async (user: Person) => {
      const [one, listed, bytes] = [
        (await call('GET', path(document.id), as(user))).status === 200,
        (await ids(as(user))).includes(document.id),
        (await call('GET', `/file/${file.id}`, as(user))).status === 200,
      ];
      return [one, listed, bytes];
    };
    const ends = await Promise.all(
      people.map(async (user, at) => {
        const member = `/group/${group}/member/${user.name}`;
        const join = () => enroll(world, { id: group, by: owner, user });
        const leave = () => expectStatus(call('DELETE', member, as(user)), 200);
        await join();
        expect(await sees(user)).toEqual([true, true, true]);
        await leave();
        expect(await sees(user)).toEqual([false, false, false]);
        if (at % 2 === 0) await join();
        return sees(user);
      }),
    );
    for (const [at, end] of ends.entries()) expect(end).toEqual(Array.from({ length: 3 }, () => at % 2 === 0));
    const reads = people.map(sees);
    await expectStatus(call('DELETE', `/group/${group}`, as(owner)), 200);
    await Promise.all(reads);
    for (const user of people) expect(await sees(user)).toEqual([false, false, false]);
  });
});
