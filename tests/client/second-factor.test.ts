import { type Baobab, type BaobabError, isBaobabError, type SessionStorage } from '@baobab/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientService, nameOf, onEveryService, openClientService, PASSWORD } from '../support/client-service.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { codeAt, STEP_MS } from '../support/second-factor.ts';

const failureOf = async (call: Promise<unknown>): Promise<BaobabError> => {
  try {
    await call;
  } catch (error) {
    if (isBaobabError(error)) return error;
    throw error;
  }
  throw new Error('the call succeeded');
};
const codeOf = async (call: Promise<unknown>) => (await failureOf(call)).code;

function createStorage(): SessionStorage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}

/** Turns the second factor of a client's user on. The code of the current step is used up. */
async function turnOn({ auth }: Baobab) {
  const { secret, uri } = await auth.secondFactor.prepare();
  expect(uri).toContain(secret);
  return { secret, recoveryCodes: await auth.secondFactor.confirm(codeAt(secret, Date.now())) };
}

/** The code of the next step, which counts already. */
const nextCode = (secret: string) => codeAt(secret, Date.now() + STEP_MS);

onEveryService('the second factor of a user', (service) => {
  it('is prepared, confirmed and asked for', async () => {
    const client = await service.user();
    const credentials = { username: nameOf(client), password: PASSWORD };
    const { secondFactor } = client.auth;
    expect(await secondFactor.state()).toEqual({ enabled: false, since: null, recovery_codes: 0, passkeys: 0 });
    const other = service.client();
    await other.auth.login(credentials);
    const { secret, recoveryCodes } = await turnOn(client);
    expect(await secondFactor.state()).toMatchObject({ enabled: true, recovery_codes: recoveryCodes.length });
    expect(await codeOf(other.users.me())).toBe('session.invalid');

    const error = await failureOf(other.auth.login(credentials));
    expect([error.code, error.status, other.auth.session]).toEqual(['auth.second_factor_required', 401, null]);
    const challenge = error.challenge ?? '';
    expect(await codeOf(other.auth.loginSecond(challenge, { recoveryCode: 'wrong' }))).toBe('auth.code_invalid');
    const profile = await other.auth.loginSecond(challenge, { code: nextCode(secret) });
    expect([profile.user.name, nameOf(other), 'client' in profile]).toEqual([nameOf(client), nameOf(client), false]);
    expect((await other.auth.sessions()).find(({ current }) => current)?.factor).toBe('totp');
    expect(await codeOf(other.auth.loginSecond(challenge, { recoveryCode: recoveryCodes[0] ?? '' }))).toBe(
      'auth.challenge_invalid',
    );
  });

  it('is replaced by a recovery code, once', async () => {
    const client = await service.user();
    const credentials = { username: nameOf(client), password: PASSWORD };
    const { recoveryCodes } = await turnOn(client);
    const other = service.client();
    for (const used of [false, true]) {
      const { challenge } = await failureOf(other.auth.login(credentials));
      const login = other.auth.loginSecond(challenge ?? '', { recoveryCode: recoveryCodes[0] ?? '' });
      if (used) expect(await codeOf(login)).toBe('auth.code_invalid');
      else expect((await login).user.name).toBe(nameOf(client));
    }
    expect((await other.auth.secondFactor.state()).recovery_codes).toBe(recoveryCodes.length - 1);
  });

  it('is sent with the password', async () => {
    const client = await service.user();
    const { secret } = await turnOn(client);
    const other = service.client();
    await other.auth.login({ username: nameOf(client), password: PASSWORD, code: nextCode(secret) });
    expect(nameOf(other)).toBe(nameOf(client));
  });

  it('is turned off with a proof or a fresh login, by the user or an administrator', async () => {
    const client = await service.user();
    const credentials = { username: nameOf(client), password: PASSWORD };
    const first = await turnOn(client);
    expect(await codeOf(client.auth.secondFactor.remove({ recoveryCode: 'wrong' }))).toBe('auth.code_invalid');
    await client.auth.secondFactor.remove({ recoveryCode: first.recoveryCodes[0] ?? '' });
    expect((await client.auth.secondFactor.state()).enabled).toBe(false);
    expect(await codeOf(client.auth.secondFactor.remove())).toBe('totp.not_found');
    await turnOn(client);
    await client.auth.secondFactor.remove();
    await turnOn(client);
    await (await service.admin()).admin.users.resetSecondFactor(nameOf(client));
    expect(await codeOf(client.users.me())).toBe('session.invalid');
    await client.auth.login(credentials);
    expect((await client.auth.secondFactor.state()).enabled).toBe(false);
  });
});

describe('a client of a service that locks accounts', () => {
  const clock = createHandDrivenClock();
  let service: ClientService;

  beforeAll(async () => {
    service = await openClientService('memory:', 1, { rateLimit: true, clock });
  });
  afterAll(() => service.close());

  async function lock(username: string) {
    const stranger = service.client();
    for (let i = 0; i < 10; i++) await codeOf(stranger.auth.login({ username, password: `guess ${i}` }));
    expect(await codeOf(stranger.auth.login({ username, password: PASSWORD }))).toBe('auth.locked');
  }

  it('is known after a login, also when the page is loaded again, and for several users', async () => {
    const storage = createStorage();
    const [ann, bob] = [service.unique('ann'), service.unique('bob')];
    const first = service.client({ storage });
    for (const username of [ann, bob]) {
      await first.auth.signUp({ username, password: PASSWORD });
      await first.auth.logout();
    }
    await lock(ann);
    await lock(bob);
    const reloaded = service.client({ storage });
    for (const username of [ann, bob]) {
      await reloaded.auth.login({ username, password: PASSWORD });
      expect(nameOf(reloaded)).toBe(username);
      await reloaded.auth.logout();
    }
    // Without a storage for as long as the client lives.
    const other = service.client();
    const carol = service.unique('carol');
    await other.auth.signUp({ username: carol, password: PASSWORD });
    await lock(carol);
    await other.auth.login({ username: carol, password: PASSWORD });
    expect(nameOf(other)).toBe(carol);
  });

  it('proves its presence with the password', async () => {
    const client = await service.user();
    clock.advance(9 * 60_000);
    await client.auth.refresh();
    clock.advance(9 * 60_000);
    const { secondFactor } = client.auth;
    expect(await codeOf(secondFactor.prepare())).toBe('auth.fresh_login_required');
    const { secret } = await secondFactor.prepare({ currentPassword: PASSWORD });
    await secondFactor.confirm(codeAt(secret, clock.now()));
    expect(await codeOf(secondFactor.remove())).toBe('auth.fresh_login_required');
    await secondFactor.remove(null, { currentPassword: PASSWORD });
    expect((await secondFactor.state()).enabled).toBe(false);
  });
});
