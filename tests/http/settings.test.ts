import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, personWithRole, setSettings } from '../support/people.ts';

interface ShownSetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: string;
}

const SECTIONS = ['PasswordRecovery', 'Application', 'Push', 'Images', 'Social'];
const clock = createHandDrivenClock();

onEveryStorage(
  'settings',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const asAdmin = async (method: string, path: string, body?: unknown) =>
      call(method, `/admin/configuration/${path}`, {
        basic: adminOf(world),
        ...(body === undefined ? {} : { body }),
      });
    const section = async (name: string): Promise<ShownSetting[]> =>
      (await expectStatus(asAdmin('GET', name), 200)).data;
    const shownValue = async (name: string, key: string) => (await section(name)).find((one) => one.key === key)?.value;

    describe('dump.json', () => {
      it('shows every section in order, its settings grouped by the part before the first dot', async () => {
        const { body, headers } = await expectStatus(asAdmin('GET', 'dump.json'), 200);
        expect(headers['content-type']).toMatch(/^application\/json/);
        expect(body).toEqual({ result: 'ok', data: expect.any(Array), http_code: 200 });
        expect(body.data.map(({ section }: { section: string }) => section)).toEqual(SECTIONS);
        for (const dumped of body.data) {
          expect(Object.keys(dumped)).toEqual(['section', 'description', 'sub sections']);
          const shown = await section(dumped.section);
          const groups: Record<string, unknown[]> = {};
          for (const { key, value, description, type } of shown) {
            const group = key.split('.')[0] as string;
            groups[group] = [...(groups[group] ?? []), { [key]: value, description, type }];
          }
          expect(dumped['sub sections']).toEqual(groups);
        }
      });

      it('has the shape that the interface documents', async () => {
        const { data } = await asAdmin('GET', 'dump.json');
        const images = data.find((dumped: { section: string }) => dumped.section === 'Images');
        expect(images).toEqual({
          section: 'Images',
          description: expect.stringMatching(/\S/),
          'sub sections': {
            image: [
              { 'image.allows.automatic.resize': 'true', description: expect.any(String), type: 'Boolean' },
              {
                'image.allowed.automatic.resize.formats': '25% 50% 75% <=80px',
                description: expect.any(String),
                type: 'String',
              },
            ],
          },
        });
      });
    });

    it('GET /admin/configuration/:section gives each setting with what it takes and its default, values as strings', async () => {
      for (const name of [...SECTIONS, 'application', 'PASSWORDRECOVERY']) {
        for (const setting of await section(name)) {
          expect(setting).toEqual({
            key: expect.stringMatching(/^[a-z]/),
            value: expect.any(String),
            description: expect.stringMatching(/\S/),
            type: expect.stringMatching(/^(?:String|Integer|Boolean|Text|Secret)$/),
            default_value: expect.any(String),
            expected: expect.any(String),
          });
        }
      }
      const keys = async (name: string) => (await section(name)).map(({ key }) => key);
      expect(await keys('Application')).toEqual(
        expect.arrayContaining([
          'application.name',
          'session_tokens.timeout',
          'session_tokens.lifetime',
          'session_tokens.max.per.user',
          'network.http.ssl',
          'network.http.url',
          'network.http.port',
          'followers.read.documents',
        ]),
      );
      const smtp = ['host', 'port', 'ssl', 'tls', 'authentication', 'user', 'password'];
      expect(await keys('PasswordRecovery')).toEqual(
        expect.arrayContaining([
          'email.template.text',
          'email.template.html',
          'email.from',
          'email.subject',
          'email.expiration.time',
          'page.html.template',
          'page.html.feedback.template',
          ...smtp.map((name) => `network.smtp.${name}`),
        ]),
      );
      expect(await keys('Social')).toEqual(
        expect.arrayContaining(
          ['google', 'facebook'].flatMap((net) => [`social.${net}.enabled`, `social.${net}.secret`]),
        ),
      );
      expect(await keys('Push')).toEqual(expect.arrayContaining(['push.senders', 'push.sandbox.enable']));
      expectFailure(await asAdmin('GET', 'Nothing'), 404);
      expectFailure(await asAdmin('GET', '__proto__'), 404);
    });

    describe('PUT', () => {
      it.each<readonly [string, string, string, string]>([
        ['Application', 'application.name', 'My App', 'My App'],
        ['Application', 'application.name', 'a:b%c?d=č😀 $link$', 'a:b%c?d=č😀 $link$'],
        ['application', 'session_tokens.timeout', '30', '30'],
        ['Application', 'followers.read.documents', 'FALSE', 'false'],
        ['Images', 'image.allowed.automatic.resize.formats', '10% <=80px 100-200', '10% <=80px 100-200'],
        ['Application', 'network.http.url', 'app.example.com', 'app.example.com'],
      ])('sets %s %s to %j by path and by body', async (name, key, value, shown) => {
        const path = `${name}/${key}/${encodeURIComponent(value)}`;
        expect((await expectStatus(asAdmin('PUT', path), 200)).data).toBe('');
        expect(await shownValue(name, key)).toBe(shown);
        await setSettings(world, name, { [key]: value });
        expect(await shownValue(name, key)).toBe(shown);
      });

      it('accepts numbers, booleans and long strings in the body', async () => {
        const long = `<p>\n${'č'.repeat(50_000)}</p>`;
        await setSettings(world, 'PasswordRecovery', {
          'network.smtp.port': 587,
          'network.smtp.ssl': true,
          'page.html.template': long,
          'email.from': '',
        });
        const value = async (key: string) => shownValue('PasswordRecovery', key);
        expect(await value('network.smtp.port')).toBe('587');
        expect(await value('network.smtp.ssl')).toBe('true');
        expect(await value('page.html.template')).toBe(long);
        expect(await value('email.from')).toBe('');
      });

      it.each<readonly [string, string, unknown]>([
        ['Application', 'session_tokens.timeout', 'soon'],
        ['Application', 'session_tokens.timeout', '-1'],
        ['Application', 'session_tokens.timeout', '1.5'],
        ['Application', 'session_tokens.timeout', '99999999999'],
        ['Application', 'session_tokens.timeout', true],
        ['Application', 'application.url', 'javascript:alert(1)'],
        ['Application', 'application.url', 'https://app.example/"x'],
        ['Application', 'followers.read.documents', 'yes'],
        ['Application', 'followers.read.documents', 1],
        ['Application', 'network.http.port', '65536'],
        ['Application', 'network.http.url', 'https://example.com'],
        ['Application', 'network.http.url', 'example.com/path'],
        ['Application', 'network.http.url', 'a@evil.example'],
        ['Application', 'application.name', 'a\r\nBcc: x@y.zz'],
        ['PasswordRecovery', 'email.subject', 'a\nb'],
        ['PasswordRecovery', 'email.from', 'a@b.cc\r\nBcc: x@y.zz'],
        ['PasswordRecovery', 'email.from', 'My App'],
        ['PasswordRecovery', 'email.from', '<>'],
        ['PasswordRecovery', 'email.from', 'a@b.cc, c@d.ee'],
        ['PasswordRecovery', 'email.from', 'App, Inc. <a@b.cc>'],
        ['PasswordRecovery', 'email.from', 'App <a@ex ample.com>'],
        ['PasswordRecovery', 'email.expiration.time', '0'],
        ['PasswordRecovery', 'network.smtp.host', 'a\nb'],
        ['PasswordRecovery', 'page.html.template', 'x'.repeat(100_001)],
        ['Push', 'push.senders', 'everybody'],
        ['Images', 'image.allowed.automatic.resize.formats', 'huge'],
        ['Application', 'application.name', null],
        ['Application', 'application.name', {}],
        ['Application', 'application.name', undefined],
      ])('rejects for %s %s the value %j and keeps the old one', async (name, key, value) => {
        const before = await shownValue(name, key);
        expectFailure(await asAdmin('PUT', `${name}/${key}`, { value }), 400);
        const path = `${name}/${key}/${encodeURIComponent(String(value).slice(0, 2000))}`;
        // A path has no encoded slash, whatever the value.
        const expected = String(value).includes('/') ? 404 : 400;
        if (typeof value === 'string' && value.length < 2000) expectFailure(await asAdmin('PUT', path), expected);
        expect(await shownValue(name, key)).toBe(before);
      });

      it('is 404 for unknown sections and keys', async () => {
        for (const [name, key] of [
          ['Nothing', 'application.name'],
          ['Application', 'nothing'],
          ['Application', 'email.subject'],
          ['Application', '__proto__'],
          ['constructor', 'name'],
        ] as const) {
          expectFailure(await asAdmin('PUT', `${name}/${key}`, { value: 'x' }), 404);
          expectFailure(await asAdmin('PUT', `${name}/${key}/x`), 404);
        }
        expectFailure(await asAdmin('PUT', 'Application/application.name'), 400);
      });
    });

    describe('a secret', () => {
      const secrets = [
        ['PasswordRecovery', 'network.smtp.password'],
        ['Push', 'push.android.service_account'],
        ['Push', 'push.ios.key'],
        ['Social', 'social.facebook.secret'],
        ['Social', 'social.google.secret'],
      ] as const;

      it.each(secrets)('%s %s can be written, and is read only as ***', async (name, key) => {
        const canary = `canary-${key}-${world.unique('')}`;
        expect(await shownValue(name, key)).toBe('');
        const answers = [
          await asAdmin('PUT', `${name}/${key}`, { value: canary }),
          await asAdmin('PUT', `${name}/${key}/${canary}`),
          await asAdmin('GET', name),
          await asAdmin('GET', 'dump.json'),
          await asAdmin('PUT', `${name}/nothing/${canary}`),
          await asAdmin('PUT', `Nothing/${key}/${canary}`),
          await asAdmin('PUT', `${name}/${key}/${canary}/more`),
          await asAdmin('PUT', `${name}/${key}`, { value: [canary] }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 404, 404, 400]);
        for (const { text, headers } of answers) expect(text + JSON.stringify(headers)).not.toContain(canary);
        expect(await shownValue(name, key)).toBe('***');
        await setSettings(world, name, { [key]: '' });
        expect(await shownValue(name, key)).toBe('');
      });
    });

    it('is for administrators only: 401 for all others', async () => {
      const [ann, staff] = [await world.user(), await personWithRole(world, 'BackOffice')];
      for (const [method, path, body] of [
        ['GET', 'dump.json'],
        ['GET', 'Application'],
        ['GET', 'Nothing'],
        ['PUT', 'Application/application.name/stolen'],
        ['PUT', 'Application/application.name', { value: 'stolen' }],
      ] as const) {
        const sent = body === undefined ? {} : { body };
        for (const token of [ann.token, staff.token, 'stale', undefined]) {
          expectFailure(await call(method, `/admin/configuration/${path}`, { ...sent, token }), 401);
        }
        expectFailure(await call(method, `/admin/configuration/${path}`, { ...sent, appCode: null }), 400);
      }
      expect(await shownValue('Application', 'application.name')).not.toBe('stolen');
    });

    describe('takes effect immediately', () => {
      it('session_tokens.timeout, for existing sessions', async () => {
        const { token } = await world.user();
        const status = async () => (await call('GET', '/me', { token })).status;
        await setSettings(world, 'Application', { 'session_tokens.timeout': 60 });
        expect(await status()).toBe(200);
        clock.advance(50 * MINUTE);
        expect((await call('GET', '/refresh', { token })).status).toBe(200);
        clock.advance(20 * MINUTE);
        const { name } = await world.user();
        await setSettings(world, 'Application', { 'session_tokens.timeout': 10 });
        expect(await status()).toBe(401);
        await setSettings(world, 'Application', { 'session_tokens.timeout': 0 });
        expect(await status()).toBe(200);
        clock.advance(100 * 24 * 60 * MINUTE);
        expect(await status()).toBe(200);
        expect((await call('GET', '/me', { basic: [name, 'secret'] })).status).toBe(200);
        await setSettings(world, 'Application', { 'session_tokens.timeout': 15 });
      });

      it('application.name, in the next mail', async () => {
        const body = { username: world.unique('ann'), password: 'x', visibleByTheUser: { email: 'ann@example.com' } };
        await expectStatus(call('POST', '/user', { body }), 201);
        await setSettings(world, 'PasswordRecovery', {
          'network.smtp.host': 'mail.example.com',
          'email.from': 'app@example.com',
        });
        for (const name of ['First App', 'Second App']) {
          await setSettings(world, 'Application', { 'application.name': name });
          await expectStatus(call('GET', `/user/${body.username}/password/reset`), 200);
          expect(world.backend.mail.at(-1)?.text).toContain(name);
        }
        expect(world.backend.mail.at(-1)?.text).not.toContain('First App');
      });
    });
  },
  { clock },
);
