import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { expectStatus, follow, loginAs, namesIn, type Person, planted, setSettings } from '../support/people.ts';

onEveryStorage('following with consent', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const pair = async () => [await world.user(), await planted(world)] as const;
  const choose = ({ token }: Person, followers: unknown) =>
    call('PUT', '/me/following-policy', { token, body: { followers } });
  const ask = ({ token }: Person, { name }: Person) => call('POST', `/follow/${name}`, { token });
  const requestsOf = ({ token }: Person) => namesIn(world, '/me/follow-requests', { token });
  const followersOf = ({ token }: Person) => namesIn(world, '/followers', { token });

  async function careful() {
    const [ann, bob] = await pair();
    await expectStatus(choose(bob, 'approve'), 200);
    return [ann, bob] as const;
  }

  describe('/me/following-policy', () => {
    it('is the setting until the user chooses one, and again after null', async () => {
      const [ann, bob] = await pair();
      const policy = async () => (await call('GET', '/me/following-policy', { token: bob.token })).data;
      expect(await policy()).toEqual({ followers: null });
      for (const followers of ['approve', 'nobody', 'anyone', null]) {
        expect((await expectStatus(choose(bob, followers), 200)).data).toEqual({ followers });
        expect(await policy()).toEqual({ followers });
      }
      await setSettings(world, 'Application', { 'following.default': 'nobody' });
      try {
        expect(await policy()).toEqual({ followers: null });
        expectFailure(await ask(ann, bob), 403);
        await choose(bob, 'anyone');
        await expectStatus(ask(ann, bob), 201);
      } finally {
        await setSettings(world, 'Application', { 'following.default': 'anyone' });
      }
    });

    it('rejects anything else', async () => {
      const bob = await world.user();
      for (const followers of ['everybody', '', 1, true, ['anyone'], {}]) {
        expectFailure(await choose(bob, followers), 400);
      }
      expectFailure(await call('PUT', '/me/following-policy', { token: bob.token, body: {} }), 400);
      expectFailure(await call('PUT', '/me/following-policy', { token: bob.token }), 400);
      for (const method of ['GET', 'PUT']) {
        expectFailure(await call(method, '/me/following-policy', { body: { followers: null } }), 401);
      }
      const options = { token: await world.admin(), body: { value: 'somebody' } };
      expectFailure(await call('PUT', '/admin/configuration/Application/following.default', options), 400);
    });

    it('survives a change of name', async () => {
      const [ann, bob] = await careful();
      const username = world.unique('renamed');
      await expectStatus(ask(ann, bob), 202);
      await expectStatus(call('PUT', '/me/username', { token: bob.token, body: { username } }), 200);
      expect(await requestsOf(bob)).toEqual([ann.name]);
      await expectStatus(call('POST', `/follow/${username}`, { token: (await world.user()).token }), 202);
    });
  });

  describe('approve', () => {
    it('makes a request, which gives nothing until it is accepted', async () => {
      const [ann, bob] = await careful();
      for (let i = 0; i < 2; i++) {
        const { body } = await expectStatus(ask(ann, bob), 202);
        expect(body).toEqual({ result: 'ok', data: { status: 'requested' }, http_code: 202 });
      }
      const seen = async () => {
        const { data } = await call('GET', `/user/${bob.name}`, { token: ann.token });
        return [data.visibleByFriend, await followersOf(bob), await requestsOf(bob)];
      };
      expect(await seen()).toEqual([null, [], [ann.name]]);
      const accept = `/me/follow-requests/${ann.name.toUpperCase()}`;
      expect((await expectStatus(call('PUT', accept, { token: bob.token }), 200)).data).toBe('');
      expect(await seen()).toEqual([{ canary: bob.canaries.visibleByFriend }, [ann.name], []]);
      expectFailure(await call('PUT', accept, { token: bob.token }), 404);
      expectFailure(await ask(ann, bob), 400);
      expect((await call('DELETE', `/follow/${bob.name}`, { token: ann.token })).status).toBe(200);
      expect(await seen()).toEqual([null, [], []]);
    });

    it('lets the requester withdraw and the other user decline', async () => {
      const [ann, bob] = await careful();
      await ask(ann, bob);
      await expectStatus(call('DELETE', `/follow/${bob.name}`, { token: ann.token }), 200);
      expect([await requestsOf(bob), await followersOf(bob)]).toEqual([[], []]);
      expectFailure(await call('DELETE', `/follow/${bob.name}`, { token: ann.token }), 404);
      await ask(ann, bob);
      const request = `/me/follow-requests/${ann.name}`;
      expect((await expectStatus(call('DELETE', request, { token: bob.token }), 200)).data).toBe('');
      expectFailure(await call('DELETE', request, { token: bob.token }), 404);
      expectFailure(await call('PUT', request, { token: bob.token }), 404);
      expect([await requestsOf(bob), await followersOf(bob)]).toEqual([[], []]);
      await expectStatus(ask(ann, bob), 202);
    });

    it('lists requests by the rights of the user who is asked', async () => {
      const [bob, ann] = await careful();
      const cid = await planted(world);
      for (const user of [bob, cid]) await ask(user, ann);
      await follow(world, ann, cid);
      const { data, text } = await call('GET', '/me/follow-requests', { token: ann.token });
      expect(data.map((profile: { user: { name: string } }) => profile.user.name)).toEqual([bob.name, cid.name]);
      expect(data[0].visibleByFriend).toBeNull();
      expect(data[1].visibleByFriend).toEqual({ canary: cid.canaries.visibleByFriend });
      expect(text).not.toContain(cid.canaries.visibleByTheUser);
      const asked = async (query: string) => call('GET', `/me/follow-requests?${query}`, { token: ann.token });
      expect((await asked('count=true')).data).toEqual([{ count: 2 }]);
      const first = await asked('recordsPerPage=1');
      expect([first.data.length, first.body.more]).toEqual([1, true]);
      expect(await namesIn(world, `/me/follow-requests?cursor=${first.body.next}`, { token: ann.token })).toEqual([
        cid.name,
      ]);
      const where = encodeURIComponent(`user.name = '${cid.name}'`);
      expect(await namesIn(world, `/me/follow-requests?where=${where}`, { token: ann.token })).toEqual([cid.name]);
      expectFailure(await asked('where=%3B'), 400);
    });

    it('rejects unknown users, the caller, internal users and anonymous callers', async () => {
      const [ann, bob] = await careful();
      for (const [method, url, own] of [
        ['POST', '/follow', 400],
        ['PUT', '/me/follow-requests', 404],
        ['DELETE', '/me/follow-requests', 404],
        ['DELETE', '/followers', 404],
      ] as const) {
        expectFailure(await call(method, `${url}/nobody`, { token: bob.token }), 404);
        expectFailure(await call(method, `${url}/${bob.name}`, { token: bob.token }), own);
        expectFailure(await call(method, `${url}/admin`, { token: bob.token }), own);
        expectFailure(await call(method, `${url}/${ann.name}`), 401);
      }
      expectFailure(await call('GET', '/me/follow-requests'), 401);
    });

    it('ends with either user, and leaves nothing to a new user of that name', async () => {
      const [ann, bob] = await careful();
      const cid = await world.user();
      for (const user of [ann, cid]) await ask(user, bob);
      const remove = async ({ name }: Person) =>
        expectStatus(call('DELETE', `/admin/user/${name}`, { token: await world.admin() }), 200);
      await remove(ann);
      await world.user(ann.name);
      expect(await requestsOf(bob)).toEqual([cid.name]);
      await remove(bob);
      const again = await world.user(bob.name);
      expect(await requestsOf(again)).toEqual([]);
      await expectStatus(ask(cid, again), 201);
    });
  });

  it('nobody refuses new followers and keeps those there are', async () => {
    const [ann, bob] = await pair();
    await follow(world, ann, bob);
    const shelf = await createShelf(world);
    await choose(shelf.owner, 'nobody');
    await choose(bob, 'nobody');
    const refused = await ask(ann, shelf.owner);
    expectFailure(refused, 403);
    expect(refused.body.code).toBe('follow.refused');
    expect(await followersOf(bob)).toEqual([ann.name]);
    expectFailure(await ask(ann, bob), 400);
    const admin = await loginAs(world, 'admin', 'admin');
    expectFailure(await call('POST', `/follow/${bob.name}`, { token: admin }), 403);
  });

  it('keeps a request through a change of policy, until it is repeated', async () => {
    const [ann, bob] = await careful();
    await ask(ann, bob);
    await choose(bob, 'nobody');
    expect(await requestsOf(bob)).toEqual([ann.name]);
    expectFailure(await ask(ann, bob), 403);
    await choose(bob, 'anyone');
    expect([await requestsOf(bob), await followersOf(bob)]).toEqual([[ann.name], []]);
    await expectStatus(ask(ann, bob), 201);
    expect([await requestsOf(bob), await followersOf(bob)]).toEqual([[], [ann.name]]);
  });

  it.each([
    ['/admin/Fw', 200],
    ['/admin/follow', 201],
  ])('%s passes over policies', async (base, created) => {
    const [ann, bob] = await careful();
    const [cid, dan] = await pair();
    await choose(dan, 'nobody');
    await ask(ann, bob);
    const token = await world.admin();
    expectFailure(await call('DELETE', `${base}/${ann.name}/to/${bob.name}`, { token }), 404);
    await expectStatus(call('POST', `${base}/${ann.name}/to/${bob.name}`, { token }), created);
    await expectStatus(call('POST', `${base}/${cid.name}/to/${dan.name}`, { token }), created);
    expect([await followersOf(bob), await requestsOf(bob), await followersOf(dan)]).toEqual([
      [ann.name],
      [],
      [cid.name],
    ]);
  });

  describe('DELETE /followers/:username', () => {
    it('removes a follower, and only a follower', async () => {
      const [ann, bob] = await pair();
      await follow(world, ann, bob);
      await follow(world, bob, ann);
      expect((await expectStatus(call('DELETE', `/followers/${ann.name}`, { token: bob.token }), 200)).data).toBe('');
      expect([await followersOf(bob), await followersOf(ann)]).toEqual([[], [bob.name]]);
      expectFailure(await call('DELETE', `/followers/${ann.name}`, { token: bob.token }), 404);
      await choose(bob, 'approve');
      await ask(ann, bob);
      expectFailure(await call('DELETE', `/followers/${ann.name}`, { token: bob.token }), 404);
      expect(await requestsOf(bob)).toEqual([ann.name]);
    });
  });

  it('has one outcome when both users act at the same time', async () => {
    const [ann, bob] = await careful();
    for (let round = 0; round < 5; round++) {
      await expectStatus(ask(ann, bob), 202);
      const [accepted, withdrawn] = await Promise.all([
        call('PUT', `/me/follow-requests/${ann.name}`, { token: bob.token }),
        call('DELETE', `/follow/${bob.name}`, { token: ann.token }),
      ]);
      // Accepted and then ended, or withdrawn and then nothing to accept.
      expect([200, 404]).toContain(accepted.status);
      expect(withdrawn.status).toBe(200);
      expect([await requestsOf(bob), await followersOf(bob)]).toEqual([[], []]);
    }
    await choose(bob, 'anyone');
    const attempts = await Promise.all(Array.from({ length: 20 }, () => ask(ann, bob)));
    expect(attempts.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await followersOf(bob)).toEqual([ann.name]);
  });
});
