import { type Baobab, isBaobabError } from '@baobab/client';
import { type Authenticator, createAuthenticator } from '@baobab/contracts/webauthn';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ClientService, nameOf, onEveryService, PASSWORD } from '../support/client-service.ts';

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'success',
    (error) => (isBaobabError(error) ? error.code : Promise.reject(error)),
  );

/** Sends what waits on the first node. Resolves to the code in the newest mail to the address. */
const CODE = /^\d{6}$/m;

/** The code in the last mail that has one: a notice of a login may arrive after it. */
async function mailedCode({ backend }: ClientService, address: string): Promise<string> {
  await backend.deliver();
  const mail = backend.mail.findLast(({ to, text }) => to === address && CODE.test(text));
  return CODE.exec(mail?.text ?? '')?.[0] ?? '';
}

async function verify(service: ClientService, { auth }: Baobab): Promise<string> {
  const email = `${service.unique('ann')}@example.com`;
  await auth.emails.claim(email);
  await auth.emails.confirm(await mailedCode(service, email));
  return email;
}

/** A browser whose user has this authenticator, and says yes. */
function stubBrowser(authenticator: Authenticator): void {
  const credential = (json: unknown) => ({ toJSON: () => json });
  vi.stubGlobal('PublicKeyCredential', {
    parseCreationOptionsFromJSON: (options: unknown) => options,
    parseRequestOptionsFromJSON: (options: unknown) => options,
  });
  vi.stubGlobal('navigator', {
    credentials: {
      create: async ({ publicKey }: { publicKey: never }) => credential(authenticator.create(publicKey)),
      get: async ({ publicKey }: { publicKey: never }) => credential(authenticator.get(publicKey)),
    },
  });
}
afterEach(() => vi.unstubAllGlobals());

onEveryService('the account of a user', (service) => {
  const set = async (section: string, key: string, value: string | boolean) =>
    (await service.admin()).admin.settings.set(section, key, value);
  beforeAll(() => set('PasswordRecovery', 'network.smtp.host', 'mail.example.com'));

  it('gets a verified address, which then is a name to log in with', async () => {
    const client = await service.user();
    const email = await verify(service, client);
    const { visibleByTheUser, email_verified } = await client.users.me();
    expect([visibleByTheUser?.email, email_verified]).toEqual([email, true]);
    expect(await codeOf(client.auth.emails.confirm('000000'))).toBe('auth.code_invalid');
    const other = service.client();
    await other.auth.login({ username: email, password: PASSWORD });
    expect(nameOf(other)).toBe(nameOf(client));
  });

  it('claims an address with the password', async () => {
    const client = await service.user();
    const email = `${service.unique('ann')}@example.com`;
    expect(await codeOf(client.auth.emails.claim(email, { currentPassword: 'wrong' }))).toBe(
      'user.old_password_invalid',
    );
    await client.auth.emails.claim(email, { currentPassword: PASSWORD });
    await client.auth.emails.confirm(await mailedCode(service, email));
  });

  describe('while addresses have to be verified', () => {
    it('begins without a session, and with one after the code', async () => {
      await set('Application', 'registration.verified.email', true);
      const client = service.client();
      const user = { username: service.unique('ann'), password: PASSWORD };
      const [first, second] = [`${service.unique('x')}@example.com`, `${service.unique('y')}@example.com`];
      const events: string[] = [];
      client.auth.onChange((_session, event) => events.push(event));
      expect(await codeOf(client.auth.signUp(user))).toBe('user.email_required');
      const profile = await client.auth.signUp({ ...user, visibleByTheUser: { email: first } });
      expect(profile).toMatchObject({
        user: { name: user.username },
        email_verified: false,
        confirmationPending: true,
      });
      expect([client.auth.session, events]).toEqual([null, []]);
      expect(await codeOf(client.auth.login(user))).toBe('auth.email_unverified');
      expect(await codeOf(client.auth.confirmSignUp(user.username, 'wrong'))).toBe('auth.code_invalid');
      expect(await codeOf(client.auth.resendSignUpMail({ ...user, password: 'wrong' }))).toBe('auth.invalid');
      await client.auth.resendSignUpMail(user);
      await client.auth.resendSignUpMail({ ...user, email: second });
      await client.auth.confirmSignUp(user.username, await mailedCode(service, second));
      await client.auth.login(user);
      expect([nameOf(client), events]).toEqual([user.username, ['login']]);
      expect(await codeOf(client.auth.resendSignUpMail(user))).toBe('email.not_awaited');
      await set('Application', 'registration.verified.email', false);
    });
  });

  it('logs in with a code by mail', async () => {
    // Mails are sent by the node that was asked.
    const client = await service.user(service.onFirstNode);
    const email = await verify(service, client);
    const other = service.client(service.onFirstNode);
    expect(await codeOf(other.auth.requestLoginCode({ email }))).toBe('auth.method_disabled');
    await set('Application', 'login.by.mail', true);
    for (const user of [{ email }, { username: nameOf(client) }]) {
      const challenge = await other.auth.requestLoginCode(user);
      const code = await mailedCode(service, email);
      expect(await codeOf(other.auth.loginWithCode(challenge, ''))).toBe('auth.code_invalid');
      const profile = await other.auth.loginWithCode(challenge, code, { device: { os: 'ios', deviceId: email } });
      expect([profile.user.name, nameOf(other), 'client' in profile]).toEqual([nameOf(client), nameOf(client), false]);
      expect(await codeOf(other.auth.loginWithCode(challenge, code))).toBe('auth.code_invalid');
    }
    expect((await other.auth.sessions()).find(({ current }) => current)?.device).toEqual({ id: email, os: 'ios' });
    expect(await other.auth.requestLoginCode({ username: service.unique('nobody') })).toEqual(expect.any(String));
    await set('Application', 'login.by.mail', false);
  });

  it('has passkeys, which log in without a name', async () => {
    const client = await service.user();
    const { passkeys } = client.auth;
    const authenticator = createAuthenticator();
    stubBrowser(authenticator);
    const phone = await passkeys.add('Phone');
    expect(await codeOf(passkeys.add('Other', { currentPassword: 'wrong' }))).toBe('user.old_password_invalid');
    await passkeys.rename(phone.id, 'My phone');
    expect((await passkeys.list()).map(({ id, name, lastUse }) => [id, name, lastUse])).toEqual([
      [phone.id, 'My phone', null],
    ]);
    const other = service.client();
    const profile = await other.auth.loginWithPasskey({ device: { os: 'android', deviceId: phone.id } });
    expect([profile.user.name, nameOf(other)]).toEqual([nameOf(client), nameOf(client)]);
    const current = (await other.auth.sessions()).find((session) => session.current);
    expect([current?.factor, current?.device?.id]).toEqual(['passkey', phone.id]);
    await passkeys.remove(phone.id, { currentPassword: PASSWORD });
    expect(await passkeys.list()).toEqual([]);
    expect(await codeOf(other.auth.loginWithPasskey())).toBe('auth.passkey_invalid');
  });

  it('has passkeys of platforms that are no browsers', async () => {
    const client = await service.user();
    const { passkeys } = client.auth;
    const authenticator = createAuthenticator();
    const options = await passkeys.prepare({ currentPassword: PASSWORD });
    await passkeys.register('Key', authenticator.create(options));
    const other = service.client();
    const response = authenticator.get(await other.auth.passkeys.prepareLogin());
    await other.auth.loginWithPasskey({ response });
    expect(nameOf(other)).toBe(nameOf(client));
  });

  it('of an administrator makes API keys', async () => {
    const { admin } = await service.admin();
    const name = service.unique('Shop');
    const expires = '2099-01-31T09:12:03.512+0000';
    const made = await admin.keys.create({ name, role: 'registereduser', expires });
    expect(made).toMatchObject({ name, role: 'registereduser', owner: 'admin', expires, lastUse: null });
    expect(made.key).toMatch(/^bb_/);
    const { key: _key, ...shown } = made;
    expect(await admin.keys.get(made.id)).toEqual(shown);
    expect(await admin.keys.list()).toContainEqual(shown);
    await admin.keys.remove(made.id);
    expect(await codeOf(admin.keys.get(made.id))).toBe('key.not_found');
    const user = await service.user();
    expect(await codeOf(user.admin.keys.list())).toBe('admin.required');
  });
});
