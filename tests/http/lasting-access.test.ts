import { expect, it } from 'vitest';
import { keyScenarios } from '../support/api-keys.ts';
import { type Answer, type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();

type Call = readonly [method: string, url: string, body: object];

onEveryStorage(
  'access that outlasts a key or a session',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const asAdmin = (method: string, url: string, body: object = {}) =>
      call(method, url, { basic: adminOf(world), body });

    const byKey = async (): Promise<CallOptions> => {
      const { key } = await keyScenarios(world).addKey('administrator');
      return { headers: { authorization: `Bearer ${key}` } };
    };
    const byStaleSession = async (): Promise<CallOptions> => {
      await setSettings(world, 'Application', { 'session_tokens.timeout': 0 });
      const { name } = await personWithRole(world, 'administrator');
      const token = await loginAs(world, name);
      clock.advance(11 * MINUTE);
      return { token };
    };
    const CALLERS = [
      ['an API key', byKey, 'key.user_required'],
      ['a stale session', byStaleSession, 'auth.fresh_login_required'],
    ] as const;

    const send = (options: CallOptions, [method, url, body]: Call, more: object = {}): Promise<Answer> =>
      call(method, url, { ...options, body: { ...body, ...more } });

    /** Expects each call to be refused with this code, and the state to be unchanged. */
    async function expectRefused(calls: readonly Call[], options: CallOptions, code: string, state: () => unknown) {
      const before = await state();
      for (const one of calls) expect([one, (await send(options, one)).body.code]).toEqual([one, code]);
      expect(await state()).toEqual(before);
    }

    async function expectAllowed(calls: readonly Call[], options: CallOptions, more: object = {}): Promise<void> {
      for (const one of calls) expect([one, (await send(options, one, more)).body.result]).toEqual([one, 'ok']);
    }

    async function webhookScenario() {
      const collection = await world.collection();
      const other = await world.collection();
      const body = { url: 'https://hooks.example.com/a', collections: [collection] };
      const { data } = await expectStatus(asAdmin('POST', '/admin/webhook', body), 201);
      const url = `/admin/webhook/${data.id}`;
      const given: readonly Call[] = [
        ['POST', '/admin/webhook', { url: 'https://evil.example.com', collections: [collection] }],
        ['PUT', url, { url: 'https://evil.example.com' }],
        ['PUT', url, { collections: [other] }],
        ['PUT', url, { where: 'a is not null' }],
        ['PUT', url, { types: ['gone'] }],
        ['PUT', url, { description: 'moved', url: 'https://evil.example.com' }],
        ['POST', `${url}/secret`, {}],
      ];
      const harmless: readonly Call[] = [
        ['PUT', url, { description: 'for the shop' }],
        ['PUT', url, { ...body, where: null, enabled: true }],
        ['PUT', url, { enabled: false }],
      ];
      const state = async () => (await asAdmin('GET', '/admin/webhook')).body.data;
      return { url, given, harmless, state };
    }

    it.each(CALLERS)('is not given with webhooks by %s', async (_caller, callerOf, code) => {
      const { url, given, harmless, state } = await webhookScenario();
      const options = await callerOf();
      await expectRefused(given, options, code, state);
      await expectAllowed(harmless, options);
      await expectRefused([['PUT', url, { enabled: true }]], options, code, state);
      await expectAllowed([['DELETE', url, {}]], options);
    });

    it.each(CALLERS)('is not given with rules by %s', async (_caller, callerOf, code) => {
      const [name, parents] = [await world.collection(), await world.collection()];
      const role = world.unique('editors');
      await expectStatus(asAdmin('POST', `/admin/role/${role}`), 201);
      const url = `/admin/collection/${name}/rules`;
      const rules = {
        create: [role],
        read: [{ role: 'registereduser', if: 'shared = true' }, role],
        parent: { field: 'board', collection: parents, read: 'read' },
        check: { update: 'new.a = 1' },
      };
      await expectStatus(asAdmin('PUT', url, rules), 200);
      const given: readonly Call[] = [
        ['PUT', url, { read: ['anonymous'] }],
        ['PUT', url, { read: ['registereduser'] }],
        ['PUT', url, { read: [{ role: 'registereduser', if: 'shared = false' }] }],
        ['PUT', url, { update: ['registereduser'] }],
        ['PUT', url, { delete: [role] }],
        ['PUT', url, { create: ['registereduser'] }],
        ['PUT', url, { parent: { ...rules.parent, read: 'read', update: 'read' } }],
        ['PUT', url, { parent: { ...rules.parent, field: 'other' } }],
        ['PUT', url, { check: {} }],
        ['PUT', url, { check: { update: 'new.a = 2' } }],
      ];
      const harmless: readonly Call[] = [
        ['PUT', url, rules],
        ['PUT', url, { check: { ...rules.check, create: 'new.a = 1' } }],
        ['PUT', url, { read: ['administrator', role] }],
        ['PUT', url, { parent: null }],
        ['PUT', url, { create: [], read: [] }],
      ];
      const state = async () => (await asAdmin('GET', url)).body.data;
      const options = await callerOf();
      await expectRefused(given, options, code, state);
      await expectStatus(send(options, ['PUT', `${url}?dry=true`, { read: ['anonymous'] }]), 200);
      await expectAllowed(harmless, options);
      expect(await state()).toMatchObject({ create: [], read: [], parent: null });
    });

    it.each(CALLERS)('is not given with follows by %s', async (_caller, callerOf, code) => {
      const [follower, followed] = [await world.user(), await world.user()];
      const state = async () => (await asAdmin('GET', `/followers/${followed.name}`)).body.data;
      const pair = `${follower.name}/to/${followed.name}`;
      const options = await callerOf();
      const given = ['follow', 'Fw'].map((path): Call => ['POST', `/admin/${path}/${pair}`, {}]);
      await expectRefused(given, options, code, state);
    });

    it('is given by a stale session with the password', async () => {
      const { given } = await webhookScenario();
      const name = await world.collection();
      const [follower, followed] = [await world.user(), await world.user()];
      const options = await byStaleSession();
      const calls: readonly Call[] = [
        ...given,
        ['PUT', `/admin/collection/${name}/rules`, { read: ['registereduser'] }],
        ['POST', `/admin/follow/${follower.name}/to/${followed.name}`, {}],
      ];
      for (const one of calls) {
        expect((await send(options, one, { current_password: 'wrong' })).body.code).toBe('user.old_password_invalid');
      }
      await expectAllowed(calls, options, { current_password: 'secret' });
    });
  },
  { clock },
);
