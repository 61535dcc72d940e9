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

/** What every adapter does, besides, that believes id_tokens (OpenID Connect Core 1.0) by their signatures. */
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

    it('are good for each client id of the app', async () => {
      for (const aud of [APP, OTHER_CLIENT, [OTHER_CLIENT]]) {
        expect(await outcome(await sign({ aud }))).toBe(ANN.id);
      }
    });

    it('are good when signed with RS256 or ES256', async () => {
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
      ['an issuer that only begins like it', ({ iss }) => ({ iss: `${iss}.evil.example` })],
      ['an issuer with a slash more', ({ iss }) => ({ iss: `${iss}/` })],
      ['no issuer', () => ({ iss: undefined })],
      ['another audience', () => ({ aud: 'another-app' })],
      ['no audience', () => ({ aud: undefined })],
      ['an empty list of audiences', () => ({ aud: [] })],
      ['no expiry', () => ({ exp: undefined })],
      ['an expiry long ago', () => ({ exp: 1 })],
      ['an expiry that is a text', ({ exp }) => ({ exp: String(exp) })],
      ['a beginning that is to come', ({ exp }) => ({ nbf: exp })],
      ['no time of issue', () => ({ iat: undefined })],
      ['no person', () => ({ sub: undefined })],
      ['several audiences and no party', () => ({ aud: [APP, 'another-app'] })],
      ['a nonce that nobody sent', () => ({ nonce: 'x' })],
      ['a nonce that is a number', () => ({ nonce: 1 })],
    ])('are refused with %s', async (_what, change) => {
      expect(await outcome(await sign(change(claims())))).toBe('social.refused');
    });

    it.each([
      ['several audiences, given to us', { aud: ['another-app', APP], azp: APP }, true],
      ['given to one of our other clients', { azp: OTHER_CLIENT }, true],
      ['given to another party', { azp: 'another-app' }, !checksParty],
      ['several audiences, given to another', { aud: [APP, 'b'], azp: 'b' }, !checksParty],
    ])('name the party they were given to: %s', async (_what, change, isGood) => {
      expect(await outcome(await sign(change))).toBe(isGood ? ANN.id : 'social.refused');
    });

    it('without a usable id of the person are not good for anything', async () => {
      for (const sub of ['', ' ', 'a b', 'x'.repeat(256), 'ä']) {
        expect(await outcome(await sign({ sub }))).toBe('social.unavailable');
      }
    });

    it.each(['none', 'None', 'NONE', 'HS256', ''])('that nobody signed are refused, with alg %j', async (alg) => {
      expect(await outcome(unsignedToken(claims(), alg))).toBe('social.refused');
      expect(await outcome(`${unsignedToken(claims(), alg)}AAAA`)).toBe('social.refused');
    });

    it('with a MAC made of the public key are refused', async () => {
      const { publicPem, publicJwk, kid } = key();
      for (const text of [publicPem, publicPem.trim(), JSON.stringify(publicJwk), publicJwk.n ?? publicJwk.x ?? '']) {
        expect(await outcome(await tokenSignedWithText(claims(), text, kid))).toBe('social.refused');
      }
    });

    it('signed with another key are refused, whatever they say of it', async () => {
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

    it('whose claims were changed are refused', async () => {
      const good = await sign();
      for (const change of [{ sub: 'somebody else' }, { aud: OTHER_CLIENT }, { exp: seconds() + 100_000 }]) {
        expect(await outcome(withClaims(good, change))).toBe('social.refused');
      }
      expect(await outcome(good.slice(0, -4))).toBe('social.refused');
    });

    it.each(['at+jwt', 'application/at+jwt', 'logout+jwt', 'secevent+jwt', 1])(
      'are told from other tokens of the issuer: type %j',
      async (typ) => {
        expect(await outcome(await sign({}, { typ }))).toBe('social.refused');
      },
    );

    it('without a type, or with one in small letters, are good', async () => {
      for (const typ of [undefined, 'jwt']) expect(await outcome(await sign({}, { typ }))).toBe(ANN.id);
    });

    it('allow clocks to differ by some seconds', async () => {
      expect(await outcome(await sign({ exp: seconds() - 10 }))).toBe(ANN.id);
      expect(await outcome(await sign({ exp: seconds() - 60 }))).toBe('social.refused');
    });

    it.each([[false], ['false']])(
      'with an address that nobody verified (%j) do not tell it',
      async (email_verified) => {
        expect((await ask(await sign({ email_verified }))).email).toBeNull();
      },
    );

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
    ] as const)('leave out what nobody could use: %s %j', async (claim, value, field) => {
      expect(await ask(await sign({ [claim]: value }))).toEqual({ ...ANN, [field]: null });
    });

    it('make us read the keys once, however many come at once', async () => {
      const tokens = await Promise.all(Array.from({ length: 50 }, () => sign()));
      expect(await Promise.all(tokens.map(outcome))).toEqual(tokens.map(() => ANN.id));
      expect(requests()).toBe(1);
    });

    it('with unknown keys do not make us read the keys over and over', async () => {
      expect(await outcome(await sign())).toBe(ANN.id);
      const other = await createIssuerKey(key().alg);
      const tokens = await Promise.all(
        Array.from({ length: 50 }, (_, i) => signIdToken(claims(), { key: other, header: { kid: `unknown-${i}` } })),
      );
      expect(await Promise.all(tokens.map(outcome))).toEqual(tokens.map(() => 'social.refused'));
      expect(requests()).toBe(1);
    });

    it('that are refused for their form make us read no keys at all', async () => {
      await outcome(unsignedToken(claims(), 'none'));
      await outcome(await tokenSignedWithText(claims(), key().publicPem, key().kid));
      expect(requests()).toBe(0);
    });

    it('are good while the keys cannot be read, if the keys are known', async () => {
      expect(await outcome(await sign())).toBe(ANN.id);
      opened.standIn.trouble = 'cuts the connection';
      expect(await outcome(await sign())).toBe(ANN.id);
    });

    it('are good for nothing when the keys are none', async () => {
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
