import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { expectStatus, follow, loginAs, namesIn, type Person, planted, setSettings } from '../support/people.ts';

onEveryStorage('following', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const following = (token: string) => namesIn(world, '/following', { token });
  const pair = async () => [await world.user(), await world.user()] as const;

  describe('POST /follow/:username', () => {
    it('follows a user and answers with the profile as followers see it', async () => {
      const [ann, bob] = [await world.user(), await planted(world)];
      const { data, body } = await expectStatus(
        call('POST', `/follow/${bob.name.toUpperCase()}`, { token: ann.token }),
        201,
      );
      expect(body).toMatchObject({ result: 'ok', http_code: 201 });
      expect(data).toMatchObject({ id: bob.id, user: { name: bob.name }, visibleByTheUser: null });
      expect(data.visibleByFriend).toEqual({ canary: bob.canaries.visibleByFriend });
      expect([await following(ann.token), await following(bob.token)]).toEqual([[bob.name], []]);
    });

    it('rejects unknown users, the caller, users already followed and internal users', async () => {
      const [ann, bob] = await pair();
      await follow(world, ann, bob);
      const refused: ReadonlyArray<readonly [string, number]> = [
        ['nobody', 404],
        [bob.name, 400],
        [bob.name.toUpperCase(), 400],
        [ann.name, 400],
        ['admin', 400],
        ['Anonymous', 400],
        ['_internal', 400],
      ];
      for (const [name, status] of refused) {
        expectFailure(await call('POST', `/follow/${name}`, { token: ann.token }), status);
      }
      expect(await following(ann.token)).toEqual([bob.name]);
      expectFailure(await call('POST', `/follow/${bob.name}`), 401);
      expectFailure(await call('POST', `/follow/${bob.name}`, { appCode: null }), 400);
    });

    it('lets exactly one of 50 concurrent requests succeed', async () => {
      const [ann, bob] = await pair();
      const attempts = Array.from({ length: 50 }, () => call('POST', `/follow/${bob.name}`, { token: ann.token }));
      const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 400)].sort());
      expect(await following(ann.token)).toEqual([bob.name]);
    });
  });

  describe('DELETE /follow/:username', () => {
    it('unfollows, and hides what only followers may see', async () => {
      const [ann, bob] = [await world.user(), await planted(world)];
      await follow(world, ann, bob);
      expect((await expectStatus(call('DELETE', `/follow/${bob.name}`, { token: ann.token }), 200)).data).toBe('');
      const { data, text } = await call('GET', `/user/${bob.name}`, { token: ann.token });
      expect(data.visibleByFriend).toBeNull();
      expect(text).not.toContain(bob.canaries.visibleByFriend);
      expect(await following(ann.token)).toEqual([]);
    });

    it('is 404 when the caller does not follow the user', async () => {
      const [ann, bob] = await pair();
      await follow(world, bob, ann);
      for (const name of [bob.name, 'nobody', 'admin', ann.name]) {
        expectFailure(await call('DELETE', `/follow/${name}`, { token: ann.token }), 404);
      }
      expectFailure(await call('DELETE', `/follow/${bob.name}`), 401);
      expect(await following(bob.token)).toEqual([ann.name]);
    });

    it('lets exactly one of 20 concurrent requests succeed', async () => {
      const [ann, bob] = await pair();
      await follow(world, ann, bob);
      const attempts = Array.from({ length: 20 }, () => call('DELETE', `/follow/${bob.name}`, { token: ann.token }));
      const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
    });
  });

  it('follows the user through a change of name, and ends with the user', async () => {
    const [ann, bob] = await pair();
    await follow(world, ann, bob);
    const username = world.unique('renamed');
    await expectStatus(call('PUT', '/me/username', { token: bob.token, body: { username } }), 200);
    expect(await following(ann.token)).toEqual([username]);
    await expectStatus(call('DELETE', `/admin/user/${username}`, { token: await world.admin() }), 200);
    expect(await following(ann.token)).toEqual([]);
    await world.user(username);
    expect(await following(ann.token)).toEqual([]);
  });

  describe.each([
    ['/admin/Fw', 200],
    ['/admin/follow', 201],
  ])('%s/:follower/to/:tofollow', (base, created) => {
    const at = (ann: Person, bob: Person) => `${base}/${ann.name}/to/${bob.name}`;

    it('lets an administrator create and remove follows of other users', async () => {
      const [ann, bob] = await pair();
      const token = await world.admin();
      const { data, body } = await expectStatus(call('POST', at(ann, bob), { token }), created);
      expect([data, body.http_code]).toEqual(['', created]);
      expect([await following(ann.token), await following(bob.token)]).toEqual([[bob.name], []]);
      expectFailure(await call('POST', at(ann, bob), { token }), 400);
      expect((await expectStatus(call('DELETE', at(ann, bob), { token }), 200)).data).toBe('');
      expectFailure(await call('DELETE', at(ann, bob), { token }), 404);
      expect(await following(ann.token)).toEqual([]);
    });

    it('rejects unknown users, internal users and a user who would follow themselves', async () => {
      const [{ name }] = await pair();
      const token = await world.admin();
      const refused: ReadonlyArray<readonly [string, number]> = [
        [`${name}/to/nobody`, 404],
        [`nobody/to/${name}`, 404],
        ['nobody/to/nothing', 404],
        [`${name}/to/admin`, 400],
        [`admin/to/${name}`, 400],
        [`${name}/to/${name}`, 400],
      ];
      for (const [path, status] of refused) expectFailure(await call('POST', `${base}/${path}`, { token }), status);
      for (const [path] of refused) expectFailure(await call('DELETE', `${base}/${path}`, { token }), 404);
    });

    it('is for administrators only', async () => {
      const [ann, bob] = await pair();
      for (const method of ['POST', 'DELETE']) {
        expectFailure(await call(method, at(ann, bob), { token: ann.token }), 403);
        expectFailure(await call(method, at(ann, bob)), 401);
      }
      expect(await following(ann.token)).toEqual([]);
    });
  });

  describe('documents of followed users', () => {
    it('can be read, but not changed, until the follower unfollows', async () => {
      const shelf = await createShelf(world);
      const { token } = await world.user();
      const { id } = await shelf.create({ title: 'a' });
      const path = shelf.path(id);
      const seen = async () => [
        (await call('GET', path, { token })).status,
        await shelf.ids({ token }),
        (await call('GET', `/document/${shelf.collection}/count`, { token })).data.count,
      ];
      expect(await seen()).toEqual([403, [], 0]);
      await expectStatus(call('POST', `/follow/${shelf.owner.name}`, { token }), 201);
      expect(await seen()).toEqual([200, [id], 1]);
      expectFailure(await call('PUT', path, { token, body: {} }), 403);
      expectFailure(await call('DELETE', path, { token }), 403);
      expectFailure(await call('PUT', `${path}/read/user/${shelf.owner.name}`, { token }), 403);
      await expectStatus(call('DELETE', `/follow/${shelf.owner.name}`, { token }), 200);
      expect(await seen()).toEqual([403, [], 0]);
    });

    it('cannot be read in the other direction, nor by followers of followers', async () => {
      const shelf = await createShelf(world);
      const [ann, bob] = await pair();
      const { id } = await shelf.create({});
      await follow(world, shelf.owner, ann);
      await follow(world, ann, shelf.owner);
      await follow(world, bob, ann);
      expect(await shelf.ids({ token: bob.token })).toEqual([]);
      expectFailure(await call('GET', shelf.path(id), { token: bob.token }), 403);
      await call('DELETE', `/follow/${shelf.owner.name}`, { token: ann.token });
      expect(await shelf.ids({ token: ann.token })).toEqual([]);
    });

    it('cannot be read once followers.read.documents is false', async () => {
      const shelf = await createShelf(world);
      const ann = await world.user();
      const { id } = await shelf.create({});
      await follow(world, ann, shelf.owner);
      expect(await shelf.ids({ token: ann.token })).toEqual([id]);
      await setSettings(world, 'Application', { 'followers.read.documents': false });
      expect(await shelf.ids({ token: ann.token })).toEqual([]);
      expectFailure(await call('GET', shelf.path(id), { token: ann.token }), 403);
      expect((await call('GET', `/user/${shelf.owner.name}`, { token: ann.token })).data.visibleByFriend).toEqual({});
      await setSettings(world, 'Application', { 'followers.read.documents': true });
      expect(await shelf.ids({ token: ann.token })).toEqual([id]);
    });
  });

  it('can be read with Basic credentials and by the administrator too', async () => {
    const [ann, bob] = await pair();
    await expectStatus(call('POST', `/follow/${bob.name}`, { basic: [ann.name, 'secret'] }), 201);
    await expectStatus(call('POST', `/follow/${bob.name}`, { token: await loginAs(world, 'admin', 'admin') }), 201);
    expect(await namesIn(world, '/followers', { token: bob.token })).toEqual([ann.name]);
  });
});
