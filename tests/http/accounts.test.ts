import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';

onEveryStorage('accounts', (world) => {
  const { call, user, unique } = {
    call: ((...args) => world.call(...args)) as typeof world.call,
    user: (name?: string) => world.user(name),
    unique: (prefix: string) => world.unique(prefix),
  };

  describe('POST /user', () => {
    it('registers a user, logs them in and shows their profile', async () => {
      const username = unique('cesare');
      const sections = {
        visibleByTheUser: { email: 'c@example.com', list: [1, null] },
        visibleByFriend: { b: 1, a: 2 },
        visibleByRegisteredUsers: { nick: 'č' },
      };
      const { status, data, headers } = await call('POST', '/user', {
        body: { username, password: '', ...sections, x: 1 },
      });
      expect(status).toBe(201);
      expect(data).toEqual({
        user: { name: username, status: 'ACTIVE', roles: [{ name: 'registereduser' }] },
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ...sections,
        visibleByAnonymousUsers: {},
        signUpDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/),
        generated_username: false,
        email_verified: false,
        'X-BB-SESSION': expect.any(String),
        client: expect.stringMatching(/^[\w-]{44}$/),
      });
      expect(headers['x-bb-session']).toBe(data['X-BB-SESSION']);
      const me = await call('GET', '/user', { token: data['X-BB-SESSION'] });
      expect(me.data).toEqual({ ...data, 'X-BB-SESSION': undefined, client: undefined });
    });

    it.each([
      ['no body', undefined],
      ['no username', { password: 'x' }],
      ['no password', { username: 'ann' }],
      ['a username that is not a string', { username: 7, password: 'x' }],
      ['a password that is not a string', { username: 'ann', password: null }],
      ['an empty username', { username: '', password: 'x' }],
      ['a username with a control character', { username: 'a\u0007b', password: 'x' }],
      ['a username that reverses the text direction', { username: 'a\u202eb', password: 'x' }],
      ['a username that is too long', { username: 'x'.repeat(129), password: 'x' }],
      ['a password that is too long', { username: 'ann', password: 'x'.repeat(1025) }],
      ['a reserved name', { username: 'Admin', password: 'x' }],
      ['another reserved name', { username: 'ANONYMOUS', password: 'x' }],
      ['a name that begins with _', { username: '_x', password: 'x' }],
      ['a section that is null', { username: 'ann', password: 'x', visibleByTheUser: null }],
      ['a section that is an array', { username: 'ann', password: 'x', visibleByFriend: [] }],
      ['an invalid e-mail address', { username: 'ann', password: 'x', visibleByTheUser: { email: 'a@' } }],
      [
        'an e-mail address with a line break',
        { username: 'ann', password: 'x', visibleByTheUser: { email: 'a@b.c\r\nBcc: d@e.f' } },
      ],
      ['an array instead of an object', []],
    ])('rejects %s', async (_what, body) => {
      const { status, body: envelope } = await call('POST', '/user', { body });
      expect(status).toBe(400);
      expect(envelope).toMatchObject({ result: 'error', http_code: 400, resource: '/user', method: 'POST' });
    });

    it('takes a top-level e-mail address as visibleByTheUser.email, unless that section has one', async () => {
      const signUp = async (more: object) =>
        (await call('POST', '/user', { body: { username: unique('ann'), password: 'x', ...more } })).data
          ?.visibleByTheUser;
      const email = 'ann@example.com';
      expect(await signUp({ email })).toEqual({ email });
      expect(await signUp({ email, visibleByTheUser: { a: 1 } })).toEqual({ email, a: 1 });
      const other = { email: 'other@example.com' };
      expect(await signUp({ email, visibleByTheUser: other })).toEqual(other);
      for (const body of [{ email: 'no address' }, { email, visibleByTheUser: [] }, { email: 7 }]) {
        expect(
          (await call('POST', '/user', { body: { username: unique('ann'), password: 'x', ...body } })).status,
        ).toBe(400);
      }
    });

    it('takes any printable name of up to 128 characters', async () => {
      for (const name of ['漢字', 'a b', 'a:b;c&d', "'; drop table users; --", '👩‍🚀', 'x'.repeat(120)]) {
        const username = `${name}${unique('')}`;
        const { status, data } = await call('POST', '/user', { body: { username, password: 'x' } });
        expect(status).toBe(201);
        expect(data.user.name).toBe(username);
      }
    });

    it('lets exactly one of 50 concurrent sign-ups take a name, whatever its case', async () => {
      const name = unique('Ann');
      const spellings = [name, name.toUpperCase(), name.toLowerCase(), ` ${name}`.trim(), name.replace('A', 'Ａ')];
      const attempts = Array.from({ length: 50 }, (_, i) =>
        call('POST', '/user', { body: { username: spellings[i % spellings.length], password: 'x' } }),
      );
      const statuses = (await Promise.all(attempts)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      expect(statuses.filter((status) => status === 400)).toHaveLength(49);
    });

    it('ignores an expired token', async () => {
      const body = { username: unique('ann'), password: 'x' };
      expect((await call('POST', '/user', { body, token: 'old' })).status).toBe(201);
    });
  });

  describe('POST /login', () => {
    it('accepts a form or JSON, and the application code in a header or in the body', async () => {
      const { name } = await user();
      const fields = { username: name, password: 'secret' };
      const appcode = world.backend.appCode;
      for (const options of [
        { form: fields },
        { body: fields },
        { form: { ...fields, appcode }, appCode: null },
        { body: { ...fields, appcode }, appCode: null },
        { form: { ...fields, login_data: '{"os":"android","deviceId":"d1"}' } },
        { body: { ...fields, login_data: { os: 'ios', pushToken: 'd2' } } },
        { body: fields, token: 'stale' },
        { body: fields, basic: [name, 'an old password'] as const },
      ]) {
        const { status, data, headers } = await call('POST', '/login', options);
        expect(status).toBe(200);
        expect(data.user.name).toBe(name);
        expect(headers['x-bb-session']).toBe(data['X-BB-SESSION']);
        expect((await call('GET', '/me', { token: data['X-BB-SESSION'] })).status).toBe(200);
      }
    });

    it('finds the user whatever the case of the name', async () => {
      const { name } = await user();
      const { data } = await call('POST', '/login', { body: { username: name.toUpperCase(), password: 'secret' } });
      expect(data.user.name).toBe(name);
    });

    it.each([
      ['no password', { body: { username: 'ann' } }, 400],
      ['no name', { form: { password: 'x' } }, 400],
      ['no application code', { body: { username: 'ann', password: 'x' }, appCode: null }, 400],
      ['a wrong application code in the body', { body: { username: 'ann', password: 'x', appcode: 'no' } }, 400],
      ['a wrong application code in the header', { body: { username: 'ann', password: 'x' }, appCode: 'no' }, 400],
      ['login_data that is no JSON', { form: { username: 'ann', password: 'x', login_data: '{' } }, 400],
      ['login_data without a device', { form: { username: 'ann', password: 'x', login_data: '{"os":"ios"}' } }, 400],
      [
        'login_data of an unknown os',
        { body: { username: 'a', password: 'x', login_data: { os: 'tv', deviceId: 'd' } } },
        400,
      ],
      ['nobody', { body: { username: 'nobody at all', password: 'x' } }, 401],
    ])('rejects %s', async (_what, options, status) => {
      expect((await call('POST', '/login', options)).status).toBe(status);
    });

    it('answers an unknown name exactly as it answers a wrong password', async () => {
      const { name } = await user();
      const wrong = await call('POST', '/login', { body: { username: name, password: 'wrong' } });
      const unknown = await call('POST', '/login', { body: { username: 'nobody', password: 'wrong' } });
      expect(wrong.status).toBe(401);
      expect(unknown.body).toEqual({ ...wrong.body, request_header: expect.anything() });
    });
  });

  describe('sessions', () => {
    it('end with POST /logout', async () => {
      const { token } = await user();
      const { status, data } = await call('POST', '/logout', {
        token,
        headers: { 'content-type': 'application/json' },
      });
      expect([status, data]).toEqual([200, 'user logged out']);
      const after = await call('GET', '/user', { token });
      expect(after.status).toBe(401);
      expect(after.body.bb_code).toBe('40101');
      expect((await call('POST', '/logout', { token })).status).toBe(401);
    });

    it('can be ended one at a time', async () => {
      const { name, token } = await user();
      const other = await call('POST', '/login', { body: { username: name, password: 'secret' } });
      await call('POST', '/logout', { token });
      expect((await call('GET', '/user', { token: other.data['X-BB-SESSION'] })).status).toBe(200);
    });

    it('end with POST /logout/:deviceId, also when the device is unknown', async () => {
      for (const device of ['phone', 'never seen']) {
        const { name } = await user();
        const login_data = { os: 'ios', deviceId: 'phone' };
        const { data } = await call('POST', '/login', { body: { username: name, password: 'secret', login_data } });
        const token = data['X-BB-SESSION'];
        const { status, text } = await call('POST', `/logout/${encodeURIComponent(device)}`, { token });
        expect([status, text]).toEqual([204, '']);
        expect((await call('GET', '/user', { token })).status).toBe(401);
      }
    });

    it.each([
      ['an expired token', { token: 'stale' }],
      ['an expired token without an application code', { token: 'stale', appCode: null }],
      ['no token', {}],
      ['Basic credentials only', { basic: ['admin', 'admin'] as const }],
    ])('POST /logout/:deviceId with %s is 400 with 40101', async (_what, options) => {
      const { status, body } = await call('POST', '/logout/phone', options);
      expect([status, body.bb_code]).toEqual([400, '40101']);
    });

    it('need no application code, not even with the token in the query', async () => {
      const { token } = await user();
      expect((await call('GET', '/user', { token, appCode: null })).status).toBe(200);
      expect((await call('GET', `/user?X-BB-SESSION=${token}`, { appCode: null })).status).toBe(200);
    });

    it('take precedence over Basic credentials', async () => {
      const [ann, bob] = [await user(), await user()];
      const both = await call('GET', '/user', { token: ann.token, basic: [bob.name, 'secret'] });
      expect(both.data.user.name).toBe(ann.name);
      expect((await call('GET', '/user', { token: 'bad', basic: [bob.name, 'secret'] })).status).toBe(401);
    });
  });

  describe('credentials', () => {
    it('may be Basic; the password is everything after the first colon', async () => {
      const username = unique('Zoë');
      await call('POST', '/user', { body: { username, password: 'a:b:č' } });
      const { status, data, headers } = await call('GET', '/user', { basic: [username, 'a:b:č'] });
      expect([status, data.user.name]).toEqual([200, username]);
      expect(decodeURIComponent(String(headers['bb-username']))).toBe(username);
      for (const password of ['a', 'a:b', '']) {
        expect((await call('GET', '/user', { basic: [username, password] })).status).toBe(401);
      }
    });

    it('may have an empty password', async () => {
      const username = unique('ann');
      await call('POST', '/user', { body: { username, password: '' } });
      expect((await call('GET', '/user', { basic: [username, ''] })).status).toBe(200);
      expect((await call('GET', '/user', { basic: [username, 'x'] })).status).toBe(401);
    });

    it.each(['Basic', 'Basic !!!', 'Basic YQ==', 'basic Og=='])(
      'are refused when they are "%s"',
      async (authorization) => {
        expect((await call('GET', '/user', { headers: { authorization } })).status).toBe(401);
      },
    );

    it('require the application code', async () => {
      const { name } = await user();
      const { status, body } = await call('GET', '/user', { basic: [name, 'secret'], appCode: null });
      expect([status, body.message]).toEqual([400, 'invalid application code']);
    });

    it('are missing: 401', async () => {
      const { status, body } = await call('GET', '/user');
      expect(status).toBe(401);
      expect(body.bb_code).toBeUndefined();
    });
  });

  describe('the application code', () => {
    it('may be in either header or either query parameter', async () => {
      const { name } = await user();
      const basic = [name, 'secret'] as const;
      const code = world.backend.appCode;
      const attempt = async (url: string, headers = {}) =>
        (await call('GET', url, { basic, appCode: null, headers })).status;
      expect(await attempt('/user', { 'X-SERVICE-APPCODE': code })).toBe(200);
      expect(await attempt('/user', { 'X-BAASBOX-APPCODE': code })).toBe(200);
      expect(await attempt(`/user?X-SERVICE-APPCODE=${code}`)).toBe(200);
      expect(await attempt(`/user?X-BAASBOX-APPCODE=${code}`)).toBe(200);
      expect(await attempt('/user')).toBe(400);
    });

    it('is rejected with 400 when it is wrong, even with a valid session', async () => {
      const { token } = await user();
      const { status, body } = await call('GET', '/user', { token, appCode: 'wrong' });
      expect([status, body.message]).toEqual([400, 'invalid application code']);
    });

    it('answers 400 when it is missing and the token has expired', async () => {
      const { status, body } = await call('GET', '/user', { token: 'stale', appCode: null });
      expect([status, body.message]).toEqual([400, 'invalid application code']);
    });
  });
});
