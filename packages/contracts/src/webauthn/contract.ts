import { generateKeyPairSync } from 'node:crypto';
import type { WebAuthn } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { type Authenticator, createAuthenticator, type Tampering } from './authenticator.ts';

const CHALLENGE = 'A'.repeat(32);
const USER = 'B'.repeat(32);
const OPTIONS = { challenge: CHALLENGE, user: { id: USER } };
const APP = 'android:apk-key-hash:rz1Vl7b4sSuMlq0ZAMOSyzDXlB6sVMH3v3GZcsc4zZc';

export interface WebAuthnUrls {
  readonly publicUrl: string;
  readonly origins?: readonly string[];
}

export function webAuthnContract(name: string, open: (urls: WebAuthnUrls) => WebAuthn): void {
  describe(`WebAuthn contract: ${name}`, PATIENT, () => {
    const webAuthn = open({ publicUrl: 'http://localhost' });

    function register(authenticator: Authenticator, tampering: Tampering = {}, verifier = webAuthn) {
      const { id, response } = authenticator.create(OPTIONS, tampering);
      return verifier.verifyRegistration({ id, ...response }, CHALLENGE);
    }

    async function assert(authenticator: Authenticator, tampering: Tampering = {}, verifier = webAuthn) {
      const registered = await register(authenticator);
      if ('refused' in registered) throw new Error(registered.refused ?? 'refused');
      const { id, response } = authenticator.get(OPTIONS, tampering);
      const { credential, publicKey } = registered;
      const expected = { challenge: CHALLENGE, credential, publicKey, userHandle: USER };
      return verifier.verifyAssertion({ id, ...response }, expected);
    }

    it.each([
      ['P-256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
      ['Ed25519', () => generateKeyPairSync('ed25519').privateKey],
    ])('verifies keys and signatures of %s, and reads the counter', async (_name, keyOf) => {
      const authenticator = createAuthenticator({ key: keyOf(), counter: 7 });
      expect(await register(authenticator)).toEqual({
        credential: authenticator.credential,
        publicKey: expect.stringMatching(/^[\w-]+$/),
        counter: 8,
      });
      expect(await assert(authenticator, { counter: 3 })).toEqual({ counter: 3 });
    });

    it('has the host of the URL as relying party, and accepts its origin', () => {
      expect(webAuthn.rpId).toBe('localhost');
      expect(open({ publicUrl: 'https://api.example.org:8443/path' }).rpId).toBe('api.example.org');
      expect(webAuthn.algorithms).toContain(-7);
    });

    it('accepts the given origins and no others', async () => {
      const verifier = open({ publicUrl: 'http://localhost', origins: ['https://app.localhost', APP] });
      for (const origin of ['https://app.localhost', APP]) {
        expect(await assert(createAuthenticator(), { origin }, verifier)).toMatchObject({ counter: 2 });
      }
      expect(await assert(createAuthenticator(), {}, verifier)).toEqual({
        refused: `the origin must be https://app.localhost or ${APP}`,
      });
    });

    it('reads the challenge, if there is one', () => {
      const { response } = createAuthenticator().create(OPTIONS);
      expect(webAuthn.challengeOf(response.clientDataJSON)).toBe(CHALLENGE);
      const texts = ['', 'null', '[]', '{}', '{"challenge":1,"origin":"x"}', '{'];
      for (const text of texts) expect(webAuthn.challengeOf(Buffer.from(text).toString('base64url'))).toBeNull();
    });

    it.each<readonly [string, Tampering]>([
      ['another origin', { origin: 'http://localhost:1' }],
      ['another relying party', { rpId: 'local' }],
      ['another challenge', { challenge: 'C'.repeat(32) }],
      ['another type', { type: 'payment.get' }],
      ['no user verification', { isVerified: false }],
      ['no user presence', { isPresent: false }],
    ])('refuses %s', async (_what, tampering) => {
      expect(await register(createAuthenticator(), tampering)).toHaveProperty('refused');
      expect(await assert(createAuthenticator(), tampering)).toHaveProperty('refused');
    });

    it('refuses a signature of another key, and another user', async () => {
      const authenticator = createAuthenticator();
      const other = await register(createAuthenticator());
      const registered = await register(authenticator);
      if ('refused' in other || 'refused' in registered) throw new Error('refused');
      const { id, response } = authenticator.get(OPTIONS);
      const expected = { ...registered, challenge: CHALLENGE, userHandle: USER };
      const given = { id, ...response };
      expect(await webAuthn.verifyAssertion(given, expected)).toHaveProperty('counter');
      for (const [sent, wanted] of [
        [given, { ...expected, publicKey: other.publicKey }],
        [{ ...given, userHandle: null }, expected],
        [{ ...given, userHandle: CHALLENGE }, expected],
        [{ ...given, signature: '' }, expected],
        [{ ...given, authenticatorData: 'AAAA' }, expected],
      ] as const) {
        expect(await webAuthn.verifyAssertion(sent, wanted)).toHaveProperty('refused');
      }
    });

    it.each(['', 'AAAA', 'oWNmbXRk', 'n'.repeat(60_000)])(
      'refuses an attestation that is none',
      async (attestationObject) => {
        const { id, response } = createAuthenticator().create(OPTIONS);
        const given = { id, clientDataJSON: response.clientDataJSON, attestationObject };
        expect(await webAuthn.verifyRegistration(given, CHALLENGE)).toHaveProperty('refused');
      },
    );

    it('ignores the statement of an attestation', async () => {
      const { id, response } = createAuthenticator().create(OPTIONS, { format: 'packed' });
      expect(await webAuthn.verifyRegistration({ id, ...response }, CHALLENGE)).toHaveProperty('credential');
    });

    it('refuses an id that is too long', async () => {
      expect(await register(createAuthenticator({ id: Buffer.alloc(1023, 1) }))).toHaveProperty('credential');
      expect(await register(createAuthenticator({ id: Buffer.alloc(1024, 1) }))).toHaveProperty('refused');
    });
  });
}
