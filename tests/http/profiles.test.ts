import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import {
  type Canaries,
  expectStatus,
  follow,
  loginAs,
  personWithRole,
  planted,
  SECTION_NAMES,
} from '../support/people.ts';

type Section = keyof Canaries;

onEveryStorage('profiles', (world) => {
  const call: World['call'] = (...args) => world.call(...args);

  describe.each(['/user', '/me'])('PUT %s', (url) => {
    it('replaces the sections that are sent and keeps the others', async () => {
      const { token, canaries } = await planted(world);
      const body = { visibleByTheUser: { b: { deep: [1, null] } }, visibleByAnonymousUsers: {}, unknown: 7 };
      const { data } = await expectStatus(call('PUT', url, { token, body }), 200);
      expect(data).toMatchObject({ visibleByFriend: { canary: canaries.visibleByFriend } });
      expect(data.visibleByTheUser).toEqual({ b: { deep: [1, null] } });
      expect(data.visibleByAnonymousUsers).toEqual({});
      expect(data.visibleByRegisteredUsers).toEqual({ canary: canaries.visibleByRegisteredUsers });
      expect(data).not.toHaveProperty('unknown');
      expect((await call('GET', url, { token })).data).toEqual(data);
    });

    it('changes nothing when no section is sent', async () => {
      const { token } = await planted(world);
      const before = (await call('GET', url, { token })).data;
      expect((await call('PUT', url, { token, body: {} })).data).toEqual(before);
    });

    it.each(
      [...SECTION_NAMES, 'visibleByFriends'].flatMap((name) =>
        [null, [1], 'text'].map((value) => [name, JSON.stringify(value), value] as const),
      ),
    )('rejects %s that is %s and changes nothing', async (name, _shown, value) => {
      const { token, canaries } = await planted(world);
      const body = { visibleByAnonymousUsers: { x: 1 }, [name]: value };
      expectFailure(await call('PUT', url, { token, body }), 400);
      const { data } = await call('GET', url, { token });
      for (const section of SECTION_NAMES) expect(data[section]).toEqual({ canary: canaries[section] });
    });

    it.each(['nobody', 'a@', 'a@b.c\r\nBcc: d@e.f', 'a b@c.de', 7, {}])(
      'rejects %j as an e-mail address',
      async (email) => {
        const { token } = await world.user();
        expectFailure(await call('PUT', url, { token, body: { visibleByTheUser: { email } } }), 400);
      },
    );

    it('requires a signed-in user and an object as body', async () => {
      const { token } = await world.user();
      expectFailure(await call('PUT', url, { body: {} }), 401);
      expectFailure(await call('PUT', url, { token }), 400);
      expectFailure(await call('PUT', url, { token, body: [] }), 400);
      expectFailure(await call('GET', url), 401);
    });

    it('keeps a name that the user chose', async () => {
      const { name, token } = await world.user();
      const other = { username: world.unique('other'), visibleByFriend: { x: 1 } };
      expectFailure(await call('PUT', url, { token, body: other }), 400);
      const { data } = await expectStatus(call('PUT', url, { token, body: { username: name } }), 200);
      expect([data.user.name, data.visibleByFriend]).toEqual([name, {}]);
    });
  });

  describe('visibleByFriends', () => {
    const alias = () => ({ appCode: null, headers: { 'X-BAASBOX-APPCODE': world.backend.appCode } });

    it('is accepted as another name of visibleByFriend', async () => {
      const body = { username: world.unique('ann'), password: 'x', visibleByFriends: { a: 1 } };
      const { data } = await expectStatus(call('POST', '/user', { body }), 201);
      expect(data.visibleByFriend).toEqual({ a: 1 });
      expect(data).not.toHaveProperty('visibleByFriends');
      const token = data['X-BB-SESSION'];
      const changed = await call('PUT', '/me', { token, body: { visibleByFriends: { b: 2 } } });
      expect(changed.data.visibleByFriend).toEqual({ b: 2 });
    });

    it('is sent as well to clients that use the other name of the application code', async () => {
      const { name, token, canaries } = await planted(world);
      const expected = { canary: canaries.visibleByFriend };
      const options = { ...alias(), token };
      const login = { ...alias(), body: { username: name, password: 'secret' } };
      const answers = [
        (await call('GET', '/me', options)).data,
        (await call('GET', `/me?X-BAASBOX-APPCODE=${world.backend.appCode}`, { token, appCode: null })).data,
        (await call('PUT', '/me', { ...options, body: {} })).data,
        (await call('POST', '/login', login)).data,
        (await call('GET', `/user/${name}`, options)).data,
        (await call('GET', '/refresh', options)).data,
        (await call('GET', '/users', { ...alias(), token: await world.admin() })).data.at(-1),
      ];
      for (const data of answers) {
        expect([data.visibleByFriends, data.visibleByFriend]).toEqual([expected, expected]);
      }
    });

    it('is null for users who may not read it', async () => {
      const { name, canaries } = await planted(world);
      const { data, text } = await call('GET', `/user/${name}`, alias());
      expect([data.visibleByFriends, data.visibleByFriend]).toEqual([null, null]);
      expect(text).not.toContain(canaries.visibleByFriend);
    });
  });

  it('visibleByRegisteredUsers._social cannot be written by the caller; in other sections it is plain data', async () => {
    const body = {
      username: world.unique('ann'),
      password: 'x',
      visibleByRegisteredUsers: { _social: { google: { id: 'forged' } }, nick: 'a' },
      visibleByAnonymousUsers: { _social: 1 },
    };
    const { data } = await expectStatus(call('POST', '/user', { body }), 201);
    expect(data.visibleByRegisteredUsers).toEqual({ nick: 'a' });
    expect(data.visibleByAnonymousUsers).toEqual({ _social: 1 });
    const change = { visibleByRegisteredUsers: { nick: 'b', _social: {} } };
    const after = await call('PUT', '/me', { token: data['X-BB-SESSION'], body: change });
    expect(after.data.visibleByRegisteredUsers).toEqual({ nick: 'b' });
  });

  it('sections are returned as they were sent, key by key', async () => {
    const { token } = await world.user();
    const section = '{"b":1,"a":{"":"č😀","x.y":-1e-7},"__proto__":{"admin":true},"constructor":null}';
    const body = `{"visibleByAnonymousUsers":${section}}`;
    await expectStatus(call('PUT', '/me', { token, body }), 200);
    expect((await call('GET', '/me', { token })).text).toContain(`"visibleByAnonymousUsers":${section},`);
  });

  describe('GET /user/:username', () => {
    const everything = [...SECTION_NAMES];
    const viewers: ReadonlyArray<[string, readonly Section[], (name: string) => Promise<CallOptions>]> = [
      ['anonymous callers', ['visibleByAnonymousUsers'], async () => ({})],
      ['clients with an expired token (rejected)', [], async () => ({ token: 'stale' })],
      [
        'signed-up users',
        ['visibleByRegisteredUsers', 'visibleByAnonymousUsers'],
        async () => ({ token: (await world.user()).token }),
      ],
      [
        'BackOffice users',
        ['visibleByRegisteredUsers', 'visibleByAnonymousUsers'],
        async () => ({ token: (await personWithRole(world, 'BackOffice')).token }),
      ],
      [
        'followers',
        ['visibleByFriend', 'visibleByRegisteredUsers', 'visibleByAnonymousUsers'],
        async (name) => {
          const { token } = await world.user();
          await expectStatus(call('POST', `/follow/${name}`, { token }), 201);
          return { token };
        },
      ],
      ['the user', everything, async (name) => ({ token: await loginAs(world, name) })],
      ['the user with Basic credentials', everything, async (name) => ({ basic: [name, 'secret'] })],
      ['the administrator', everything, async () => ({ token: await world.admin() })],
      ['another administrator', everything, async () => ({ token: (await personWithRole(world, 'admin')).token })],
    ];

    it.each(viewers)('shows %s the sections that they may read', async (_who, sections, optionsFor) => {
      const { name, canaries } = await planted(world);
      const { status, data, text } = await call('GET', `/user/${name}`, await optionsFor(name));
      expect(status).toBe(sections.length === 0 ? 401 : 200);
      for (const section of SECTION_NAMES) {
        if (sections.includes(section)) expect(data[section]).toEqual({ canary: canaries[section] });
        else {
          expect(data?.[section] ?? null).toBeNull();
          expect(text).not.toContain(canaries[section]);
        }
      }
    });

    it('shows no more to a user whom the caller follows', async () => {
      const [ann, bob] = [await planted(world), await world.user()];
      await follow(world, ann, bob);
      const { data } = await call('GET', `/user/${ann.name}`, { token: bob.token });
      expect([data.visibleByTheUser, data.visibleByFriend]).toEqual([null, null]);
    });

    it('finds names of every script, whatever the case, and is 404 for unknown ones', async () => {
      for (const prefix of ['a:b;c&d', 'x+y', 'Zoë 漢字', 'password']) {
        const { name, id } = await world.user(world.unique(prefix));
        for (const spelling of [name, name.toUpperCase()]) {
          const { data } = await expectStatus(call('GET', `/user/${encodeURIComponent(spelling)}`), 200);
          expect(data.id).toBe(id);
        }
      }
      expectFailure(await call('GET', '/user/nobody%20of%20this%20name'), 404);
      expectFailure(await call('GET', '/user/ann', { appCode: null }), 400);
    });
  });

  it('GET /user/:username/exists tells signed-in users whether a name is taken', async () => {
    const { name, token } = await world.user();
    const ask = async (username: string) => (await call('GET', `/user/${username}/exists`, { token })).data;
    expect(await ask(name.toUpperCase())).toEqual({ username: name.toUpperCase(), exists: true });
    expect(await ask('nobody')).toEqual({ username: 'nobody', exists: false });
    expectFailure(await call('GET', `/user/${name}/exists`), 401);
    expectFailure(await call('GET', `/user/${name}/exists`, { appCode: null }), 400);
  });

  describe('PUT /me/username', () => {
    it('changes the name and keeps everything else', async () => {
      const { name, token, id } = await world.user();
      const username = world.unique('renamed');
      const { data, headers } = await expectStatus(call('PUT', '/me/username', { token, body: { username } }), 200);
      expect([data, headers['bb-username']]).toEqual(['', name]);
      const me = await call('GET', '/me', { token });
      expect([me.data.id, me.data.user.name, me.headers['bb-username']]).toEqual([id, username, username]);
      await loginAs(world, username);
      expectFailure(await call('POST', '/login', { body: { username: name, password: 'secret' } }), 401);
      expectFailure(await call('GET', '/me', { basic: [name, 'secret'] }), 401);
    });

    it('accepts another spelling of the same name', async () => {
      const { name, token } = await world.user();
      const body = { username: name.toUpperCase() };
      await expectStatus(call('PUT', '/me/username', { token, body }), 200);
      expect((await call('GET', '/me', { token })).data.user.name).toBe(name.toUpperCase());
    });

    it('rejects names that are taken, invalid or reserved', async () => {
      const [{ name, token }, other] = [await world.user(), await world.user()];
      for (const username of [
        other.name.toUpperCase(),
        '',
        'x/y',
        '..',
        'a\u0007b',
        'suspend',
        'Support',
        'Admin',
        '_x',
        7,
        null,
        undefined,
      ]) {
        expectFailure(await call('PUT', '/me/username', { token, body: { username } }), 400);
      }
      expect((await call('GET', '/me', { token })).data.user.name).toBe(name);
    });

    it('lets exactly one of 20 concurrent requests take a name', async () => {
      const people = await Promise.all(Array.from({ length: 20 }, () => world.user()));
      const body = { username: world.unique('wanted') };
      const answers = await Promise.all(people.map(({ token }) => call('PUT', '/me/username', { token, body })));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
    });

    it('is not available to the administrator of the service', async () => {
      const token = await world.admin();
      expectFailure(await call('PUT', '/me/username', { token, body: { username: world.unique('boss') } }), 400);
      expect((await call('GET', '/me', { token })).data.user.name).toBe('admin');
    });
  });

  it('PUT /me/suspend ends all sessions and blocks further log-ins', async () => {
    const { name, token } = await world.user();
    const other = await loginAs(world, name);
    expect((await expectStatus(call('PUT', '/me/suspend', { token }), 200)).data).toBe('');
    for (const stale of [token, other]) expectFailure(await call('GET', '/me', { token: stale }), 401);
    expectFailure(await call('POST', '/login', { body: { username: name, password: 'secret' } }), 401);
    expectFailure(await call('GET', '/me', { basic: [name, 'secret'] }), 401);
    expect((await call('GET', `/user/${name}`)).data.user.status).toBe('SUSPENDED');
    expectFailure(await call('PUT', '/me/suspend', { token: await world.admin() }), 400);
    expect((await call('GET', '/me', { token: await world.admin() })).data.user.status).toBe('ACTIVE');
  });
});
