import type { Clock } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { ANN } from './contract.ts';
import { CLIENT_IDS, type IdTokenSubject, type OpenedIdTokens } from './subject.ts';
import {
  type Claims,
  createIssuerKey,
  type IssuerKey,
  signIdToken,
  tokenSignedWithText,
  unsignedToken,
  withClaims,
} from './tokens.ts';

const clock: Clock = { now: Date.now };
const [APP = '', OTHER_CLIENT = ''] = CLIENT_IDS;

/** Additional contract of adapters that verify signed id_tokens (OpenID Connect Core 1.0). */
export function idTokenContract(name: string, { keysAt, checksParty, open }: IdTokenSubject): void {
  describe(`id_token contract: ${name}`, PATIENT, () => {
    let opened: OpenedIdTokens;
    beforeEach(async () => {
      opened = await open(clock);
    });
    afterEach(() => opened.close());

    const key = () => opened.signer.keys[0] as IssuerKey;
    const claims = (more: Claims = {}) => ({
      ...opened.signer.claims({ person: ANN, clientId: APP }),
      ...more,
    });
    const sign = (more: Claims = {}, header: Record<string, unknown> = {}) =>
      signIdToken(claims(more), { key: key(), header });
    const ask = (token: string) => opened.network.identify({ token, nonce: null });
    const outcome = (token: string) =>
      ask(token).then(
        ({ id }) => id,
        ({ code }: { code: string }) => code,
      );
    const requests = () => opened.standIn.requests.filter(({ path }) => path === keysAt).length;
    const seconds = () => Math.floor(clock.now() / 1000);

    it('are accepted for each client id of the app', async () => {
      for (const aud of [APP, OTHER_CLIENT, [OTHER_CLIENT]]) {
        expect(await outcome(await sign({ aud }))).toBe(ANN.id);
      }
    });

    it('are accepted when signed with RS256 or ES256', async () => {
      for (const alg of ['RS256', 'ES256'] as const) {
        opened.signer.keys = [await createIssuerKey(alg)];
        const other = await open(clock);
        other.signer.keys = opened.signer.keys;
        const token = await other.issue('id_token', { person: ANN, clientId: APP });
        expect((await other.network.identify({ token, nonce: null })).id).toBe(ANN.id);
        await other.close();
      }
    });

    it.each<readonly [string, (good: Claims) => Claims]>([
      ['another issuer', () => ({ iss: 'https://evil.example' })],
      ['an issuer that only has the right prefix', ({ iss }) => ({ iss: `${iss}.evil.example` })],
      ['an issuer with an extra slash', ({ iss }) => ({ iss: `${iss}/` })],
      ['no issuer', () => ({ iss: undefined })],
      ['another audience', () => ({ aud: 'another-app' })],
      ['no audience', () => ({ aud: undefined })],
      ['an empty list of audiences', () => ({ aud: [] })],
      ['no expiry', () => ({ exp: undefined })],
      ['an expiry long ago', () => ({ exp: 1 })],
      ['an expiry that is a text', ({ exp }) => ({ exp: String(exp) })],
      ['a nbf in the future', ({ exp }) => ({ nbf: exp })],
      ['no time of issue', () => ({ iat: undefined })],
      ['no person', () => ({ sub: undefined })],
      ['several audiences and no azp', () => ({ aud: [APP, 'another-app'] })],
      ['a nonce that nobody sent', () => ({ nonce: 'x' })],
      ['a nonce that is a number', () => ({ nonce: 1 })],
    ])('are refused with %s', async (_what, change) => {
      expect(await outcome(await sign(change(claims())))).toBe('social.refused');
    });

    it.each([
      ['several audiences, azp is the app', { aud: ['another-app', APP], azp: APP }, true],
      ['azp is another client id of the app', { azp: OTHER_CLIENT }, true],
      ['azp is another app', { azp: 'another-app' }, !checksParty],
      ['several audiences, azp is another app', { aud: [APP, 'b'], azp: 'b' }, !checksParty],
    ])('are accepted or refused by their authorized party: %s', async (_what, change, isGood) => {
      expect(await outcome(await sign(change))).toBe(isGood ? ANN.id : 'social.refused');
    });

    it('are refused without a usable id of the person', async () => {
      for (const sub of ['', ' ', 'a b', 'x'.repeat(256), 'ä']) {
        expect(await outcome(await sign({ sub }))).toBe('social.unavailable');
      }
    });

    it.each(['none', 'None', 'NONE', 'HS256', ''])('are refused without a signature, with alg %j', async (alg) => {
      expect(await outcome(unsignedToken(claims(), alg))).toBe('social.refused');
      expect(await outcome(`${unsignedToken(claims(), alg)}AAAA`)).toBe('social.refused');
    });

    it('are refused with a MAC whose key is the public key', async () => {
      const { publicPem, publicJwk, kid } = key();
      for (const text of [publicPem, publicPem.trim(), JSON.stringify(publicJwk), publicJwk.n ?? publicJwk.x ?? '']) {
        expect(await outcome(await tokenSignedWithText(claims(), text, kid))).toBe('social.refused');
      }
    });

    it('are refused when signed with another key, whatever their header says', async () => {
      const { alg, kid } = key();
      const other = await createIssuerKey(alg, kid);
      const { publicJwk: jwk } = other;
      const headers = [
        {},
        { jwk },
        { jku: 'http://127.0.0.1:1/keys' },
        { x5u: 'http://127.0.0.1:1' },
        { kid: undefined },
      ];
      for (const header of headers) {
        expect(await outcome(await signIdToken(claims(), { key: other, header }))).toBe('social.refused');
      }
    });

    it('are refused when their claims were changed', async () => {
      const good = await sign();
      for (const change of [{ sub: 'somebody else' }, { aud: OTHER_CLIENT }, { exp: seconds() + 100_000 }]) {
        expect(await outcome(withClaims(good, change))).toBe('social.refused');
      }
      expect(await outcome(good.slice(0, -4))).toBe('social.refused');
    });

    it.each(['at+jwt', 'application/at+jwt', 'logout+jwt', 'secevent+jwt', 1])(
      'are refused when they are another type of token of the issuer: typ %j',
      async (typ) => {
        expect(await outcome(await sign({}, { typ }))).toBe('social.refused');
      },
    );

    it('are accepted without a typ, or with one in lower case', async () => {
      for (const typ of [undefined, 'jwt']) expect(await outcome(await sign({}, { typ }))).toBe(ANN.id);
    });

    it('are accepted a little before their time, and refused long before it with a word about the clock', async () => {
      for (const claim of ['iat', 'nbf']) {
        expect(await outcome(await sign({ [claim]: seconds() + 2 }))).toBe(ANN.id);
        await expect(ask(await sign({ [claim]: seconds() + 70 }))).rejects.toMatchObject({
          code: 'social.refused',
          message: expect.stringContaining('clock'),
        });
      }
      await expect(ask(await sign({ exp: seconds() - 60 }))).rejects.toMatchObject({
        code: 'social.refused',
        message: expect.stringContaining('clock'),
      });
    });

    it('are accepted for some seconds after their expiry, because clocks differ', async () => {
      expect(await outcome(await sign({ exp: seconds() - 10 }))).toBe(ANN.id);
      expect(await outcome(await sign({ exp: seconds() - 60 }))).toBe('social.refused');
    });

    it.each([[false], ['false']])('give no e-mail address when it is not verified (%j)', async (email_verified) => {
      expect((await ask(await sign({ email_verified }))).email).toBeNull();
    });

    it.each([
      ['name', 'x'.repeat(257), 'name'],
      ['name', 'line\nbreak', 'name'],
      ['name', { first: 'Ann' }, 'name'],
      ['email', 'x\u0000@example.com', 'email'],
      ['email', ['a@example.com'], 'email'],
      ['picture', 'javascript:alert(1)', 'avatarUrl'],
      ['picture', 'data:image/png;base64,AAAA', 'avatarUrl'],
      ['picture', '//example.com/x.png', 'avatarUrl'],
      ['picture', `https://example.com/${'x'.repeat(3000)}`, 'avatarUrl'],
      ['profile', 'https://', 'pageUrl'],
      ['profile', 'ftp://example.com', 'pageUrl'],
    ] as const)('give null for unusable values: %s %j', async (claim, value, field) => {
      expect(await ask(await sign({ [claim]: value }))).toEqual({ ...ANN, [field]: null });
    });

    it('cause one request for the keys, however many tokens arrive at once', async () => {
      const tokens = await Promise.all(Array.from({ length: 50 }, () => sign()));
      expect(await Promise.all(tokens.map(outcome))).toEqual(tokens.map(() => ANN.id));
      expect(requests()).toBe(1);
    });

    it('with unknown keys do not cause repeated requests for the keys', async () => {
      expect(await outcome(await sign())).toBe(ANN.id);
      const other = await createIssuerKey(key().alg);
      const tokens = await Promise.all(
        Array.from({ length: 50 }, (_, i) => signIdToken(claims(), { key: other, header: { kid: `unknown-${i}` } })),
      );
      expect(await Promise.all(tokens.map(outcome))).toEqual(tokens.map(() => 'social.refused'));
      expect(requests()).toBe(1);
    });

    it('cause no request for the keys when they are malformed', async () => {
      await outcome(unsignedToken(claims(), 'none'));
      await outcome(await tokenSignedWithText(claims(), key().publicPem, key().kid));
      expect(requests()).toBe(0);
    });

    it('are accepted while the keys cannot be read, if they are cached', async () => {
      expect(await outcome(await sign())).toBe(ANN.id);
      opened.standIn.trouble = 'cuts the connection';
      expect(await outcome(await sign())).toBe(ANN.id);
    });

    it('cannot be verified when the published keys are invalid', async () => {
      for (const publicJwk of [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }, { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }, {}]) {
        const other = await open(clock);
        const [signer] = other.signer.keys;
        const { kid = '', alg = '' } = signer ?? {};
        other.signer.keys = [{ ...(signer as IssuerKey), publicJwk: { ...publicJwk, kid, alg } as never }];
        const token = await signIdToken(claims({ iss: other.signer.issuer }), { key: signer as IssuerKey });
        const asked = other.network.identify({ token, nonce: null });
        await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^social\.(?:unavailable|refused)$/) });
        await other.close();
      }
    });
  });
}
