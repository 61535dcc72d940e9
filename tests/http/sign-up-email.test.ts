import { beforeAll, describe, expect, it } from 'vitest';
import { createMailbox, PUBLIC_URL, wrong } from '../support/addresses.ts';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const SETTING = 'registration.verified.email';

onEveryStorage(
  'a sign-up with an address that has to be verified',
  (world) => {
    const mailbox = createMailbox(world);
    const demand = (value: boolean) => setSettings(world, 'Application', { [SETTING]: value });
    beforeAll(async () => {
      await mailbox.setUp();
      await demand(true);
    });

    const signUp = (username: string, email: unknown, options: CallOptions = {}) =>
      world.call('POST', '/user', {
        body: { username, password: 'secret', visibleByTheUser: { email, city: 'Turin' } },
        ...options,
      });
    const login = (username: string, password = 'secret') =>
      world.call('POST', '/login', { body: { username, password } });
    const confirm = (username: string, code: string, options: CallOptions = {}) =>
      world.call('POST', `/user/${encodeURIComponent(username)}/email/confirm`, { body: { code }, ...options });
    const resend = (username: string, body: object, options: CallOptions = {}) =>
      world.call('POST', `/user/${encodeURIComponent(username)}/email`, { body, ...options });
    const page = (path: string, method = 'GET', options: CallOptions = {}) =>
      world.call(method, path, { appCode: null, ...options });

    async function signedUp(name = world.unique('ann'), email = mailbox.unique()) {
      const { data } = await expectStatus(signUp(name, email), 201);
      return { name, email, id: data.id as string, client: data.client as string, ...(await mailbox.mailTo(email)) };
    }

    const hasNoSession = (answer: Answer) =>
      expect([answer.headers['x-bb-session'], /x-bb-session/i.test(answer.text)]).toEqual([undefined, false]);

    it('begins no session, and none can begin before the code is sent back', async () => {
      const [name, email] = [world.unique('ann'), mailbox.unique()];
      const answer = await expectStatus(signUp(name, email), 201);
      hasNoSession(answer);
      expect(answer.data).toMatchObject({ user: { name }, visibleByTheUser: { email }, email_verified: false });
      const { code, subject } = await mailbox.mailTo(email);
      expect(subject).toBe('Confirm your address');
      for (const refused of [await login(name), await world.call('GET', '/me', { basic: [name, 'secret'] })]) {
        expectCode(refused, 401, 'auth.email_unverified');
        expect(refused.headers['x-bb-session']).toBeUndefined();
      }
      expectCode(await login(name, 'wrong'), 401, 'auth.invalid');
      const confirmed = await expectStatus(confirm(name, code), 200);
      expect(confirmed.data).toBe('');
      hasNoSession(confirmed);
      const { data } = await expectStatus(login(name), 200);
      expect(data).toMatchObject({ visibleByTheUser: { email, city: 'Turin' }, email_verified: true });
      await expectStatus(world.call('GET', '/me', { basic: [name, 'secret'] }), 200);
      await expectStatus(world.call('GET', '/refresh', { token: data['X-BB-SESSION'] }), 200);
    });

    it('is completed by the page behind the link, which a scanner that opens it five times does not use up', async () => {
      const { name, path } = await signedUp();
      for (let i = 0; i < 5; i++) expect((await page(path)).status).toBe(200);
      expectCode(await login(name), 401, 'auth.email_unverified');
      expect((await page(path, 'POST', { form: {} })).status).toBe(200);
      await expectStatus(login(name), 200);
      expect((await page(path, 'POST', { form: {} })).status).toBe(400);
    });

    it.each([
      ['none', { username: 'x', password: 'secret' }, 'user.email_required'],
      ['null', { username: 'x', password: 'secret', visibleByTheUser: { email: null } }, 'user.email_required'],
      ['an empty one', { username: 'x', password: 'secret', visibleByTheUser: { email: '' } }, 'user.email_required'],
      ['a number', { username: 'x', password: 'secret', visibleByTheUser: { email: 1 } }, 'user.email_invalid'],
      ['two', { username: 'x', password: 'secret', email: 'a@b.cd,c@d.ef' }, 'user.email_invalid'],
      ['a header', { username: 'x', password: 'secret', email: 'a@b.cd\r\nBcc: e@f.gh' }, 'user.email_invalid'],
      ['a huge one', { username: 'x', password: 'secret', email: `${'a'.repeat(300)}@b.cd` }, 'user.email_invalid'],
    ])('needs an address, not %s', async (_what, body, code) => {
      await world.backend.deliver();
      const before = world.backend.mail.length;
      expectCode(await world.call('POST', '/user', { body }), 400, code);
      await world.backend.deliver();
      expect(world.backend.mail).toHaveLength(before);
    });

    it('takes the address beside the sections too', async () => {
      const [username, email] = [world.unique('ann'), mailbox.unique()];
      hasNoSession(await expectStatus(world.call('POST', '/user', { body: { username, password: 'x', email } }), 201));
      const { code } = await mailbox.mailTo(email);
      await expectStatus(confirm(username, code), 200);
      await expectStatus(login(username, 'x'), 200);
    });

    it('creates nobody while no mail server is configured', async () => {
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': '' });
      const name = world.unique('ann');
      expectCode(await signUp(name, mailbox.unique()), 503, 'mail.unavailable');
      await mailbox.setUp();
      await expectStatus(signUp(name, mailbox.unique()), 201);
    });

    it('is not completed by another code, by that of another user, or after fifteen minutes', async () => {
      const [ann, bob] = [await signedUp(), await signedUp()];
      for (const code of [wrong(ann.code), bob.code, '', ' ', '0'.repeat(64)]) {
        if (code !== ann.code) expectCode(await confirm(ann.name, code), 400, 'auth.code_invalid');
      }
      const late = await signedUp();
      clock.advance(15 * MINUTE);
      expectCode(await confirm(late.name, late.code), 400, 'auth.code_invalid');
      expect((await page(late.path, 'POST')).status).toBe(400);
      expectCode(await login(late.name), 401, 'auth.email_unverified');
    });

    it('is not completed by a code after five wrong ones, even when they arrive at once', async () => {
      const { name, code } = await signedUp();
      const guesses = await Promise.all(Array.from({ length: 20 }, () => confirm(name, wrong(code))));
      for (const guess of guesses) expectCode(guess, 400, 'auth.code_invalid');
      expectCode(await confirm(name, code), 400, 'auth.code_invalid');
    });

    it('is completed by exactly one of 50 parallel confirmations', async () => {
      const { name, code } = await signedUp();
      const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(name, code)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    it('answers for unknown names as for wrong codes', async () => {
      const { name, code } = await signedUp();
      const established = (await mailbox.createdByAdmin()).name;
      const shown = [];
      for (const one of [name, established, world.unique('nobody'), 'admin', '\u{1f600}', "' or 1=1 --"]) {
        const { status, body } = await confirm(one, wrong(code));
        shown.push([status, body.code, body.message, Object.keys(body).toSorted()]);
      }
      expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(1);
    });

    it('leaves an address to the first who verifies it, and the other can choose another one', async () => {
      const email = mailbox.unique();
      const ann = await signedUp(world.unique('ann'), email);
      const bob = await signedUp(world.unique('bob'), email);
      await expectStatus(confirm(bob.name, bob.code), 200);
      expectCode(await confirm(ann.name, ann.code), 409, 'email.taken');
      expectCode(await login(ann.name), 401, 'auth.email_unverified');
      // The address is claimed once more, and the answer is that of a free one.
      const eve = await signedUp(world.unique('eve'), email);
      expectCode(await login(eve.name), 401, 'auth.email_unverified');
      expect((await expectStatus(login(bob.name), 200)).data.email_verified).toBe(true);
      const other = mailbox.unique();
      await expectStatus(resend(ann.name, { password: 'secret', email: other }), 200);
      await expectStatus(confirm(ann.name, (await mailbox.mailTo(other)).code), 200);
      expect((await expectStatus(login(ann.name), 200)).data.visibleByTheUser.email).toBe(other);
    });

    describe('sends the code again', () => {
      it('to whoever has the password; the former code then ends', async () => {
        const first = await signedUp();
        expect((await expectStatus(resend(first.name, { password: 'secret' }), 200)).data).toBe('');
        const second = await mailbox.mailTo(first.email);
        if (second.code !== first.code) expectCode(await confirm(first.name, first.code), 400, 'auth.code_invalid');
        expect((await page(first.path)).status).toBe(400);
        await expectStatus(confirm(first.name, second.code), 200);
      });

      it('to nobody else, and tells nobody else who exists', async () => {
        const { name, email } = await signedUp();
        const shown = [];
        for (const [one, password] of [
          [name, 'wrong'],
          [world.unique('nobody'), 'secret'],
          ['', ''],
        ] as const) {
          const answer = await resend(one, { password, email: mailbox.unique('eve') });
          shown.push([answer.status, answer.body.code]);
        }
        expect(shown[0]).toEqual([401, 'auth.invalid']);
        expect(shown[1]).toEqual(shown[0]);
        expect(await mailbox.mailsTo(email)).toHaveLength(1);
      });

      it('to another address, which replaces that of the sign-up at once', async () => {
        const { name, code, path } = await signedUp();
        const email = mailbox.unique();
        expectCode(await resend(name, { password: 'secret', email: 'nowhere' }), 400, 'user.email_invalid');
        await expectStatus(resend(name, { password: 'secret', email }), 200);
        const shown = await world.call('GET', `/admin/user/${name}`, { basic: adminOf(world) });
        expect(shown.data).toMatchObject({ visibleByTheUser: { email, city: 'Turin' }, email_verified: false });
        const { code: newer } = await mailbox.mailTo(email);
        if (newer !== code) expectCode(await confirm(name, code), 400, 'auth.code_invalid');
        expect((await page(path, 'POST')).status).toBe(400);
        await expectStatus(confirm(name, newer), 200);
      });

      it('not to users who can log in', async () => {
        const { name, code } = await signedUp();
        await expectStatus(confirm(name, code), 200);
        expectCode(await resend(name, { password: 'secret' }), 409, 'email.not_awaited');
      });
    });

    describe('concerns nobody else:', () => {
      it('users from before, and those whom an administrator creates', async () => {
        await demand(false);
        const before = await world.user();
        await demand(true);
        await expectStatus(login(before.name), 200);
        const { name } = await mailbox.createdByAdmin();
        expect((await expectStatus(login(name), 200)).data.email_verified).toBe(false);
      });

      it('users of a social network', async () => {
        await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
        const oauth_token = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
        const answer = await world.call('POST', '/social/google', { body: { oauth_token, oauth_secret: 'x' } });
        expect([answer.status, answer.data.email_verified]).toEqual([200, false]);
      });

      it('but users who have signed up wait even when it is no longer demanded, unless they are activated', async () => {
        const { name } = await signedUp();
        await demand(false);
        expectCode(await login(name), 401, 'auth.email_unverified');
        await demand(true);
        const basic = adminOf(world);
        await expectStatus(world.call('PUT', `/admin/user/activate/${name}`, { basic }), 200);
        expect((await expectStatus(login(name), 200)).data.email_verified).toBe(false);
      });

      it('and a confirmed user stays one when the address changes', async () => {
        const { name, code } = await signedUp();
        await expectStatus(confirm(name, code), 200);
        const token = (await login(name)).data['X-BB-SESSION'];
        await expectStatus(world.call('PUT', '/me', { token, body: { visibleByTheUser: {} } }), 200);
        expect((await expectStatus(login(name), 200)).data.email_verified).toBe(false);
      });
    });

    it('is not completed by a new password', async () => {
      const { name, email } = await signedUp();
      await expectStatus(world.call('GET', `/user/${name}/password/reset`), 200);
      const link = /\/user\/password\/reset\/[\w-]+/.exec((await mailbox.mailTo(email)).text)?.[0] ?? '';
      const form = { password: 'new', 'repeat-password': 'new' };
      expect((await page(link, 'POST', { form })).status).toBe(200);
      expectCode(await login(name, 'new'), 401, 'auth.email_unverified');
    });

    describe('with an Idempotency-Key', () => {
      const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

      it('begins no session when it is repeated, neither before nor after the address is verified', async () => {
        const [name, email, key] = [world.unique('ann'), mailbox.unique(), world.unique('key-')];
        const first = await expectStatus(signUp(name, email, keyed(key)), 201);
        const again = await expectStatus(signUp(name, email, keyed(key)), 201);
        expect(again.headers['idempotency-replayed']).toBe('true');
        expect(again.data.id).toBe(first.data.id);
        expect(await mailbox.mailsTo(email)).toHaveLength(1);
        const { code } = await mailbox.mailTo(email);
        await expectStatus(confirm(name, code), 200);
        const later = await expectStatus(signUp(name, email, keyed(key)), 201);
        await demand(false);
        const last = await expectStatus(signUp(name, email, keyed(key)), 201);
        await demand(true);
        for (const answer of [first, again, later, last]) hasNoSession(answer);
      });

      it('needs the same password, address and name', async () => {
        const [name, email, key] = [world.unique('ann'), mailbox.unique(), world.unique('key-')];
        await expectStatus(signUp(name, email, keyed(key)), 201);
        const body = { username: name, password: 'guessed', visibleByTheUser: { email, city: 'Turin' } };
        expectCode(await world.call('POST', '/user', { body, ...keyed(key) }), 422, 'idempotency.mismatch');
        expectCode(await signUp(name, mailbox.unique(), keyed(key)), 422, 'idempotency.mismatch');
        expectCode(await signUp(name, email), 400, 'user.exists');
      });

      it('logs in when it is repeated if the first one did, whatever is demanded now', async () => {
        const [name, email, key] = [world.unique('ann'), mailbox.unique(), world.unique('key-')];
        await demand(false);
        await expectStatus(signUp(name, email, keyed(key)), 201);
        await demand(true);
        const { data } = await expectStatus(signUp(name, email, keyed(key)), 201);
        expect(data['X-BB-SESSION']).toEqual(expect.any(String));
      });
    });

    it('links to PUBLIC_URL whatever the request claims, escapes names, and adds no header', async () => {
      const [name, email] = [`<img src=x onerror="alert('1')">${world.unique('')}`, mailbox.unique()];
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
      await expectStatus(signUp(name, email, { headers }), 201);
      const mail = await mailbox.mailTo(email);
      expect(mail.text).toContain(`${PUBLIC_URL}/user/email/confirm/`);
      const shown = [mail.html, (await page(mail.path, 'GET', { headers })).text];
      for (const html of shown) expect(html).toContain('img…');
      expect([mail.text, ...shown].join()).not.toContain('evil.example');
      expect(shown.join()).not.toContain('<img');
    });
  },
  { clock, publicUrl: PUBLIC_URL },
);

onEveryStorage(
  'limits of sign-ups with an address that has to be verified',
  (world) => {
    const mailbox = createMailbox(world);
    beforeAll(async () => {
      await mailbox.setUp();
      await setSettings(world, 'Application', { [SETTING]: true });
    });
    const signUp = (username: string, email: string, from: string) =>
      world.call('POST', '/user', { from, body: { username, password: 'secret', email } });

    it('send at most fifteen mails to one address in fifteen minutes, wherever they come from', async () => {
      const email = mailbox.unique();
      const statuses = [];
      for (let i = 0; i < 20; i++) statuses.push((await signUp(world.unique('ann'), email, `192.0.2.${i}`)).status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(15);
      expect(statuses.filter((status) => status === 429)).toHaveLength(5);
      expect(await mailbox.mailsTo(email)).toHaveLength(15);
      await expectStatus(signUp(world.unique('ann'), mailbox.unique(), '192.0.2.1'), 201);
    });

    it('count wrong codes with wrong passwords, except from the client that signed up', async () => {
      const [name, email] = [world.unique('ann'), mailbox.unique()];
      const { data } = await expectStatus(signUp(name, email, '192.0.2.1'), 201);
      const { code } = await mailbox.mailTo(email);
      const path = `/user/${name}/email/confirm`;
      for (let i = 0; i < 10; i++) {
        await world.call('POST', '/login', { from: `192.0.3.${i}`, body: { username: name, password: 'wrong' } });
      }
      expectCode(await world.call('POST', path, { body: { code } }), 429, 'auth.locked');
      await expectStatus(world.call('POST', path, { body: { code, client: data.client } }), 200);
    });
  },
  { clock, publicUrl: PUBLIC_URL, rateLimit: true },
);
