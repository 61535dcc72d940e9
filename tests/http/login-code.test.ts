import { beforeAll, expect, it } from 'vitest';
import { createMailbox, PUBLIC_URL, wrong } from '../support/addresses.ts';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { codeAt, createFactorCalls, expectCode, STEP_MS } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'log-in by mail',
  (world) => {
    const mailbox = createMailbox(world);
    const allow = (value: boolean) => setSettings(world, 'Application', { 'login.by.mail': value });
    beforeAll(async () => {
      await mailbox.setUp();
      await allow(true);
    });

    const ask = (body: object, options: CallOptions = {}) => world.call('POST', '/login/code', { body, ...options });
    const confirm = (body: object, options: CallOptions = {}) =>
      world.call('POST', '/login/code/confirm', { body, ...options });
    const whoIs = async (token: string) => (await world.call('GET', '/me', { token })).data?.user.name;

    /** Asks for a code and reads it. */
    async function sent(email: string, body: object = { email }) {
      const { data } = await expectStatus(ask(body), 200);
      return { challenge: data.challenge as string, ...(await mailbox.mailTo(email)) };
    }

    it.each(['username', 'email', 'address as username'])(
      'begins a session with the code, asked for by %s',
      async (by) => {
        const { name, email } = await mailbox.verifiedUser();
        const named = { username: name, email, 'address as username': email }[by];
        const { challenge, code, subject, text } = await sent(email, {
          [by === 'email' ? 'email' : 'username']: named,
        });
        expect([subject, text]).toEqual(['Your code to log in', expect.stringContaining(name)]);
        expect(code).toMatch(/^\d{6}$/);
        const { data, headers } = await expectStatus(confirm({ challenge, code: ` ${code} ` }), 200);
        expect(data).toMatchObject({ user: { name }, client: expect.any(String) });
        expect(headers['x-bb-session']).toBe(data['X-BB-SESSION']);
        expect(await whoIs(data['X-BB-SESSION'])).toBe(name);
        expectCode(await confirm({ challenge, code }), 401, 'auth.code_invalid');
      },
    );

    it('knows addresses in every case, and takes forms', async () => {
      const { name, email } = await mailbox.verifiedUser();
      const { data } = await expectStatus(
        world.call('POST', '/login/code', { form: { email: email.toUpperCase() } }),
        200,
      );
      const { code } = await mailbox.mailTo(email);
      const form = { challenge: data.challenge, code };
      expect((await expectStatus(world.call('POST', '/login/code/confirm', { form }), 200)).data.user.name).toBe(name);
    });

    it('registers the device, and a fresh login', async () => {
      const { email } = await mailbox.verifiedUser();
      clock.advance(1);
      const { challenge, code } = await sent(email);
      const login_data = { os: 'ios', deviceId: world.unique('device') };
      expectFailure(await confirm({ challenge, code, login_data: { os: 'x' } }), 400);
      const { data } = await expectStatus(confirm({ challenge, code, login_data }), 200);
      const token = data['X-BB-SESSION'];
      const [session] = (await world.call('GET', '/me/sessions', { token })).data;
      expect(session).toMatchObject({ current: true, device: { id: login_data.deviceId, os: 'ios' }, factor: null });
      await expectStatus(world.call('POST', '/me/totp', { token }), 200); // needs a fresh login
    });

    it('answers the same for everybody, and sends a code only to verified addresses of active users', async () => {
      const verified = await mailbox.verifiedUser();
      const unverified = await world.user();
      const claimed = mailbox.unique();
      const { token } = unverified;
      const sections = { visibleByTheUser: { email: claimed } };
      await expectStatus(world.call('PUT', '/me', { token, body: sections }), 200);
      const suspended = await mailbox.verifiedUser();
      const basic = adminOf(world);
      await expectStatus(world.call('PUT', `/admin/user/suspend/${suspended.name}`, { basic }), 200);
      await world.backend.deliver();
      const before = world.backend.mail.length;
      const shape = ({ status, body, headers }: Answer) => [
        status,
        Object.keys(body),
        Object.keys(body.data),
        Object.keys(headers).toSorted(),
      ];
      const usual = shape(await ask({ username: verified.name }));
      const names = [unverified.name, suspended.name, world.unique('nobody'), 'admin', '', '😀'.repeat(128)];
      const addresses = [claimed, suspended.email, mailbox.unique('nobody'), 'no address', 'a@b', ''];
      for (const username of names) expect(shape(await ask({ username }))).toEqual(usual);
      for (const email of addresses) expect(shape(await ask({ email }))).toEqual(usual);
      await world.backend.deliver();
      expect(world.backend.mail.slice(before).map(({ to }) => to)).toEqual([verified.email]);
    });

    it('makes challenges of one length for names of one length, known or not', async () => {
      const { name } = await mailbox.verifiedUser();
      const other = 'x'.repeat(name.length);
      const [known, unknown] = [await ask({ username: name }), await ask({ username: other })];
      expect(known.data.challenge).toHaveLength(unknown.data.challenge.length);
    });

    it('answers before anything has been sent', async () => {
      const { email } = await mailbox.verifiedUser();
      const { data } = await expectStatus(ask({ email }), 200);
      expect(data.challenge).toEqual(expect.any(String));
      expect(world.backend.mail.filter(({ to, subject }) => to === email && subject === 'Your code to log in')).toEqual(
        [],
      );
      expect((await mailbox.mailTo(email)).subject).toBe('Your code to log in');
    });

    it('answers wrong codes for nobody as for somebody', async () => {
      const { name } = await mailbox.verifiedUser();
      const answersFor = async (username: string) => {
        const { challenge } = (await ask({ username })).data;
        await world.backend.deliver();
        const answers = [];
        for (let i = 0; i < 8; i++) {
          const { status, body } = await confirm({ challenge, code: '' });
          answers.push([status, body.code, body.message]);
        }
        return answers;
      };
      const answers = await answersFor(name);
      expect(answers).toEqual(await answersFor(world.unique('nobody')));
      expect(answers[0]?.slice(0, 2)).toEqual([401, 'auth.code_invalid']);
    });

    it.each([
      ['neither name nor address', {}],
      ['both', { username: 'a', email: 'a@b.cd' }],
      ['a number', { username: 1 }],
      ['a list', { email: ['a@b.cd', 'c@d.ef'] }],
      ['an object', { username: { $ne: null } }],
      ['a huge name', { username: 'a'.repeat(100_000) }],
    ])('needs either a name or an address, not %s', async (_what, body) => {
      expectFailure(await ask(body), 400);
    });

    it('sends one mail to one address, whatever stands in the text', async () => {
      await world.backend.deliver();
      const before = world.backend.mail.length;
      const { email } = await mailbox.verifiedUser();
      const count = world.backend.mail.length - before;
      for (const text of [`${email},evil@example.org`, `${email}\r\nBcc: evil@example.org`, `<${email}>`]) {
        await expectStatus(ask({ email: text }), 200);
      }
      await world.backend.deliver();
      expect(world.backend.mail.length - before).toBe(count);
    });

    it('knows no challenge that it did not make, and no code of another challenge', async () => {
      const { email } = await mailbox.verifiedUser();
      const [one, two] = [await sent(email), await sent(email)];
      if (one.code !== two.code) {
        expectCode(await confirm({ challenge: one.challenge, code: two.code }), 401, 'auth.code_invalid');
      }
      const changed = one.challenge.replace(/^./, (char) => (char === 'A' ? 'B' : 'A'));
      for (const challenge of ['', 'x', changed, one.challenge.slice(1), `${one.challenge}=`, '{}', '\n']) {
        expectCode(await confirm({ challenge, code: one.code }), 401, 'auth.code_invalid');
      }
      expectFailure(await confirm({ challenge: 'x'.repeat(5000), code: one.code }), 400);
      expectFailure(await confirm({ challenge: one.challenge, code: Number(one.code) }), 400);
      // Both codes count: nobody takes one away by asking for another.
      await expectStatus(confirm({ challenge: one.challenge, code: one.code }), 200);
      await expectStatus(confirm({ challenge: two.challenge, code: two.code }), 200);
    });

    it('ends a code after five wrong ones, even when they arrive at once, and after fifteen minutes', async () => {
      const { email } = await mailbox.verifiedUser();
      const { challenge, code } = await sent(email);
      await Promise.all(Array.from({ length: 20 }, () => confirm({ challenge, code: wrong(code) })));
      expectCode(await confirm({ challenge, code }), 401, 'auth.code_invalid');
      const [early, late] = [await sent(email), await sent(email)];
      clock.advance(15 * MINUTE - 1);
      await expectStatus(confirm({ challenge: early.challenge, code: early.code }), 200);
      clock.advance(1);
      expectCode(await confirm({ challenge: late.challenge, code: late.code }), 401, 'auth.code_invalid');
    });

    it('begins exactly one session when a code is used 50 times at once', async () => {
      const { name, email, token } = await mailbox.verifiedUser();
      const { challenge, code } = await sent(email);
      const before = (await world.call('GET', '/me/sessions', { token })).data.length;
      const answers = await Promise.all(Array.from({ length: 50 }, () => confirm({ challenge, code })));
      expect(answers.filter(({ status }) => status === 200).map(({ data }) => data.user.name)).toEqual([name]);
      for (const answer of answers) if (answer.status !== 200) expectCode(answer, 401, 'auth.code_invalid');
      expect((await world.call('GET', '/me/sessions', { token })).data).toHaveLength(before + 1);
    });

    it('asks for the second factor', async () => {
      const { second } = createFactorCalls(world, clock);
      const { email, name, token } = await mailbox.verifiedUser();
      const { secret } = (await expectStatus(world.call('POST', '/me/totp', { token }), 200)).data;
      const body = { code: codeAt(secret, clock.now()) };
      await expectStatus(world.call('POST', '/me/totp/confirm', { token, body }), 200);
      clock.advance(STEP_MS);
      const { challenge, code } = await sent(email);
      const answer = await confirm({ challenge, code });
      expectCode(answer, 401, 'auth.second_factor_required');
      expect([answer.headers['x-bb-session'], answer.text.includes('X-BB-SESSION')]).toEqual([undefined, false]);
      expectCode(await confirm({ challenge, code }), 401, 'auth.code_invalid');
      const proof = { challenge: answer.body.challenge, code: codeAt(secret, clock.now()) };
      expect((await expectStatus(second(proof), 200)).data.user.name).toBe(name);
    });

    it('refuses users who were suspended after they asked, and those who are gone', async () => {
      const [ann, bob] = [await mailbox.verifiedUser(), await mailbox.verifiedUser()];
      const [toAnn, toBob] = [await sent(ann.email), await sent(bob.email)];
      const basic = adminOf(world);
      await expectStatus(world.call('PUT', `/admin/user/suspend/${ann.name}`, { basic }), 200);
      await expectStatus(world.call('DELETE', `/admin/user/${bob.name}`, { basic }), 200);
      for (const { challenge, code } of [toAnn, toBob]) {
        const answer = await confirm({ challenge, code });
        expectFailure(answer, 401);
        expect(answer.headers['x-bb-session']).toBeUndefined();
      }
    });

    it('takes no code that was sent to an address that is no longer the verified one', async () => {
      const [ann, bob] = [await mailbox.verifiedUser(), await mailbox.verifiedUser()];
      const [toAnn, toBob] = [await sent(ann.email), await sent(bob.email)];
      const put = (token: string, visibleByTheUser: object) =>
        expectStatus(world.call('PUT', '/me', { token, body: { visibleByTheUser } }), 200);
      await put(ann.token, { email: mailbox.unique() });
      await put(bob.token, {});
      for (const { challenge, code } of [toAnn, toBob]) {
        expectCode(await confirm({ challenge, code }), 401, 'auth.code_invalid');
      }
    });

    it('is 403 while it is switched off, also for codes that were sent before', async () => {
      const { name, email } = await mailbox.verifiedUser();
      const { challenge, code } = await sent(email);
      await allow(false);
      for (const username of [name, world.unique('nobody')]) {
        expectCode(await ask({ username }), 403, 'auth.method_disabled');
      }
      expectCode(await confirm({ challenge, code }), 403, 'auth.method_disabled');
      await allow(true);
      await expectStatus(confirm({ challenge, code }), 200);
    });

    it('is 503 for everybody while no mail server is configured', async () => {
      const { name } = await mailbox.verifiedUser();
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': '' });
      for (const username of [name, world.unique('nobody')]) {
        expectCode(await ask({ username }), 503, 'mail.unavailable');
      }
      await mailbox.setUp();
    });

    it('sends mails without links, in which names are escaped', async () => {
      const { email } = await mailbox.verifiedUser(`<img src=x onerror="alert('1')">${world.unique('')}`);
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
      await expectStatus(ask({ email }, { headers }), 200);
      const { text, html } = await mailbox.mailTo(email);
      expect(html).toContain('&lt;img src=x');
      expect(`${text}${html}`).not.toMatch(/evil\.example|https?:/);
      expect(html).not.toContain('<img');
    });

    it('needs the application code, and ignores old credentials', async () => {
      const { email, name } = await mailbox.verifiedUser();
      expectCode(await ask({ email }, { appCode: null }), 400, 'app_code.invalid');
      await expectStatus(ask({ email }, { token: 'old', basic: [name, 'wrong'] }), 200);
    });
  },
  { clock, publicUrl: PUBLIC_URL },
);
