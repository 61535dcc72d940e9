import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { expectStatus, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();
const publicUrl = 'https://app.example.com/api';

onEveryStorage(
  'verified e-mail addresses',
  (world) => {
    beforeAll(() => setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' }));

    interface Person {
      readonly name: string;
      readonly token: string;
    }

    const unique = () => `${world.unique('ann')}@example.com`;
    const claim = ({ token }: Person, email: string, options: CallOptions = {}) =>
      world.call('POST', '/me/email', { token, body: { email }, ...options });
    const confirm = ({ token }: Person, code: string) =>
      world.call('POST', '/me/email/confirm', { token, body: { code } });
    const profile = async ({ token }: Person) => (await world.call('GET', '/me', { token })).data;
    const isVerified = async (person: Person) => (await profile(person)).email_verified;

    /** Sends what waits. Resolves to the newest mail to the address. */
    async function mailTo(address: string) {
      await world.backend.deliver();
      const mail = world.backend.mail.findLast(({ to }) => to === address);
      if (mail === undefined) throw new Error(`no mail to ${address}`);
      const code = /^(\d{6})$/m.exec(mail.text)?.[1] ?? '';
      const path = /https:\S+(\/user\/email\/confirm\/[\w-]+)/.exec(mail.text)?.[1] ?? '';
      return { ...mail, code, path };
    }

    async function claimed(person: Person, email = unique()) {
      await expectStatus(claim(person, email), 200);
      return { email, ...(await mailTo(email)) };
    }

    async function verified(person: Person, email = unique()): Promise<string> {
      const { code } = await claimed(person, email);
      await expectStatus(confirm(person, code), 200);
      return email;
    }

    const wrong = (code: string) => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`;
    const page = (path: string, method = 'GET', options: CallOptions = {}): Promise<Answer> =>
      world.call(method, path, { appCode: null, ...options });

    it('are verified by the code, and then appear in the profile', async () => {
      const ann = await world.user();
      const before = { visibleByTheUser: { email: 'former@example.com', n: 1.5, deep: { a: [1] } } };
      await expectStatus(world.call('PUT', '/me', { token: ann.token, body: before }), 200);
      expect(await isVerified(ann)).toBe(false);
      const { email, code, subject } = await claimed(ann);
      expect(subject).toBe('Confirm your address');
      expect(await profile(ann)).toMatchObject({ ...before, email_verified: false });
      await expectStatus(confirm(ann, code), 200);
      const after = { visibleByTheUser: { ...before.visibleByTheUser, email }, email_verified: true };
      expect(await profile(ann)).toMatchObject(after);
      expectFailure(await confirm(ann, code), 400);
    });

    it('are shown as verified to nobody but the user and administrators', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      await verified(ann);
      const seen = await world.call('GET', `/user/${ann.name}`, { token: bob.token });
      expect(seen.data.visibleByTheUser).toBeNull();
      expect(seen.data).not.toHaveProperty('email_verified');
      expect((await world.call('GET', `/admin/user/${ann.name}`, { token: await world.admin() })).data).toMatchObject({
        email_verified: true,
      });
    });

    it('are no longer verified after they are changed in another way, only after another change', async () => {
      const ann = await world.user();
      const email = await verified(ann);
      const put = (visibleByTheUser: object) =>
        expectStatus(world.call('PUT', '/me', { token: ann.token, body: { visibleByTheUser } }), 200);
      expect((await put({ email, city: 'Rome' })).data.email_verified).toBe(true);
      expect((await put({ email: 'other@example.com' })).data.email_verified).toBe(false);
      expect((await put({ email })).data.email_verified).toBe(false);
      const bob = await world.user();
      expect(await verified(bob, email)).toBe(email);
      await expectStatus(
        world.call('PUT', `/admin/user/${bob.name}`, {
          token: await world.admin(),
          body: { visibleByTheUser: {} },
        }),
        200,
      );
      expect(await isVerified(bob)).toBe(false);
    });

    it('are verified by the page behind the link, which a scanner that opens it five times does not use up', async () => {
      const ann = await world.user();
      const { path, email } = await claimed(ann);
      for (let i = 0; i < 5; i++) {
        const { status, headers, text } = await page(path);
        expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
        expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['no-referrer', 'no-store']);
        expect(headers['content-security-policy']).toContain("default-src 'none'");
        expect(text).toContain(`<form method="post" action="${publicUrl}${path}">`);
        expect(text).toContain(email);
      }
      expect((await page(path, 'HEAD')).status).toBe(200);
      expect(await isVerified(ann)).toBe(false);
      expect((await page(path, 'POST', { form: {} })).status).toBe(200);
      expect(await isVerified(ann)).toBe(true);
      for (const method of ['GET', 'POST']) expect((await page(path, method)).status).toBe(400);
    });

    it('are not verified by an unknown link', async () => {
      for (const token of ['x', 'A'.repeat(22), '%3Cscript%3E', '__proto__']) {
        for (const method of ['GET', 'POST']) {
          const { status, text } = await page(`/user/email/confirm/${token}`, method);
          expect(status).toBe(400);
          expect(text).not.toMatch(/<script|<form/);
        }
      }
    });

    it('are verified by exactly one of 50 parallel confirmations, by code or by link', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      const { code } = await claimed(ann);
      const codes = await Promise.all(Array.from({ length: 50 }, () => confirm(ann, code)));
      expect(codes.filter(({ status }) => status === 200)).toHaveLength(1);
      const { path } = await claimed(bob);
      const pages = await Promise.all(Array.from({ length: 50 }, () => page(path, 'POST')));
      expect(pages.filter(({ status }) => status === 200)).toHaveLength(1);
      expect([await isVerified(ann), await isVerified(bob)]).toEqual([true, true]);
    });

    it('are not verified by a code after five wrong ones, but by a new code', async () => {
      const ann = await world.user();
      const { code } = await claimed(ann);
      for (let i = 0; i < 5; i++) expectFailure(await confirm(ann, wrong(code)), 400);
      expectFailure(await confirm(ann, code), 400);
      expect(await isVerified(ann)).toBe(false);
      await verified(ann);
    });

    it('are not verified by an older or an expired code, or by that of another user', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      const older = await claimed(ann);
      const { code, path } = await claimed(ann);
      if (older.code !== code) expectFailure(await confirm(ann, older.code), 400);
      expect((await page(older.path)).status).toBe(400);
      expectFailure(await confirm(bob, code), 400);
      clock.advance(15 * MINUTE);
      expectFailure(await confirm(ann, code), 400);
      expect((await page(path, 'POST')).status).toBe(400);
    });

    it('belong to the first of two users who verify the same, and a claim takes nothing from anybody', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      const email = unique();
      const first = await claimed(ann, email);
      const second = await claimed(bob, email.toUpperCase().replace('EXAMPLE.COM', 'example.com'));
      await expectStatus(confirm(bob, second.code), 200);
      const refused = await confirm(ann, first.code);
      expectFailure(refused, 409);
      expect(refused.body.code).toBe('email.taken');
      expect((await page(first.path, 'POST')).status).toBe(400);
      expect([await isVerified(ann), await isVerified(bob)]).toEqual([false, true]);
      // A claim is answered as that of an address that is free.
      const eve = await world.user();
      const { body } = await expectStatus(claim(eve, email), 200);
      expect(body).toEqual((await expectStatus(claim(eve, unique()), 200)).body);
      expect(await isVerified(bob)).toBe(true);
    });

    it('are told when another takes their place', async () => {
      const ann = await world.user();
      const former = await verified(ann);
      const email = await verified(ann);
      const notice = await mailTo(former);
      expect(notice.subject).toBe('Your address has changed');
      expect(`${notice.text}${notice.html}`).not.toContain(email);
      const bob = await world.user();
      await verified(bob, former);
    });

    it('need a fresh login, or the password', async () => {
      const ann = await world.user();
      clock.advance(11 * MINUTE);
      const email = unique();
      const stale = await claim(ann, email);
      expectFailure(stale, 401);
      expect(stale.body.code).toBe('auth.fresh_login_required');
      expectFailure(await claim(ann, email, { body: { email, current_password: 'wrong' } }), 400);
      await expectStatus(claim(ann, email, { body: { email, current_password: 'secret' } }), 200);
      expectFailure(await world.call('POST', '/me/email', { body: { email } }), 401);
    });

    it.each(['', 'x', 'a@', 'ann@example.com\r\nBcc: evil@example.org', 'a@example.com,b@example.com', '<a@b.cd>'])(
      'are refused when they are none: %j',
      async (email) => {
        const ann = await world.user();
        await world.backend.deliver();
        const before = world.backend.mail.length;
        expectFailure(await claim(ann, email), 400);
        await world.backend.deliver();
        expect(world.backend.mail).toHaveLength(before);
      },
    );

    it('are not asked for while no mail server is configured', async () => {
      const ann = await world.user();
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': '' });
      expectFailure(await claim(ann, unique()), 503);
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
    });

    describe('the mail and the page', () => {
      it('link to PUBLIC_URL, whatever the request claims', async () => {
        const ann = await world.user();
        const email = unique();
        const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
        await expectStatus(claim(ann, email, { headers }), 200);
        const mail = await mailTo(email);
        expect(`${mail.text}${mail.html}`).not.toContain('evil.example');
        expect(mail.text).toContain(`${publicUrl}/user/email/confirm/`);
        expect((await page(mail.path, 'GET', { headers })).text).not.toContain('evil.example');
      });

      it('escape names, and add no header', async () => {
        const ann = await world.user(`<b>&"'${world.unique('ann')}`);
        await setSettings(world, 'Application', { 'application.name': '<b>App</b>' });
        const mail = await claimed(ann);
        for (const html of [mail.html, (await page(mail.path)).text]) {
          expect(html).toContain('&lt;b&gt;App');
          expect(html).not.toMatch(/<b>/);
        }
        expect(mail.subject).not.toMatch(/[\r\n]/);
        await setSettings(world, 'Application', { 'application.name': 'Baobab' });
      });
    });
  },
  { clock, publicUrl },
);
