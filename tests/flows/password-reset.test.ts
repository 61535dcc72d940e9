import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { linkIn, openLink, request, requestLink, submit, withAddress, worksFor } from '../support/password-reset.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();
const publicUrl = 'https://app.example.com/api';

onEveryStorage(
  'password reset',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);

    beforeAll(async () => {
      await setSettings(world, 'PasswordRecovery', {
        'network.smtp.host': 'mail.example.com',
        'network.smtp.port': 2525,
        'email.from': 'app@example.com',
      });
    });

    function expectPage({ status, headers, text }: Awaited<ReturnType<World['call']>>, expected: number): void {
      expect([status, headers['content-type']]).toEqual([expected, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['no-referrer', 'no-store']);
      expect(text).toMatch(/^<!doctype html>/);
      expect(text).not.toMatch(/<script|\$(?:link|user_name|token|error|message)\$/);
    }

    it('leads from a forgotten password to a new one', async () => {
      const ann = await withAddress(world);
      const basic = [ann.name, 'old'] as const;
      expect((await call('GET', '/me', { basic })).status).toBe(200);
      const asked = await expectStatus(request(world, ann.name.toUpperCase()), 200);
      expect(asked.body).toEqual({ result: 'ok', data: '', http_code: 200 });

      const mail = world.backend.mail.at(-1);
      expect(mail).toMatchObject({ to: ann.email, from: 'app@example.com', subject: 'Choose a new password' });
      const { base, path } = linkIn(mail?.text);
      expect(base).toBe(`${publicUrl}/user/password/reset/`);
      expect(mail?.text).toContain(ann.name);
      expect(mail?.html).toContain(`href="${base}${path.split('/').at(-1)}"`);

      const form = await openLink(world, path);
      expectPage(form, 200);
      expect(/<form method="post" action="([^"]+)">/.exec(form.text)?.[1]).toBe(`${publicUrl}${path}`);
      const fields = [...form.text.matchAll(/<input type="password" name="([^"]+)"/g)].map(([, name]) => name);
      expect(fields).toEqual(['password', 'repeat-password']);
      expect(form.text).toContain(ann.name);
      expect(form.text).not.toContain(ann.email);

      const done = await submit(world, path, 'new č');
      expectPage(done, 200);
      expect(done.text).not.toContain('<form');
      expect(done.text).not.toContain('new č');
      expect([await worksFor(world, ann.name, 'new č'), await worksFor(world, ann.name, 'old')]).toEqual([true, false]);
      expectFailure(await call('GET', '/me', { token: ann.token }), 401);
      expectFailure(await call('GET', '/me', { basic }), 401);

      expectPage(await openLink(world, path), 400);
      expectPage(await submit(world, path, 'another'), 400);
      expect(await worksFor(world, ann.name, 'another')).toBe(false);
    });

    it('shows the form again after an invalid password, and the link still works', async () => {
      const ann = await withAddress(world);
      const path = await requestLink(world, ann.name);
      for (const [password, repeated] of [
        ['one', 'two'],
        ['one', ''],
        ['', ''],
        ['', ''],
        ['x'.repeat(1025), 'x'.repeat(1025)],
      ] as const) {
        const page = await submit(world, path, password, repeated);
        expectPage(page, 400);
        expect(page.text).toContain('<form method="post"');
        expect(page.text).toMatch(/class="error" role="alert">[A-Z]/);
        expect(page.text).not.toContain('value=');
      }
      for (const form of [{ password: 'x' }, { 'repeat-password': 'x' }]) {
        expect((await call('POST', path, { appCode: null, form: form as Record<string, string> })).status).toBe(400);
      }
      expect(await worksFor(world, ann.name, 'old')).toBe(true);
      expect((await call('GET', '/me', { token: ann.token })).status).toBe(200);
      expectPage(await submit(world, path, 'new'), 200);
      expect(await worksFor(world, ann.name, 'new')).toBe(true);
    });

    describe('an invalid submission', () => {
      const form = (payload: string | Buffer) => ({
        type: 'application/x-www-form-urlencoded',
        payload: Buffer.from(payload),
      });
      const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

      function expectForm(page: Answer, status: number): void {
        expectPage(page, status);
        expect(page.text).toContain('<form method="post"');
        expect(page.text).toMatch(/class="error" role="alert">[A-Z]/);
      }

      it.each([
        ['an empty form', form('')],
        ['U+0000', form('password=a%00&repeat-password=a%00')],
        ['invalid UTF-8', form('password=%ff&repeat-password=%ff')],
        ['raw invalid UTF-8', form(Buffer.from('password=\xff&repeat-password=\xff', 'latin1'))],
      ])('with %s gets the form again, and the link still works', async (_what, bytes) => {
        const ann = await withAddress(world);
        const path = await requestLink(world, ann.name);
        for (const headers of [{}, browser]) {
          expectForm(await call('POST', path, { appCode: null, bytes, headers }), 400);
        }
        expectPage(await submit(world, path, 'new'), 200);
      });

      it('without a body counts as an empty form', async () => {
        const path = await requestLink(world, (await withAddress(world)).name);
        expectForm(await call('POST', path, { appCode: null }), 400);
      });

      it.each([
        [400, 'application/json', '{'],
        [413, 'application/x-www-form-urlencoded', `password=${'x'.repeat(1_048_577)}`],
        [415, 'multipart/form-data; boundary=x', '--x--'],
        [415, 'text/plain', 'password=x'],
      ])('is %d for the type %s: a page in a browser, the envelope for programs', async (status, type, payload) => {
        const path = await requestLink(world, (await withAddress(world)).name);
        const bytes = { type, payload: Buffer.from(payload) };
        expectForm(await call('POST', path, { appCode: null, bytes, headers: browser }), status);
        expectFailure(await call('POST', path, { appCode: null, bytes }), status);
        expectFailure(await call('POST', path, { appCode: null, bytes, headers: { accept: '*/*' } }), status);
      });

      it('comes with an invalid link: the page that says so', async () => {
        const path = '/user/password/reset/unknown';
        for (const bytes of [form(''), form('password=%ff')]) {
          const page = await call('POST', path, { appCode: null, bytes });
          expectPage(page, 400);
          expect(page.text).not.toContain('<form');
        }
        expectPage(await call('GET', `${path}%00`, { appCode: null, headers: browser }), 400);
      });
    });

    it('sends no mail for HEAD requests', async () => {
      const ann = await withAddress(world);
      const before = world.backend.mail.length;
      expect((await call('HEAD', `/user/${ann.name}/password/reset`)).status).toBe(405);
      expect(world.backend.mail).toHaveLength(before);
    });

    it('lets exactly one of 50 concurrent submissions set a password', async () => {
      const ann = await withAddress(world);
      const path = await requestLink(world, ann.name);
      const passwords = Array.from({ length: 50 }, (_, i) => `password ${i}`);
      const pages = await Promise.all(passwords.map((password) => submit(world, path, password)));
      const winners = passwords.filter((_, i) => pages[i]?.status === 200);
      expect(pages.filter(({ status }) => status === 400)).toHaveLength(49);
      const working: string[] = [];
      for (const password of passwords) if (await worksFor(world, ann.name, password)) working.push(password);
      expect([winners.length, working]).toEqual([1, winners]);
    });

    it('replaces the user’s older link with the newer one, but not the links of others', async () => {
      const [ann, bob] = [await withAddress(world), await withAddress(world)];
      const [older, others, newer] = [
        await requestLink(world, ann.name),
        await requestLink(world, bob.name),
        await requestLink(world, ann.name),
      ];
      expect(newer).not.toBe(older);
      expectPage(await openLink(world, older), 400);
      expectPage(await submit(world, older, 'x'), 400);
      for (const path of [newer, others]) expectPage(await openLink(world, path), 200);
      expectPage(await submit(world, newer, 'x'), 200);
    });

    it('expires after the time in the settings', async () => {
      const ann = await withAddress(world);
      const first = await requestLink(world, ann.name);
      clock.advance(15 * MINUTE - 1);
      expectPage(await openLink(world, first), 200);
      clock.advance(1);
      expectPage(await openLink(world, first), 400);
      expectPage(await submit(world, first, 'x'), 400);
      await setSettings(world, 'PasswordRecovery', { 'email.expiration.time': 60 });
      const second = await requestLink(world, ann.name);
      await setSettings(world, 'PasswordRecovery', { 'email.expiration.time': 15 });
      clock.advance(60 * MINUTE - 1);
      expectPage(await submit(world, second, 'new'), 200);
    });

    it('answers for an unknown user as for one without an address', async () => {
      const { name } = await world.user();
      const without = await request(world, name);
      const before = world.backend.mail.length;
      expectFailure(without, 400);
      for (const unknown of ['nobody', '_x', 'a'.repeat(300)]) {
        const { body } = await request(world, unknown);
        expect({ ...body, resource: '' }).toEqual({ ...without.body, resource: '' });
      }
      expect(world.backend.mail).toHaveLength(before);
    });

    it('checks the application code first, and ignores an expired token', async () => {
      const { name } = await withAddress(world);
      expectFailure(await request(world, name, { appCode: null }), 400);
      expectFailure(await request(world, name, { appCode: 'wrong' }), 400);
      expect((await request(world, name, { token: 'stale' })).status).toBe(200);
    });

    it.each(['x', 'A'.repeat(22), 'A'.repeat(2000), '%3Cscript%3E', "'; drop table users; --", '__proto__'])(
      'answers the link %s with a page that says that it is invalid',
      async (token) => {
        const path = `/user/password/reset/${token.startsWith('%') ? token : encodeURIComponent(token)}`;
        for (const page of [await openLink(world, path), await submit(world, path, 'x')]) {
          expectPage(page, 400);
          expect(page.text).not.toMatch(/<script|<form/);
          if (token.length > 1) expect(page.text).not.toContain(token);
        }
      },
    );

    describe('the link', () => {
      it('has the origin of PUBLIC_URL or the settings, whatever the request claims', async () => {
        const { name } = await withAddress(world);
        const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
        const base = async () => {
          await expectStatus(request(world, name, { headers }), 200);
          const mail = world.backend.mail.at(-1);
          expect(`${mail?.text}${mail?.html}`).not.toContain('evil.example');
          return linkIn(mail?.text).base.replace('/user/password/reset/', '');
        };
        expect(await base()).toBe(publicUrl);
        await setSettings(world, 'Application', { 'network.http.url': 'baobab.example.org' });
        expect(await base()).toBe('http://baobab.example.org:9000');
        await setSettings(world, 'Application', { 'network.http.ssl': true, 'network.http.port': 443 });
        expect(await base()).toBe('https://baobab.example.org');
        await setSettings(world, 'Application', { 'network.http.url': '' });
        expect(await base()).toBe(publicUrl);
      });

      it('is removed with the user, and does not reactivate a suspended one', async () => {
        const [ann, bob] = [await withAddress(world), await withAddress(world)];
        const [dead, suspended] = [await requestLink(world, ann.name), await requestLink(world, bob.name)];
        await expectStatus(call('DELETE', `/admin/user/${ann.name}`, { basic: adminOf(world) }), 200);
        await withAddress(world, ann.name);
        expectPage(await submit(world, dead, 'x'), 400);
        expect(await worksFor(world, ann.name, 'old')).toBe(true);
        await expectStatus(call('PUT', `/admin/user/suspend/${bob.name}`, { basic: adminOf(world) }), 200);
        await submit(world, suspended, 'new');
        expect(await worksFor(world, bob.name, 'new')).toBe(false);
      });
    });

    it('is 503 while no mail server is configured, and the earlier link still works', async () => {
      const { name } = await withAddress(world);
      const path = await requestLink(world, name);
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': '' });
      const answer = await request(world, name);
      expectFailure(answer, 503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
      expectPage(await openLink(world, path), 200);
    });

    describe('names and templates of every kind', () => {
      const hostile = `<img src=x onerror="alert('1')">&$token$ $&`;
      const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;$token$ $&amp;';

      it('values are escaped, and are not expanded again', async () => {
        const { name } = await withAddress(world, `${hostile}${world.unique('')}`);
        await setSettings(world, 'Application', { 'application.name': hostile });
        const path = await requestLink(world, name);
        const mail = world.backend.mail.at(-1);
        const pages = [
          await openLink(world, path),
          await submit(world, path, 'a', 'b'),
          await submit(world, path, 'a'),
        ];
        for (const html of [mail?.html ?? '', ...pages.map(({ text }) => text)]) {
          expect(html).toContain(escaped);
          expect(html).not.toContain('<img');
        }
        expect(mail?.text).toContain(hostile);
        await setSettings(world, 'Application', { 'application.name': 'Baobab' });
      });

      it('the page of the result links to the app, if its address is set', async () => {
        const linkAfter = async () => {
          const { name } = await withAddress(world);
          const { text } = await submit(world, await requestLink(world, name), 'new');
          return /<a href="([^"]*)">/.exec(text)?.[1];
        };
        expect(await linkAfter()).toBe('');
        await setSettings(world, 'Application', { 'application.url': 'https://app.example/login?a=1&b=2' });
        expect(await linkAfter()).toBe('https://app.example/login?a=1&amp;b=2');
        await setSettings(world, 'Application', { 'application.url': '' });
      });

      it('templates are filled with the values that they name; other dollar signs remain', async () => {
        const form = '<p>$user_name$|$password$|$repeat_password$|$error$|$link$|$unknown$|$5</p>';
        await setSettings(world, 'PasswordRecovery', {
          'email.template.text': '$user_name$ $link$ $application_name$ $nothing$ $10',
          'page.html.template': form,
          'page.html.feedback.template': '<b>$message$</b><i>$error$</i>',
        });
        const { name } = await withAddress(world);
        const path = await requestLink(world, name);
        const link = `${publicUrl}${path}`;
        expect(world.backend.mail.at(-1)?.text).toBe(`${name} ${link} Baobab $nothing$ $10`);
        const rest = `${link}|$unknown$|$5</p>`;
        expect((await openLink(world, path)).text).toBe(`<p>${name}|password|repeat-password||${rest}`);
        expect((await submit(world, path, 'x')).text).toMatch(/^<b>\S.*<\/b><i><\/i>$/);
        expect((await submit(world, path, 'x')).text).toMatch(/^<b><\/b><i>\S.*<\/i>$/);
      });
    });
  },
  { clock, publicUrl },
);
