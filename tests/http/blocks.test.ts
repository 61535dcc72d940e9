import { describe, expect, it } from 'vitest';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import {
  expectStatus,
  follow,
  namesIn,
  namesOnPages,
  type Person,
  personWithRole,
  planted,
} from '../support/people.ts';

onEveryStorage('blocks', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const pair = async () => [await world.user(), await world.user()] as const;
  const block = ({ token }: Person, { name }: Person) => call('POST', `/block/${name}`, { token });
  const unblock = ({ token }: Person, { name }: Person) => call('DELETE', `/block/${name}`, { token });
  const names = ({ token }: Person, url: string) => namesIn(world, url, { token });

  it('are made, listed and ended', async () => {
    const [ann, bob] = await pair();
    expect((await expectStatus(block(ann, { ...bob, name: bob.name.toUpperCase() }), 201)).data).toBe('');
    expect((await expectStatus(block(ann, bob), 200)).data).toBe('');
    expect([await names(ann, '/blocked'), await names(bob, '/blocked')]).toEqual([[bob.name], []]);
    expect((await call('GET', '/blocked?count=true', { token: ann.token })).data).toEqual([{ count: 1 }]);
    expect((await expectStatus(unblock(ann, bob), 200)).data).toBe('');
    expectFailure(await unblock(ann, bob), 404);
    expect(await names(ann, '/blocked')).toEqual([]);
    await expectStatus(call('GET', `/user/${ann.name}`, { token: bob.token }), 200);
  });

  it('reject unknown users, the caller, internal users and anonymous callers', async () => {
    const [ann, bob] = await pair();
    for (const [name, status, ended] of [
      ['nobody', 404, 404],
      [ann.name, 400, 404],
      ['admin', 400, 404],
      ['_x', 400, 404],
    ] as const) {
      expectFailure(await call('POST', `/block/${name}`, { token: ann.token }), status);
      expectFailure(await call('DELETE', `/block/${name}`, { token: ann.token }), ended);
    }
    for (const method of ['POST', 'DELETE']) expectFailure(await call(method, `/block/${bob.name}`), 401);
    expectFailure(await call('GET', '/blocked'), 401);
    expectFailure(await call('GET', '/blocked?where=%3B', { token: ann.token }), 400);
  });

  it('end relations and requests in both directions', async () => {
    const [ann, bob] = await pair();
    const [cid, dan] = await pair();
    await follow(world, ann, bob);
    await follow(world, bob, ann);
    for (const person of [cid, dan]) {
      await call('PUT', '/me/following-policy', { token: person.token, body: { followers: 'approve' } });
    }
    await expectStatus(call('POST', `/follow/${cid.name}`, { token: dan.token }), 202);
    await expectStatus(call('POST', `/follow/${dan.name}`, { token: cid.token }), 202);
    await expectStatus(block(ann, bob), 201);
    await expectStatus(block(cid, dan), 201);
    for (const person of [ann, bob, cid, dan]) {
      for (const url of ['/followers', '/following', '/me/follow-requests']) {
        expect([url, await names(person, url)]).toEqual([url, []]);
      }
    }
    await unblock(ann, bob);
    await unblock(cid, dan);
    for (const person of [ann, bob, cid, dan]) expect(await names(person, '/followers')).toEqual([]);
  });

  it('do not let the blocker follow either, until the block ends', async () => {
    const [ann, bob] = await pair();
    await block(ann, bob);
    const refused = await call('POST', `/follow/${bob.name}`, { token: ann.token });
    expectFailure(refused, 403);
    expect(refused.body.code).toBe('follow.refused');
    await unblock(ann, bob);
    await follow(world, ann, bob);
  });

  describe('to the blocked user', () => {
    /** The answer without what tells the two names apart. */
    const shape = ({ status, body, headers }: Answer, name: string) => [
      status,
      JSON.parse(JSON.stringify(body).replaceAll(name, 'NAME').replaceAll(name.toUpperCase(), 'NAME')),
      Object.keys(headers).toSorted(),
    ];

    it.each([
      ['GET', '/user/:name'],
      ['GET', '/user/:name/exists'],
      ['POST', '/follow/:name'],
      ['DELETE', '/follow/:name'],
      ['GET', '/followers/:name'],
      ['GET', '/followers/:name?count=true'],
      ['GET', '/followers/:name?fields=count(*)%20as%20n'],
      ['GET', '/following/:name'],
      ['GET', '/following/:name?count=true'],
      ['PUT', '/me/follow-requests/:name'],
      ['DELETE', '/me/follow-requests/:name'],
      ['DELETE', '/followers/:name'],
      ['POST', '/block/:name'],
      ['DELETE', '/block/:name'],
    ])('%s %s answers as for an unknown user', async (method, url) => {
      const [ann, bob] = await pair();
      const cid = await world.user();
      for (const person of [ann, cid]) await follow(world, person, ann === person ? cid : ann);
      const ask = (name: string) => call(method, url.replace(':name', name), { token: bob.token });
      await expectStatus(block(ann, bob), 201);
      const unknown = world.unique('nobody');
      for (const name of [ann.name, ann.name.toUpperCase()]) {
        expect(shape(await ask(name), name)).toEqual(shape(await ask(unknown), unknown));
      }
      expect(await names(ann, '/followers')).toEqual([cid.name]);
      await expectStatus(unblock(ann, bob), 200);
      // The test could not fail if the answers were the same anyway.
      if (url.startsWith('/user') || url.includes('count')) {
        expect(shape(await ask(ann.name), ann.name)).not.toEqual(shape(await ask(unknown), unknown));
      }
    });

    it('lists of users leave the blocker out, with criteria and counts too', async () => {
      const tag = world.unique('tag');
      const [ann, bob, cid] = [await world.user(), await world.user(), await world.user()];
      for (const { token } of [ann, bob, cid]) {
        await call('PUT', '/me', { token, body: { visibleByAnonymousUsers: { tag, n: 1 } } });
      }
      for (const person of [ann, bob]) {
        await follow(world, person, cid);
        await follow(world, cid, person);
      }
      const where = `where=${encodeURIComponent(`visibleByAnonymousUsers.tag = '${tag}'`)}`;
      const orderBy = 'orderBy=user.name%20desc';
      const cases: ReadonlyArray<readonly [string, string[], string[]]> = [
        ['/users', [ann.name, bob.name, cid.name], [bob.name, cid.name]],
        ['/followers/:cid', [ann.name, bob.name], [bob.name]],
        ['/following/:cid', [ann.name, bob.name], [bob.name]],
      ];
      const ask = async (url: string, query: string) =>
        (await call('GET', `${url.replace(':cid', cid.name)}?${where}&${query}`, { token: bob.token })).data;
      const all = async (url: string) => {
        const seen: string[][] = [];
        for (const query of ['', orderBy, 'recordsPerPage=1']) {
          const path = `${url.replace(':cid', cid.name)}?${where}&${query}`;
          seen.push((await namesOnPages(world, path, { token: bob.token })).toSorted());
        }
        const [{ count }] = await ask(url, 'count=true');
        const [{ n }] = await ask(url, 'fields=sum(visibleByAnonymousUsers.n)%20as%20n');
        return [seen, count, n];
      };
      for (const [url, before] of cases) {
        expect([url, await all(url)]).toEqual([url, [[before, before, before], before.length, before.length]]);
      }
      await block(ann, bob);
      for (const [url, , after] of cases) {
        expect([url, await all(url)]).toEqual([url, [[after, after, after], after.length, after.length]]);
      }
      expect((await names(bob, '/users?orderBy=user.name')).includes(ann.name)).toBe(false);
      expect((await names(bob, '/users?orderBy=signUpDate%20desc')).includes(ann.name)).toBe(false);
      expect((await names(ann, '/users')).includes(bob.name)).toBe(true);
    });

    it('what was granted stays, and what followers read ends', async () => {
      const shelf = await createShelf(world);
      const bob = await world.user();
      const [granted, followed] = [await shelf.create({ n: 1 }), await shelf.create({ n: 2 })];
      await expectStatus(
        call('PUT', `${shelf.path(granted.id)}/read/user/${bob.name}`, { token: shelf.owner.token }),
        200,
      );
      await follow(world, bob, shelf.owner);
      expect(await shelf.ids({ token: bob.token })).toEqual([granted.id, followed.id]);
      await block(shelf.owner, bob);
      expect(await shelf.ids({ token: bob.token })).toEqual([granted.id]);
      await expectStatus(call('GET', shelf.path(granted.id), { token: bob.token }), 200);
      expectFailure(await call('GET', shelf.path(followed.id), { token: bob.token }), 403);
    });
  });

  it('hide nobody from administrators and anonymous callers, but from BackOffice users', async () => {
    const [ann, admin] = [await planted(world), await personWithRole(world, 'administrator')];
    const clerk = await personWithRole(world, 'BackOffice');
    for (const person of [admin, clerk]) await expectStatus(block(ann, person), 201);
    expect((await call('GET', `/user/${ann.name}`)).data.visibleByAnonymousUsers).not.toBeNull();
    const { data } = await expectStatus(call('GET', `/user/${ann.name}`, { token: admin.token }), 200);
    expect(data.visibleByTheUser).toEqual({ canary: ann.canaries.visibleByTheUser });
    for (const url of ['/users', '/admin/user']) expect(await names(admin, url)).toContain(ann.name);
    await follow(world, await world.user(), ann);
    expect(await names(admin, `/followers/${ann.name}`)).toHaveLength(1);
    expectFailure(await call('POST', `/follow/${ann.name}`, { token: admin.token }), 404);
    expectFailure(await call('GET', `/user/${ann.name}`, { token: clerk.token }), 404);
    expect(await names(clerk, '/users')).not.toContain(ann.name);
  });

  it.each([
    ['/admin/Fw', 200],
    ['/admin/follow', 201],
  ])('%s passes over them', async (base, created) => {
    const [ann, bob] = await pair();
    await block(ann, bob);
    const url = `${base}/${bob.name}/to/${ann.name}`;
    await expectStatus(call('POST', url, { token: await world.admin() }), created);
    expect(await names(ann, '/followers')).toEqual([bob.name]);
    expectFailure(await call('GET', `/user/${ann.name}`, { token: bob.token }), 404);
    expect(await names(bob, '/following')).toEqual([]);
    await expectStatus(call('DELETE', url, { token: await world.admin() }), 200);
    await expectStatus(call('POST', url, { token: await world.admin() }), created);
    await expectStatus(block(ann, bob), 200);
    expect(await names(ann, '/followers')).toEqual([]);
  });

  it('follow users through changes of names, and end with them', async () => {
    const [ann, bob] = await pair();
    await block(ann, bob);
    const rename = async (person: Person) => {
      const username = world.unique('renamed');
      await expectStatus(call('PUT', '/me/username', { token: person.token, body: { username } }), 200);
      return { ...person, name: username };
    };
    const [ann2, bob2] = [await rename(ann), await rename(bob)];
    expectFailure(await call('GET', `/user/${ann2.name}`, { token: bob.token }), 404);
    expect(await names(ann, '/blocked')).toEqual([bob2.name]);
    await expectStatus(call('DELETE', `/admin/user/${bob2.name}`, { token: await world.admin() }), 200);
    expect(await names(ann, '/blocked')).toEqual([]);
    const again = await world.user(bob2.name);
    await expectStatus(call('GET', `/user/${ann2.name}`, { token: again.token }), 200);
  });

  it('leave no relation behind when everything happens at once', async () => {
    const [ann, bob] = await pair();
    await call('PUT', '/me/following-policy', { token: ann.token, body: { followers: 'approve' } });
    const expectNothing = async (person: Person) => {
      for (const url of ['/followers', '/following', '/me/follow-requests']) {
        expect([url, await names(person, url)]).toEqual([url, []]);
      }
    };
    for (let round = 0; round < 5; round++) {
      await expectStatus(call('POST', `/follow/${ann.name}`, { token: bob.token }), 202);
      await Promise.all([
        call('PUT', `/me/follow-requests/${bob.name}`, { token: ann.token }),
        call('POST', `/follow/${bob.name}`, { token: ann.token }),
        block(ann, bob),
        call('POST', `/follow/${ann.name}`, { token: bob.token }),
        block(bob, ann),
      ]);
      await unblock(ann, bob);
      await unblock(bob, ann);
      for (const person of [ann, bob]) await expectNothing(person);
    }
  });
});
