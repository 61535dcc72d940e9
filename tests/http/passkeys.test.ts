import { generateKeyPairSync } from 'node:crypto';
import { createAuthenticator, type Tampering } from '@baobab/contracts/webauthn';
import type { Logger } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import { expect, it } from 'vitest';
import { type Answer, createWorld, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { expectCode, protectedUser } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const warnings: object[] = [];
const ignore = () => undefined;
const logger: Logger = { debug: ignore, info: ignore, warn: (bindings) => warnings.push(bindings), error: ignore };

const codesOf = (answers: readonly Answer[]) => answers.map(({ status, body }) => body.code ?? status).sort();

onEveryStorage(
  'passkeys',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const { register, options, owner, send, login, list } = createPasskeyCalls(world);

    it('log in without a name, and continue as any login', async () => {
      const { name, token, authenticator, passkey } = await owner();
      const login_data = { os: 'ios', deviceId: world.unique('phone') };
      const answer = await expectStatus(login(authenticator, {}, { login_data }), 200);
      expect(answer.data.user.name).toBe(name);
      expect(answer.headers['x-bb-session']).toBe(answer.data['X-BB-SESSION']);
      expect(answer.data.client).toMatch(/^[\w-]{44}$/);
      const sessions = await call('GET', '/me/sessions', { token: answer.data['X-BB-SESSION'] });
      const own = sessions.data.find(({ current }: { current: boolean }) => current);
      expect(own).toMatchObject({ factor: 'passkey', device: { id: login_data.deviceId, os: 'ios' } });
      expect(await list(token)).toEqual([
        {
          id: passkey,
          name: 'Phone',
          credential: authenticator.credential,
          transports: ['internal', 'hybrid'],
          created: expect.any(String),
          lastUse: expect.any(String),
        },
      ]);
      expect(answer.text).not.toContain('publicKey');
    });

    it.each([
      ['Ed25519', () => createAuthenticator({ key: generateKeyPairSync('ed25519').privateKey })],
      ['authenticators that do not count', () => createAuthenticator({ counter: null })],
    ])('work with %s', async (_what, create) => {
      const { authenticator } = await owner(create());
      for (let times = 0; times < 2; times++) await expectStatus(login(authenticator), 200);
    });

    it('describe the relying party and the user to the browser', async () => {
      const { name, token, authenticator } = await owner();
      const { data } = await expectStatus(call('POST', '/me/passkeys/options', { token }), 200);
      expect(data).toMatchObject({
        rp: { id: 'localhost' },
        user: { name, displayName: name },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        excludeCredentials: [{ type: 'public-key', id: authenticator.credential, transports: ['internal', 'hybrid'] }],
      });
      expect(Buffer.from(data.challenge, 'base64url').toString('base64url')).toBe(data.challenge);
      expect(Buffer.from(data.user.id, 'base64url').toString('base64url')).toBe(data.user.id);
      expect(await options()).toMatchObject({ rpId: 'localhost', allowCredentials: [], userVerification: 'required' });
    });

    it('satisfy the second factor, and are counted beside it', async () => {
      const user = await protectedUser(world, clock.now);
      const authenticator = createAuthenticator();
      await expectStatus(register(user.token, authenticator), 201);
      expect((await login(authenticator)).status).toBe(200);
      expectCode(
        await call('POST', '/login', { body: { username: user.name, password: 'secret' } }),
        401,
        'auth.second_factor_required',
      );
      const { data } = await call('GET', '/me/totp', { token: user.token });
      expect(data).toMatchObject({ enabled: true, passkeys: 1 });
    });

    it.each<readonly [string, Tampering, string]>([
      ['without user verification', { isVerified: false }, 'did not verify the user'],
      ['without user presence', { isPresent: false }, 'nobody was present'],
      ['from another origin', { origin: 'https://evil.example' }, 'the origin must be http://localhost'],
      ['in a frame of a page of another origin', { topOrigin: 'https://evil.example' }, 'WEBAUTHN_TOP_ORIGINS'],
      ['in a frame of an unknown page', { topOrigin: null }, 'WEBAUTHN_TOP_ORIGINS'],
      ['for another host', { rpId: 'evil.example' }, 'another host'],
      ['of another type', { type: 'payment.get' }, ''],
    ])('are not accepted %s', async (_what, tampering, detail) => {
      const { authenticator, token } = await owner();
      const refused = await login(authenticator, tampering);
      expectCode(refused, 401, 'auth.passkey_invalid');
      expect(refused.body.message).toContain(detail);
      const other = await register(token, createAuthenticator(), tampering);
      expectCode(other, 400, 'passkey.invalid');
      expect(other.body.message).toContain(detail);
      expect(await list(token)).toHaveLength(1);
      await expectStatus(login(authenticator), 200);
    });

    it.each<readonly [string, Tampering]>([
      ['for another user', { userHandle: Buffer.from('somebody else').toString('base64url') }],
      ['without a user', { userHandle: null }],
    ])('do not log in %s', async (_what, tampering) => {
      const { authenticator } = await owner();
      expectCode(await login(authenticator, tampering), 401, 'auth.passkey_invalid');
    });

    it('are not accepted when they are unknown, or signed by another key', async () => {
      const { authenticator } = await owner();
      const stranger = createAuthenticator();
      expectCode(await login(stranger), 401, 'auth.passkey_invalid');
      const { response } = authenticator.get(await options());
      const copy = createAuthenticator({ id: Buffer.from(authenticator.credential, 'base64url') });
      const forged = { ...copy.get(await options()), id: authenticator.credential };
      const body = { ...forged, response: { ...forged.response, userHandle: response.userHandle } };
      expectCode(await send(body), 401, 'auth.passkey_invalid');
    });

    it('answer a challenge once, each for its own purpose and user, within five minutes', async () => {
      const [ann, bob] = [await owner(), await owner()];
      const response = ann.authenticator.get(await options());
      expect((await send(response)).status).toBe(200);
      expectCode(await send(response), 401, 'passkey.challenge_invalid');
      const { challenge } = await options();
      const other = challenge.slice(0, -1) + (challenge.endsWith('A') ? 'B' : 'A');
      for (const made of ['', 'AAAA', other, challenge.toLowerCase()]) {
        expectCode(await login(ann.authenticator, { challenge: made }), 401, 'passkey.challenge_invalid');
      }
      const { data } = await call('POST', '/me/passkeys/options', { token: ann.token });
      expectCode(await send(ann.authenticator.get(data)), 401, 'passkey.challenge_invalid');
      const body = { ...createAuthenticator().create(data), name: 'Key' };
      expectCode(await call('POST', '/me/passkeys', { token: bob.token, body }), 400, 'passkey.challenge_invalid');
      await expectStatus(call('POST', '/me/passkeys', { token: ann.token, body }), 201);
      expectCode(await call('POST', '/me/passkeys', { token: ann.token, body }), 400, 'passkey.challenge_invalid');
      const late = [ann.authenticator.get(await options()), ann.authenticator.get(await options())] as const;
      clock.advance(5 * MINUTE - 1);
      expect((await send(late[0])).status).toBe(200);
      clock.advance(1);
      expectCode(await send(late[1]), 401, 'passkey.challenge_invalid');
      clock.advance(5 * MINUTE);
      expect(await world.backend.sweep()).toBeGreaterThan(0);
      expectCode(await send(late[0]), 401, 'passkey.challenge_invalid');
    });

    it.each(['log-ins with one response', 'log-ins that answer one challenge', 'registrations'])(
      'let exactly one of 50 %s succeed at once',
      async (what) => {
        const { authenticator, token } = await owner(createAuthenticator({ counter: null }));
        const asked = await options();
        const { data } = await call('POST', '/me/passkeys/options', { token });
        const one = authenticator.get(asked);
        const attempts = Array.from({ length: 50 }, () => {
          if (what === 'registrations') {
            return call('POST', '/me/passkeys', { token, body: { ...createAuthenticator().create(data), name: 'x' } });
          }
          return send(what === 'log-ins with one response' ? one : authenticator.get(asked));
        });
        const counts = codesOf(await Promise.all(attempts));
        expect(counts.filter((code) => code !== 'passkey.challenge_invalid')).toHaveLength(1);
        expect(await list(token)).toHaveLength(what === 'registrations' ? 2 : 1);
      },
    );

    it('are refused when their counter goes back, and this is logged', async () => {
      const { authenticator, id, passkey } = await owner(createAuthenticator({ counter: 10 }));
      expect((await login(authenticator, { counter: 20 })).status).toBe(200);
      warnings.length = 0;
      for (const counter of [19, 20, 0]) {
        expectCode(await login(authenticator, { counter }), 401, 'auth.passkey_cloned');
      }
      expect(warnings[0]).toMatchObject({ userId: id, passkey, counter: 19 });
      const forged = { ...authenticator.get(await options(), { counter: 1 }) };
      const body = { ...forged, response: { ...forged.response, signature: 'AAAA' } };
      expectCode(await send(body), 401, 'auth.passkey_invalid');
      expect((await login(authenticator, { counter: 21 })).status).toBe(200);
    });

    it('let one of two copies in that count the same', async () => {
      const { authenticator } = await owner();
      const [first, second] = [await options(), await options()];
      const attempts = [first, second].map((asked) => send(authenticator.get(asked, { counter: 50 })));
      expect(codesOf(await Promise.all(attempts))).toEqual([200, 'auth.passkey_cloned']);
    });

    it('are several, each with a name, and removed one by one', async () => {
      const { token, authenticator, passkey } = await owner();
      const key = createAuthenticator();
      const { data } = await expectStatus(register(token, key, {}, 'Schlüssel 🔑'), 201);
      expect(data).toMatchObject({ name: 'Schlüssel 🔑', lastUse: null });
      await expectStatus(call('PUT', `/me/passkeys/${data.id}`, { token, body: { name: 'Key' } }), 200);
      expect((await list(token)).map(({ name }: { name: string }) => name)).toEqual(['Phone', 'Key']);
      expect([(await login(authenticator)).status, (await login(key)).status]).toEqual([200, 200]);
      await expectStatus(call('DELETE', `/me/passkeys/${passkey}`, { token }), 200);
      expectCode(await login(authenticator), 401, 'auth.passkey_invalid');
      expect((await login(key)).status).toBe(200);
      expect((await call('GET', '/me', { token })).status).toBe(200);
    });

    it('belong to one user', async () => {
      const [ann, bob] = [await owner(), await owner()];
      expectCode(await register(bob.token, ann.authenticator), 409, 'passkey.exists');
      expectCode(await register(ann.token, ann.authenticator), 409, 'passkey.exists');
      for (const id of [ann.passkey, 'x', '0190163d-8694-739b-aea5-966c26f8ad90']) {
        const url = `/me/passkeys/${id}`;
        expectCode(await call('PUT', url, { token: bob.token, body: { name: 'x' } }), 404, 'passkey.not_found');
        expectCode(await call('DELETE', url, { token: bob.token }), 404, 'passkey.not_found');
      }
      expect((await login(ann.authenticator)).data.user.name).toBe(ann.name);
    });

    it('need a name, a form and a user', async () => {
      const { token, passkey } = await owner();
      for (const name of ['', ' x', 'a\nb', 'x'.repeat(129)]) {
        expectCode(await register(token, createAuthenticator(), {}, name), 400, 'passkey.name_invalid');
        const renamed = call('PUT', `/me/passkeys/${passkey}`, { token, body: { name } });
        expectCode(await renamed, 400, 'passkey.name_invalid');
      }
      const { data } = await call('POST', '/me/passkeys/options', { token });
      const body = createAuthenticator().create(data);
      for (const response of [{}, { ...body.response, attestationObject: '!' }]) {
        expect((await call('POST', '/me/passkeys', { token, body: { ...body, name: 'x', response } })).status).toBe(
          400,
        );
      }
      const broken = { ...body, name: 'x', response: { ...body.response, attestationObject: 'oWNmbXRk' } };
      expectCode(await call('POST', '/me/passkeys', { token, body: broken }), 400, 'passkey.invalid');
      for (const [method, url] of [
        ['GET', '/me/passkeys'],
        ['POST', '/me/passkeys/options'],
        ['DELETE', `/me/passkeys/${passkey}`],
      ] as const) {
        expect((await call(method, url, method === 'GET' ? {} : { body: {} })).status).toBe(401);
      }
      expect((await call('POST', '/login/passkey/options', { appCode: null })).status).toBe(400);
    });

    it('are at most twenty, also when they come at once', async () => {
      const { token } = await world.user();
      const challenges = await Promise.all(
        Array.from({ length: 22 }, () => call('POST', '/me/passkeys/options', { token })),
      );
      const attempts = challenges.map(({ data }) =>
        call('POST', '/me/passkeys', { token, body: { ...createAuthenticator().create(data), name: 'x' } }),
      );
      const codes = codesOf(await Promise.all(attempts));
      expect(codes.filter((code) => code === 'passkey.limit')).toHaveLength(2);
      expect(await list(token)).toHaveLength(20);
      expectCode(await call('POST', '/me/passkeys/options', { token }), 400, 'passkey.limit');
    });

    it('need a fresh login to be added and removed, or the password', async () => {
      const { token, passkey } = await owner();
      clock.advance(10 * MINUTE);
      const body = { current_password: 'secret' };
      for (const [method, url] of [
        ['POST', '/me/passkeys/options'],
        ['DELETE', `/me/passkeys/${passkey}`],
      ] as const) {
        expectCode(await call(method, url, { token }), 401, 'auth.fresh_login_required');
        const wrong = call(method, url, { token, body: { current_password: 'wrong' } });
        expectCode(await wrong, 400, 'user.old_password_invalid');
        await expectStatus(call(method, url, { token, body }), 200);
      }
      expect(await list(token)).toEqual([]);
    });

    it('are removed by a reset of the factors, and with their user', async () => {
      const [ann, bob] = [await owner(), await owner()];
      const basic = adminOf(world);
      await expectStatus(call('DELETE', `/admin/user/${ann.name}/factors`, { basic }), 200);
      expect((await call('GET', '/me', { token: ann.token })).status).toBe(401);
      expectCode(await login(ann.authenticator), 401, 'auth.passkey_invalid');
      await expectStatus(call('DELETE', `/admin/user/${bob.name}`, { basic }), 200);
      expectCode(await login(bob.authenticator), 401, 'auth.passkey_invalid');
    });

    it('do not let a suspended user in', async () => {
      const { name, authenticator } = await owner();
      await expectStatus(call('PUT', `/admin/user/suspend/${name}`, { basic: adminOf(world) }), 200);
      expectCode(await login(authenticator), 401, 'auth.passkey_invalid');
    });

    it('replace the last link of a user without a password, and cannot all be removed then', async () => {
      const client = world.unique('client');
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': client });
      const person = { id: world.unique('person') };
      const oauth_token = world.backend.networks.google.issue({ person, clientId: client });
      const signedUp = await call('POST', '/social/google', { body: { oauth_token, oauth_secret: oauth_token } });
      const token = signedUp.data['X-BB-SESSION'];
      expectCode(await call('DELETE', '/social/google', { token }), 500, 'social.last_link');
      const authenticator = createAuthenticator();
      const { data } = await expectStatus(register(token, authenticator), 201);
      await expectStatus(call('DELETE', '/social/google', { token }), 200);
      expectCode(await call('DELETE', `/me/passkeys/${data.id}`, { token }), 409, 'passkey.last');
      expect((await login(authenticator)).status).toBe(200);
    });
  },
  { clock, logger },
);

it('passkeys are accepted in frames of the pages that WEBAUTHN_TOP_ORIGINS names', async () => {
  const backend = await createTestBackend({ webAuthnTopOrigins: ['https://shop.example'] });
  const world = createWorld(backend);
  const { register, login } = createPasskeyCalls(world);
  const { token } = await world.user();
  const evil = { topOrigin: 'https://evil.example' };
  // Safari does not report the embedding page.
  for (const topOrigin of ['https://shop.example', null]) {
    const authenticator = createAuthenticator();
    await expectStatus(register(token, authenticator, { topOrigin }), 201);
    await expectStatus(login(authenticator, { topOrigin }), 200);
    expectCode(await login(authenticator, evil), 401, 'auth.passkey_invalid');
  }
  expectCode(await register(token, createAuthenticator(), evil), 400, 'passkey.invalid');
  await backend.close();
});
