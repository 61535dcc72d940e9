import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, createWorld, type World } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { expectCode } from '../support/second-factor.ts';

const ORIGIN = 'https://app.example.org';
const BELOW = 'https://below.app.example.org';

let backend: TestBackend;
let world: World;
let browser: SharedBrowser;
let page: Page;
let devTools: CDPSession;

/** `PublicKeyCredential.parseCreationOptionsFromJSON` and its relatives work on JSON alone. */
interface Json {
  readonly [member: string]: unknown;
}

beforeAll(async () => {
  browser = await openBrowser();
  backend = await createTestBackend({ publicUrl: ORIGIN });
  world = createWorld(backend);
});
afterAll(async () => {
  await browser?.close();
  await backend?.close();
});

/** An authenticator that holds passkeys and verifies its user, as a phone does. */
async function addAuthenticator(isUserVerified = true): Promise<string> {
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
}

beforeEach(async () => {
  page = await browser.newPage();
  // Pages of any origin without its server: what the page does is the test's.
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<title>App</title>' }));
  await page.goto(ORIGIN);
  devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
});
afterEach(() => page.close());

/** Registers a passkey on the page. Returns the response, or the name of the browser's refusal. */
const create = (options: Json): Promise<Json | string> =>
  page.evaluate(async (given) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(given as never);
    return navigator.credentials.create({ publicKey }).then(
      (credential) => (credential as PublicKeyCredential).toJSON(),
      (error: Error) => error.name,
    );
  }, options as object) as Promise<Json | string>;

const get = (options: Json): Promise<Json | string> =>
  page.evaluate(async (given) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(given as never);
    return navigator.credentials.get({ publicKey }).then(
      (credential) => (credential as PublicKeyCredential).toJSON(),
      (error: Error) => error.name,
    );
  }, options as object) as Promise<Json | string>;

const call: World['call'] = (...args) => world.call(...args);
const options = async (): Promise<Json> => (await call('POST', '/login/passkey/options')).data;
const creationOptions = async (token: string): Promise<Json> =>
  (await call('POST', '/me/passkeys/options', { token })).data;
const bodyOf = (response: Json | string): Json => {
  if (typeof response === 'string') throw new Error(`the browser refused: ${response}`);
  return response;
};

async function register(token: string, name: string): Promise<string> {
  const body = { ...bodyOf(await create(await creationOptions(token))), name };
  const { status, data, text } = await call('POST', '/me/passkeys', { token, body });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return data.id;
}

const send = (body: Json): Promise<Answer> => call('POST', '/login/passkey', { body });
const login = async (): Promise<Answer> => send(bodyOf(await get(await options())));

describe('passkeys in Chromium', () => {
  it('register and log in without a name', async () => {
    await addAuthenticator();
    const { name, token } = await world.user();
    await register(token, 'Phone');
    const answer = await login();
    expect([answer.status, answer.data.user.name]).toEqual([200, name]);
    expect((await call('GET', '/me', { token: answer.data['X-BB-SESSION'] })).data.user.name).toBe(name);
    // The same authenticator makes no second one for this user.
    expect(await create(await creationOptions(token))).toBe('InvalidStateError');
  });

  it('are two on two authenticators, of which one is removed', async () => {
    const phone = await addAuthenticator();
    const { token } = await world.user();
    const first = await register(token, 'Phone');
    await devTools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: phone });
    await addAuthenticator();
    await register(token, 'Laptop');
    const { data } = await call('GET', '/me/passkeys', { token });
    expect(data.map((passkey: { name: string }) => passkey.name)).toEqual(['Phone', 'Laptop']);
    expect((await call('DELETE', `/me/passkeys/${first}`, { token })).status).toBe(200);
    expect((await login()).status).toBe(200);
  });

  it('no longer log in once they are removed', async () => {
    await addAuthenticator();
    const { token } = await world.user();
    const id = await register(token, 'Phone');
    expect((await call('DELETE', `/me/passkeys/${id}`, { token })).status).toBe(200);
    expectCode(await login(), 401, 'auth.passkey_invalid');
  });

  it('need user verification, in the browser and at the service', async () => {
    const authenticatorId = await addAuthenticator();
    const { token } = await world.user();
    await register(token, 'Phone');
    await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    expect(await get(await options())).toBe('NotAllowedError');
    // A page that asks for less gets a response, and the service refuses it.
    const unverified = await get({ ...(await options()), userVerification: 'discouraged' });
    const refused = await send(bodyOf(unverified));
    expectCode(refused, 401, 'auth.passkey_invalid');
    expect(refused.body.message).toContain('did not verify the user');
  });

  it('do not log in from another origin, though it may use the same relying party', async () => {
    await addAuthenticator();
    const { token } = await world.user();
    await register(token, 'Phone');
    await page.goto(BELOW);
    const refused = await send(bodyOf(await get(await options())));
    expectCode(refused, 401, 'auth.passkey_invalid');
    expect(refused.body.message).toContain(ORIGIN);
  });

  it('do not log in for another relying party', async () => {
    await addAuthenticator();
    const { token } = await world.user();
    await register(token, 'Phone');
    expect(await get({ ...(await options()), rpId: 'other.example' })).toBe('SecurityError');
    const made = { ...(await creationOptions(token)), rp: { id: 'example.org', name: 'App' } };
    const body = { ...bodyOf(await create(made)), name: 'Other' };
    const refused = await call('POST', '/me/passkeys', { token, body });
    expectCode(refused, 400, 'passkey.invalid');
    expect(refused.body.message).toContain('another host');
  });

  it('answer a challenge once', async () => {
    await addAuthenticator();
    const { token } = await world.user();
    await register(token, 'Phone');
    const response = bodyOf(await get(await options()));
    expect((await send(response)).status).toBe(200);
    expectCode(await send(response), 401, 'passkey.challenge_invalid');
  });

  it('are refused when a copy of the authenticator counts less', async () => {
    const authenticatorId = await addAuthenticator();
    const { token } = await world.user();
    await register(token, 'Phone');
    const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId });
    expect((await login()).status).toBe(200);
    expect((await login()).status).toBe(200);
    await devTools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    const copy = await addAuthenticator();
    for (const credential of credentials) {
      await devTools.send('WebAuthn.addCredential', { authenticatorId: copy, credential });
    }
    expectCode(await login(), 401, 'auth.passkey_cloned');
  });
});
