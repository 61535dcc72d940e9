import { smtpMailer } from '@baobab/adapters/smtp';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { expectStatus, setSettings } from '../support/people.ts';
import { type ReceivedMail, startMailServer, type TestMailServer } from '../support/smtp.ts';

/** Texts that must not reach strangers in a mail. None of them is in the templates. */
const LURES = [/locked/i, /evil/i, /0199/];

const NAMES = [
  'Account locked: open evil.example',
  'see evil.example',
  'urgent call +1 555 0199',
  '5550199 urgent',
  'Hello, your account is locked',
];

describe('mails to addresses that nobody has verified', () => {
  let server: TestMailServer;
  let backend: TestBackend;
  let world: World;

  beforeAll(async () => {
    server = await startMailServer({ security: 'none' });
    backend = await createTestBackend({
      mailer: smtpMailer({ allowsPrivate: true }),
      publicUrl: 'https://app.example.com',
    });
    world = createWorld(backend);
    await setSettings(world, 'PasswordRecovery', {
      'email.from': 'My App <app@example.com>',
      'network.smtp.host': '127.0.0.1',
      'network.smtp.port': server.port,
      'network.smtp.ssl': false,
      'network.smtp.tls': false,
      'network.smtp.authentication': false,
    });
  });
  afterAll(async () => {
    await backend.close();
    await server.close();
  });

  async function mailTo(address: string): Promise<ReceivedMail> {
    await backend.deliver();
    const mail = server.received.findLast(({ recipients }) => recipients.includes(address));
    if (mail === undefined) throw new Error(`no mail to ${address}`);
    return mail;
  }

  function expectNoLure({ subject, text, html, from }: ReceivedMail): void {
    for (const lure of LURES) {
      for (const part of [subject, text, html, from.name]) expect(part).not.toMatch(lure);
    }
  }

  it.each(NAMES)('deliver no sentence, link or number that is a name: %s', async (username) => {
    const stranger = `${world.unique('stranger')}@example.com`;
    const { data } = await expectStatus(
      world.call('POST', '/user', { body: { username, password: 'secret', visibleByTheUser: { email: stranger } } }),
      201,
    );
    await expectStatus(
      world.call('POST', '/me/email', { token: data['X-BB-SESSION'], body: { email: stranger } }),
      200,
    );
    const verification = await mailTo(stranger);
    expect(verification.text).toMatch(/\d{6}/);
    expectNoLure(verification);
    const [, path = ''] = /https:\/\/app\.example\.com(\/\S+)/.exec(verification.text) ?? [];
    const page = await expectStatus(world.call('GET', path, { appCode: null }), 200);
    for (const lure of LURES) expect(page.text).not.toMatch(lure);
    await expectStatus(world.call('GET', `/user/${encodeURIComponent(username)}/password/reset`), 200);
    const reset = await mailTo(stranger);
    expect(reset.subject).not.toBe(verification.subject);
    expectNoLure(reset);
  });

  it('greet people by plain names', async () => {
    // Without the numbers of other tests: names with many digits are shortened.
    const email = 'annabel@example.com';
    for (const username of ['annabel', email]) {
      const { token } = await world.user(username);
      await expectStatus(world.call('POST', '/me/email', { token, body: { email } }), 200);
      expect((await mailTo(email)).text).toContain(`Hello ${username},`);
    }
  });

  it('show any name once the address is verified', async () => {
    const [username, email] = ['Dr. A. Schmidt-Meier, M.D. 12345', `${world.unique('anna')}@example.com`];
    const { token } = await world.user(username);
    await expectStatus(world.call('POST', '/me/email', { token, body: { email } }), 200);
    const verification = await mailTo(email);
    expect(verification.text).toContain('Hello Dr…,');
    const code = /^\d{6}$/m.exec(verification.text)?.[0] ?? '';
    await expectStatus(world.call('POST', '/me/email/confirm', { token, body: { code } }), 200);
    await expectStatus(world.call('GET', `/user/${encodeURIComponent(username)}/password/reset`), 200);
    expect((await mailTo(email)).text).toContain(`Hello ${username},`);
  });
});
