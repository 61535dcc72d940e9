import { expect, it } from 'vitest';
import { keyScenarios } from '../support/api-keys.ts';
import { type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();

/** The roles that have every right on every document and file. */
const ROLES = ['administrator', 'BackOffice'] as const;

onEveryStorage(
  'administrators and BackOffice users',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const keys = keyScenarios(world);

    /** Calls that create, change or promote a user with this role. The second name is that of a plain user. */
    const changes = (role: string, name: string, plain: string): ReadonlyArray<readonly [string, string, object]> => [
      ['POST', '/admin/user', { username: world.unique('made'), password: 'x', role }],
      ['PUT', `/admin/user/${plain}`, { role: role.toUpperCase() }],
      ['PUT', `/admin/user/${name}`, { role: 'registereduser' }],
      ['PUT', `/admin/user/${name}`, { username: world.unique('renamed') }],
      ['PUT', `/admin/user/${name}`, { visibleByTheUser: { email: 'other@example.com' } }],
      ['PUT', `/admin/user/${name}/password`, { password: 'other' }],
      ['DELETE', `/admin/user/${name}/factors`, {}],
      ['PUT', `/admin/user/suspend/${name}`, {}],
      ['PUT', `/admin/user/activate/${name}`, {}],
      ['DELETE', `/admin/user/${name}`, {}],
    ];

    /** The same for plain users. */
    const harmless = (plain: string): ReadonlyArray<readonly [string, string, object]> => [
      ['PUT', `/admin/user/${plain}`, { visibleByTheUser: { a: 1 } }],
      ['PUT', `/admin/user/${plain}/password`, { password: 'other' }],
      ['DELETE', `/admin/user/${plain}/factors`, {}],
      ['PUT', `/admin/user/suspend/${plain}`, {}],
      ['PUT', `/admin/user/activate/${plain}`, {}],
      ['DELETE', `/admin/user/${plain}`, {}],
    ];

    async function stateOf(name: string) {
      const { data } = await expectStatus(call('GET', `/admin/user/${name}`, { basic: adminOf(world) }), 200);
      return { roles: data.user.roles, status: data.user.status, visibleByTheUser: data.visibleByTheUser };
    }

    /** The codes of these calls, each of which must not have changed the two users. */
    async function codesOf(options: CallOptions, role: string, name: string, plain: string): Promise<unknown[]> {
      const before = [await stateOf(name), await stateOf(plain)];
      const codes: unknown[] = [];
      for (const [method, url, body] of changes(role, name, plain)) {
        codes.push((await call(method, url, { ...options, body })).body.code);
      }
      expect([await stateOf(name), await stateOf(plain)]).toEqual(before);
      await loginAs(world, name);
      return codes;
    }

    it.each(ROLES)('are out of the reach of API keys: %s', async (role) => {
      const { key } = await keys.addKey('administrator');
      const headers = { authorization: `Bearer ${key}` };
      const [other, plain] = [await personWithRole(world, role), await world.user()];
      const codes = await codesOf({ headers }, role, other.name, plain.name);
      expect([...new Set(codes)]).toEqual(['key.user_required']);
      for (const name of [other.name, 'admin']) {
        const sessions = `/admin/user/${name}/sessions`;
        expect((await call('GET', sessions, { headers })).body.code).toBe('key.user_required');
        expect((await call('DELETE', sessions, { headers })).body.code).toBe('key.user_required');
      }
      const password = call('PUT', '/admin/user/admin/password', { headers, body: { password: 'x' } });
      expect((await password).body.code).toBe('key.user_required');
      const factors = call('DELETE', '/admin/user/admin/factors', { headers });
      expect((await factors).body.code).toBe('key.user_required');
      for (const [method, url, body] of harmless(plain.name)) {
        await expectStatus(call(method, url, { headers, body }), 200);
      }
    });

    it('are out of the reach of the session of a guest with that role, until the guest has logged in', async () => {
      await setSettings(world, 'Application', { 'guests.allowed': true });
      const { data } = await expectStatus(call('POST', '/user/guest'), 201);
      const { name } = data.user;
      const basic = adminOf(world);
      await expectStatus(call('PUT', `/admin/user/${name}`, { basic, body: { role: 'administrator' } }), 200);
      const token: string = data['X-BB-SESSION'];
      clock.advance(11 * MINUTE);
      const [other, plain] = [await personWithRole(world, 'administrator'), await world.user()];
      const codes = await codesOf({ token }, 'administrator', other.name, plain.name);
      expect([...new Set(codes)]).toEqual(['auth.fresh_login_required']);
      const body = { username: world.unique('chosen'), password: 'chosen' };
      expect((await call('PUT', '/me/credentials', { token, body })).body.code).toBe('auth.fresh_login_required');
      expect((await call('POST', '/me/passkeys/options', { token })).body.code).toBe('auth.fresh_login_required');
      await expectStatus(call('PUT', `/admin/user/${name}/password`, { basic, body: { password: 'secret' } }), 200);
      const role = { token: await loginAs(world, name), body: { role: 'administrator' } };
      await expectStatus(call('PUT', `/admin/user/${plain.name}`, role), 200);
    });

    it.each(ROLES)('are out of the reach of stale sessions, unless the password is sent: %s', async (role) => {
      await setSettings(world, 'Application', { 'session_tokens.timeout': 0 });
      const { name: caller } = await personWithRole(world, 'administrator');
      const token = await loginAs(world, caller);
      const [other, plain] = [await personWithRole(world, role), await world.user()];
      clock.advance(11 * MINUTE);
      const codes = await codesOf({ token }, role, other.name, plain.name);
      expect([...new Set(codes)]).toEqual(['auth.fresh_login_required']);
      for (const [method, url, body] of harmless(plain.name)) {
        await expectStatus(call(method, url, { token, body }), 200);
      }
      const wrong = { role: 'registereduser', current_password: 'wrong' };
      const refused = await call('PUT', `/admin/user/${other.name}`, { token, body: wrong });
      expect(refused.body.code).toBe('user.old_password_invalid');
      for (const [method, url, more] of [
        ['PUT', `/admin/user/suspend/${other.name}`, {}],
        ['PUT', `/admin/user/activate/${other.name}`, {}],
        ['PUT', `/admin/user/${other.name}`, { visibleByTheUser: { a: 1 } }],
        ['DELETE', `/admin/user/${other.name}`, {}],
      ] as const) {
        await expectStatus(call(method, url, { token, body: { ...more, current_password: 'secret' } }), 200);
      }
      const creation = { username: world.unique('made'), password: 'x', role };
      const made = call('POST', '/admin/user', { token, body: { ...creation, current_password: 'secret' } });
      await expectStatus(made, 201);
    });
  },
  { clock },
);
