import type { SettingGroup } from '@baobab/core';
import { expect, expectTypeOf, it } from 'vitest';
import { keyScenarios } from '../support/api-keys.ts';
import { type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { codesIn, readDocument, tableRows } from '../support/markdown.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();

/** The keys that docs/settings.md calls protected. */
const PROTECTED = new Set(
  tableRows(readDocument('docs/settings.md')).flatMap(([key = '', , , isProtected]) =>
    isProtected === 'yes' ? codesIn(key) : [],
  ),
);

it('says of each setting, where it is defined, whether it is protected', () => {
  interface Undecided {
    readonly type: 'Boolean';
    readonly initial: boolean;
    readonly description: string;
  }
  expectTypeOf<Undecided>().not.toExtend<SettingGroup['settings'][string]>();
  expectTypeOf<Undecided & { readonly isProtected: boolean }>().toExtend<SettingGroup['settings'][string]>();
});

onEveryStorage(
  'settings that steer mails and logins',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);

    interface Named {
      readonly section: string;
      readonly key: string;
      readonly type: string;
      readonly value: string;
      readonly default_value: string;
    }

    async function all(): Promise<Named[]> {
      const basic = adminOf(world);
      const { data } = await expectStatus(call('GET', '/admin/configuration/dump.json', { basic }), 200);
      const names: string[] = data.map(({ section }: { section: string }) => section);
      const listed = names.map(async (section) => {
        const answer = await expectStatus(call('GET', `/admin/configuration/${section}`, { basic }), 200);
        return answer.data.map((one: object) => ({ section, ...one }));
      });
      return (await Promise.all(listed)).flat();
    }

    const set = ({ section, key }: Pick<Named, 'section' | 'key'>, body: object, options: CallOptions) =>
      call('PUT', `/admin/configuration/${section}/${key}`, { ...options, body });

    /** The settings that this caller cannot change, all with this code. */
    async function refusedTo(options: CallOptions, code: string): Promise<string[]> {
      const settings = await all();
      const refused: string[] = [];
      for (const one of settings) {
        const { status, body } = await set(one, { value: one.type === 'Secret' ? '' : one.value }, options);
        if (status === 200) continue;
        expect([one.key, body.code]).toEqual([one.key, code]);
        refused.push(one.key);
      }
      return refused;
    }

    const expected = async () => (await all()).map(({ key }) => key).filter((key) => PROTECTED.has(key));
    const HOST = { section: 'PasswordRecovery', key: 'network.smtp.host' };
    const hostNow = async () => (await all()).find(({ key }) => key === HOST.key)?.value;

    it('are those that the documentation names', async () => {
      const keys = await expected();
      expect(keys).toEqual(
        expect.arrayContaining([
          'email.from',
          'network.smtp.host',
          'network.http.url',
          'social.openid.issuer',
          'login.by.mail',
          'lockout.failures',
          'push.ios.key',
          'application.name',
          'registration.open',
          'registration.verified.email',
          'guests.allowed',
          'guests.expire.days',
          'password.min.length',
          'password.refuse.common',
          'group.add.default',
          'group.invitation.subject',
          'group.invitation.template.text',
          'group.invitation.template.html',
          'invitation.url',
          'following.default',
          'followers.read.documents',
          'push.senders',
          'push.ios.team',
          'push.android.project',
        ]),
      );
      expect(keys).not.toContain('image.allows.automatic.resize');
    });

    it('are out of the reach of API keys', async () => {
      const { key } = await keyScenarios(world).addKey('administrator');
      const headers = { authorization: `Bearer ${key}` };
      expect(await refusedTo({ headers }, 'key.user_required')).toEqual(await expected());
      const before = await hostNow();
      const byPath = await call('PUT', '/admin/configuration/PasswordRecovery/network.smtp.host/evil.example', {
        headers,
      });
      expect([byPath.status, byPath.body.code]).toEqual([403, 'key.user_required']);
      expect(await hostNow()).toBe(before);
    });

    it('are out of the reach of stale sessions, unless the password is sent', async () => {
      await setSettings(world, 'Application', { 'session_tokens.timeout': 0 });
      const { name } = await personWithRole(world, 'administrator');
      const token = await loginAs(world, name);
      await expectStatus(set(HOST, { value: 'mail.example.com' }, { token }), 200);
      clock.advance(11 * MINUTE);
      expect(await refusedTo({ token }, 'auth.fresh_login_required')).toEqual(await expected());
      const path = '/admin/configuration/PasswordRecovery/network.smtp.host/evil.example';
      expect((await call('PUT', path, { token })).body.code).toBe('auth.fresh_login_required');
      const wrong = await set(HOST, { value: 'evil.example', current_password: 'wrong' }, { token });
      expect(wrong.body.code).toBe('user.old_password_invalid');
      expect(await hostNow()).toBe('mail.example.com');
      await expectStatus(set(HOST, { value: 'a.example.com', current_password: 'secret' }, { token }), 200);
      await expectStatus(call('PUT', path.replace('evil', 'b'), { token, body: { current_password: 'secret' } }), 200);
      expect(await hostNow()).toBe('b.example');
    });

    it('say nothing to others than administrators', async () => {
      const { token } = await world.user();
      expect((await set(HOST, { value: 'evil.example' }, { token })).body.code).toBe('admin.required');
    });
  },
  { clock },
);
