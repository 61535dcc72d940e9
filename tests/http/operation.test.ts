import { smtpMailer } from '@baobab/adapters/smtp';
import { AppError, type Mailer } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import { describe, expect, it } from 'vitest';
import { shownEnvironment } from '../../packages/server/src/shown-environment.ts';
import { createWorld, onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { adminOf, loginAs, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'the routes for operators',
  (world) => {
    const call: typeof world.call = (...args) => world.call(...args);
    const asAdmin = (method: string, url: string, body?: unknown) =>
      call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });

    describe('sessions of a user', () => {
      it('are listed without their tokens, newest first', async () => {
        const { name, token } = await world.user();
        clock.advance(1_000);
        const phone = await loginAs(world, name, 'secret', { os: 'android', deviceId: world.unique('device') });
        const { status, data, text } = await asAdmin('GET', `/admin/user/${name.toUpperCase()}/sessions`);
        expect([status, data.length]).toEqual([200, 2]);
        const own = await call('GET', '/me/sessions', { token });
        expect(data).toEqual(own.data.map((session: object) => ({ ...session, current: false })));
        expect(data[0].device).toEqual({ id: expect.stringContaining('device'), os: 'android' });
        for (const secret of [token, phone]) expect(text).not.toContain(secret);
      });

      it('can be ended one by one, and the others go on', async () => {
        const { name, token } = await world.user();
        clock.advance(1_000);
        const other = await loginAs(world, name);
        const { data } = await asAdmin('GET', `/admin/user/${name}/sessions`);
        const url = `/admin/user/${name}/sessions/${data[0].id}`;
        expect((await asAdmin('DELETE', url)).status).toBe(200);
        const states = [await call('GET', '/me', { token: other }), await call('GET', '/me', { token })];
        expect(states.map(({ status }) => status)).toEqual([401, 200]);
        const again = await asAdmin('DELETE', url);
        expect([again.status, again.body.code]).toEqual([404, 'session.not_found']);
      });

      it('can be ended all at once', async () => {
        const { name, token } = await world.user();
        const other = await loginAs(world, name);
        const admin = await loginAs(world, 'admin', world.backend.adminPassword);
        expect((await call('DELETE', `/admin/user/${name}/sessions`, { token: admin })).status).toBe(200);
        for (const ended of [token, other]) expect((await call('GET', '/me', { token: ended })).status).toBe(401);
        expect((await asAdmin('GET', `/admin/user/${name}/sessions`)).data).toEqual([]);
        expect((await call('DELETE', '/admin/user/admin/sessions', { token: admin })).status).toBe(200);
        expect((await call('GET', '/me', { token: admin })).status).toBe(200);
      });

      it('of another user are not found under this one', async () => {
        const [ann, bob] = [await world.user(), await world.user()];
        const { data } = await asAdmin('GET', `/admin/user/${ann.name}/sessions`);
        expect((await asAdmin('DELETE', `/admin/user/${bob.name}/sessions/${data[0].id}`)).status).toBe(404);
        expect((await call('GET', '/me', { token: ann.token })).status).toBe(200);
        for (const method of ['GET', 'DELETE']) {
          expect((await asAdmin(method, '/admin/user/nobody-at-all/sessions')).body.code).toBe('user.not_found');
        }
      });
    });

    describe('statistics', () => {
      it('count what is stored, and say when', async () => {
        clock.advance(6 * MINUTE);
        const before = (await asAdmin('GET', '/admin/statistics')).data;
        const { token } = await world.user();
        const collection = await world.collection();
        await call('POST', `/document/${collection}`, { token, body: { a: 1 } });
        expect((await asAdmin('GET', '/admin/statistics')).data).toEqual(before);
        clock.advance(6 * MINUTE);
        const { status, data } = await asAdmin('GET', '/admin/statistics');
        expect(status).toBe(200);
        expect(data.users).toBe(before.users + 1);
        expect(data.documents.count).toBe(before.documents.count + 1);
        expect(data.documents.collections).toContainEqual({ name: collection, records: 1, size: 7 });
        expect(data.measured).not.toBe(before.measured);
        expect(data.days).toHaveLength(30);
        expect(data.days.at(-1)).toMatchObject({ date: data.measured.slice(0, 10) });
        expect(data.days.at(-1).users).toBeGreaterThan(0);
        expect(data.days.map(({ date }: { date: string }) => date)).toEqual(
          data.days.map(({ date }: { date: string }) => date).toSorted(),
        );
      });

      it('count only sessions that have not expired', async () => {
        await world.user();
        clock.advance(6 * MINUTE);
        const before = (await asAdmin('GET', '/admin/statistics')).data.sessions;
        expect(before).toBeGreaterThan(0);
        clock.advance(20 * MINUTE);
        expect((await asAdmin('GET', '/admin/statistics')).data.sessions).toBe(0);
      });
    });

    it('send a test mail, and say what the mail server said', async () => {
      const unset = await asAdmin('POST', '/admin/mail/test', { to: 'ops@example.com' });
      expect([unset.status, unset.body.code]).toEqual([503, 'mail.unavailable']);
      expect(unset.body.message).toContain('network.smtp.host is not set');
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
      const { status, data } = await asAdmin('POST', '/admin/mail/test', { to: 'ops@example.com' });
      expect([status, data]).toEqual([200, { answer: '250 kept in memory' }]);
      expect(world.backend.mail.at(-1)).toMatchObject({ to: 'ops@example.com', subject: 'Test mail of Baobab' });
      for (const to of ['nobody', 'a@example.com\r\nBcc: b@example.com', '']) {
        const refused = await asAdmin('POST', '/admin/mail/test', { to });
        expect([refused.status, refused.body.code]).toEqual([400, 'input.invalid']);
      }
    });

    it('list the configuration with its sources', async () => {
      const { status, data } = await asAdmin('GET', '/admin/configuration/environment');
      expect(status).toBe(200);
      expect(data).toContainEqual({
        name: 'PORT',
        value: '9000',
        default: '9000',
        source: 'default',
        description: expect.any(String),
        secret: false,
      });
    });

    it('are for administrators only', async () => {
      const { name, token } = await world.user();
      const routes = [
        ['GET', `/admin/user/${name}/sessions`, 403],
        ['DELETE', `/admin/user/${name}/sessions`, 403],
        ['DELETE', `/admin/user/${name}/sessions/x`, 403],
        ['GET', '/admin/statistics', 403],
        ['POST', '/admin/mail/test', 403],
        ['GET', '/admin/configuration/environment', 401],
      ] as const;
      for (const [method, url, expected] of routes) {
        const body = method === 'POST' ? { body: { to: 'a@example.com' } } : {};
        const answers = [await call(method, url, { token, ...body }), await call(method, url, body)];
        expect([url, ...answers.map(({ status }) => status)]).toEqual([url, expected, 401]);
      }
    });
  },
  { clock },
);

it('a refused test mail says what the mail server said', async () => {
  const mailer: Mailer = {
    requireSetUp: async () => undefined,
    send: async () => {
      throw new AppError('mail.refused', { cause: new Error('550 5.1.1 no such mailbox') });
    },
  };
  const { settings } = smtpMailer();
  const backend = await createTestBackend({ mailer: { settings, create: () => mailer } });
  try {
    const world = createWorld(backend);
    const options = { basic: adminOf(world), body: { to: 'a@example.com' } };
    const { status, body } = await world.call('POST', '/admin/mail/test', options);
    expect([status, body.code]).toEqual([503, 'mail.refused']);
    expect(body.message).toContain('550 5.1.1 no such mailbox');
  } finally {
    await backend.close();
  }
});

describe('the shown environment', () => {
  const shown = (env: Record<string, string>) => new Map(shownEnvironment(env).map((one) => [one.name, one]));

  it('says where each value comes from', () => {
    const variables = shown({ PORT: '8080', HOST: '' });
    expect(variables.get('PORT')).toMatchObject({ value: '8080', default: '9000', source: 'environment' });
    expect(variables.get('HOST')).toMatchObject({ value: '0.0.0.0', source: 'default' });
  });

  it('holds no secret', () => {
    const secret = 'hush-hush-hush-hush-hush-hush-hush';
    const env = {
      SECRET_KEY: secret,
      ADMIN_PASSWORD: secret,
      APP_CODE: secret,
      AWS_ACCESS_KEY_ID: secret,
      AWS_SECRET_ACCESS_KEY: secret,
      DATABASE_URL: `postgres://app:${secret}@db:5432/app?password=${secret}&sslmode=require`,
      BLOB_URL: `s3://bucket/prefix?endpoint=https://s3.example.com&secret=${secret}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `https://user:${secret}@traces.example.com`,
      PUSH_FCM_URL: `https://fcm.example.com?api_key=${secret}`,
      PUSH_APNS_URL: `https://${secret}@apns.example.com`,
    };
    const variables = shown(env);
    expect(JSON.stringify(Array.from(variables.values()))).not.toContain(secret);
    expect(variables.get('SECRET_KEY')).toMatchObject({ value: '***', secret: true, source: 'environment' });
    expect(variables.get('ADMIN_PASSWORD')?.default).toBe('');
    expect(variables.get('DATABASE_URL')?.value).toBe('postgres://app:***@db:5432/app?password=***&sslmode=require');
    expect(shown({}).get('SECRET_KEY')).toMatchObject({ value: '', source: 'default' });
  });
});
