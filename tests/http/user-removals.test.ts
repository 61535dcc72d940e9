import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { createFollower } from '../support/feed.ts';
import { filePart, upload } from '../support/files.ts';
import { adminOf, expectStatus, follow, namesOnPages } from '../support/people.ts';

/** With their grants more rows than the service removes in one transaction. */
const DOCUMENTS = 200;
const SHARED = 150;
const BATCH = 50;
/** Documents that another user creates meanwhile, at most. */
const CREATED = 20;

onEveryStorage('the removal of a user with many documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  it('removes the user and all of their documents for every reader, while others write', async () => {
    const { collection, owner, ids } = await createShelf(world);
    const [other, reader, fan] = [await world.user(), await world.user(), await world.user()];
    const url = `/document/${collection}`;
    const { token } = owner;
    const readers = [reader, await world.user(), await world.user()].map(({ name }) => ({ name, isrole: false }));
    const body = (n: number) => (n < SHARED ? { n, _allowRead: readers } : { n });
    for (let first = 0; first < DOCUMENTS; first += BATCH) {
      const operations = Array.from({ length: BATCH }, (_, i) => ({
        method: 'POST',
        path: url,
        body: body(first + i),
      }));
      await expectStatus(call('POST', '/batch', { token, body: { atomic: true, operations } }), 200);
    }
    const shared = await ids({ token: reader.token }, `?recordsPerPage=${SHARED}`);
    const [first = ''] = shared;
    const file = (await expectStatus(upload(world, token, filePart('bytes')), 201)).data.id;
    await follow(world, fan, owner);
    await follow(world, owner, fan);
    const admin = { basic: adminOf(world) };
    const followers = { admin: createFollower(world, admin), reader: createFollower(world, { token: reader.token }) };
    for (const one of Object.values(followers)) await one.begin();

    const created: string[] = [];
    let isRemoved = false;
    const removal = call('DELETE', `/admin/user/${owner.name}`, admin).finally(() => {
      isRemoved = true;
    });
    while (!isRemoved && created.length < CREATED) {
      created.push((await expectStatus(call('POST', url, { token: other.token, body: {} }), 200)).data.id);
    }
    await expectStatus(removal, 200);

    expectFailure(await call('GET', '/me', { token }), 401);
    expectFailure(await call('GET', '/me', { basic: [owner.name, 'secret'] }), 401);
    expectFailure(await call('GET', `/user/${owner.name}`, { token: other.token }), 404);
    for (const path of ['', '/belongings', '/sessions']) {
      expectFailure(await call('GET', `/admin/user/${owner.name}${path}`, admin), 404);
    }
    expect(await namesOnPages(world, '/admin/user?orderBy=user.name%20asc', admin)).not.toContain(owner.name);
    for (const list of ['/following', '/followers']) {
      expect((await expectStatus(call('GET', list, { token: fan.token }), 200)).data).toEqual([]);
    }
    expect(created).toEqual(expect.arrayContaining(await ids(admin, '?recordsPerPage=100')));
    expect((await call('GET', `${url}/count`, admin)).data.count).toBe(created.length);
    for (const caller of [admin, { token: reader.token }]) {
      expectFailure(await call('GET', `${url}/${first}`, caller), 404);
      expectFailure(await call('PUT', `${url}/${first}`, { ...caller, body: {} }), 404);
    }
    expect(await ids({ token: reader.token })).toEqual([]);
    expectFailure(await call('GET', `/file/details/${file}`, admin), 404);
    expectFailure(await call('GET', `/file/${file}`, admin), 404);

    const gone = (await followers.admin.read()).filter(({ type }) => type === 'gone');
    expect(gone).toHaveLength(DOCUMENTS);
    expect((await followers.reader.news()).toSorted()).toEqual(shared.map((id) => `gone ${id}`).toSorted());
    const { data: events } = await call('GET', `/admin/audit?act=user.removed&recordsPerPage=100`, admin);
    expect(events.filter((event: { to: { name: string } | null }) => event.to?.name === owner.name)).toHaveLength(1);

    const again = await world.user(owner.name);
    expect(again.id).not.toBe(owner.id);
    expect(await ids({ token: again.token })).toEqual([]);
  });
});
