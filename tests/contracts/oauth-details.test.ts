import { createHmac } from 'node:crypto';
import {
  createFacebookVerifier,
  createGoogleVerifier,
  createOpenIdVerifier,
  type OAuthApp,
  type OAuthVerifier,
} from '@baobab/adapters/oauth';
import { ANN, type StandIn, type StandInAnswer, startStandIn } from '@baobab/contracts/oauth';
import { afterEach, describe, expect, it } from 'vitest';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { startFacebook, startGoogle, startOpenIdProvider } from '../support/oauth/networks.ts';

const clock = createHandDrivenClock(Date.now());
const opened: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function keep<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

/** The id of the person that a token proves, or the reason for its rejection. */
const outcome = (network: OAuthVerifier, app: OAuthApp, token = 'token') =>
  network.identify(app, { token, nonce: null }).then(
    ({ id }) => id,
    ({ code }: { code: string }) => code,
  );

type Answers = Readonly<Record<string, StandInAnswer>>;

/** A network that gives everybody the same answer. */
async function constant(answers: Answers): Promise<StandIn> {
  const routes = Object.entries(answers).map(([path, answer]) => [path, () => answer]);
  return keep(await startStandIn(Object.fromEntries(routes)));
}

describe('Google', () => {
  const app = { clientIds: ['web.example'], secret: '', issuer: '' };

  async function answering(info: object, person: object): Promise<string> {
    const { url } = await constant({ '/tokeninfo': { json: info }, '/userinfo': { json: person } });
    return outcome(keep(createGoogleVerifier({ clock, url })), app);
  }

  it('receives the token once in a query and once in a header', async () => {
    const google = await startGoogle(clock);
    keep(google.standIn);
    const network = keep(createGoogleVerifier({ clock, url: google.standIn.url }));
    const token = await google.issue('access token', { person: ANN, clientId: 'web.example' });
    expect(await outcome(network, app, token)).toBe(ANN.id);
    const [info, user, ...more] = google.standIn.requests;
    expect(more).toEqual([]);
    expect([info?.path, info?.query.get('access_token')]).toEqual(['/tokeninfo', token]);
    expect([user?.path, [...(user?.query ?? [])], user?.headers.authorization]).toEqual([
      '/userinfo',
      [],
      `Bearer ${token}`,
    ]);
  });

  it.each<readonly [string, object, object, string]>([
    ['no scope for the person’s id', { aud: 'web.example' }, { sub: '7' }, '7'],
    ['two people', { aud: 'web.example', sub: '7' }, { sub: '8' }, 'social.unavailable'],
    ['no person', { aud: 'web.example', sub: '7' }, {}, 'social.unavailable'],
    ['an id that is an array', { aud: 'web.example' }, { sub: ['7'] }, 'social.unavailable'],
    ['several audiences', { aud: ['web.example'], sub: '7' }, { sub: '7' }, 'social.unavailable'],
    ['an app that only another field names', { azp: 'web.example', sub: '7' }, { sub: '7' }, 'social.unavailable'],
    ['a time in the past', { aud: 'web.example', exp: '1' }, { sub: '7' }, 'social.refused'],
    ['an invalid time', { aud: 'web.example', exp: 'soon' }, { sub: '7' }, 'social.refused'],
  ])('answers with %s', async (_what, info, person, expected) => {
    expect(await answering(info, person)).toBe(expected);
  });

  it('does not report addresses that it has not verified', async () => {
    const { url } = await constant({
      '/tokeninfo': { json: { aud: 'web.example' } },
      '/userinfo': { json: { sub: '7', email: 'ann@example.com', email_verified: false } },
    });
    const network = keep(createGoogleVerifier({ clock, url }));
    expect((await network.identify(app, { token: 'token', nonce: null })).email).toBeNull();
  });
});

describe('Facebook', () => {
  const app = { clientIds: ['123'], secret: 'app secret', issuer: '' };
  const good = { app_id: '123', type: 'USER', is_valid: true, expires_at: 0, user_id: '7' };

  async function answering(answers: Answers): Promise<string> {
    const { url } = await constant({ '/me': { json: { id: '7' } }, ...answers });
    return outcome(keep(createFacebookVerifier({ clock, url })), app);
  }

  it('receives the app secret only to inspect a token, and a proof of it elsewhere', async () => {
    const facebook = await startFacebook(clock, { id: '123', secret: 'app secret' });
    keep(facebook.standIn);
    const network = keep(createFacebookVerifier({ clock, url: facebook.standIn.url }));
    const token = await facebook.issue('access token', { person: ANN, clientId: '123' });
    expect(await outcome(network, app, token)).toBe(ANN.id);
    const [first, second, ...more] = facebook.standIn.requests;
    expect(more).toEqual([]);
    expect(Object.fromEntries(first?.query ?? [])).toEqual({ input_token: token, access_token: '123|app secret' });
    const proof = createHmac('sha256', 'app secret').update(token).digest('hex');
    expect(second?.query.get('appsecret_proof')).toBe(proof);
    expect([...(second?.query.values() ?? [])].join()).not.toContain('app secret');
  });

  it.each<readonly [string, object, string]>([
    ['ids that are numbers', { app_id: 123, user_id: 7 }, '7'],
    ['an expiry in the future', { expires_at: Math.floor(clock.now() / 1000) + 60 }, '7'],
    ['an expiry in the past', { expires_at: Math.floor(clock.now() / 1000) - 60 }, 'social.refused'],
    ['an invalid expiry', { expires_at: 'soon' }, 'social.refused'],
    ['another app', { app_id: '1234' }, 'social.refused'],
    ['no app', { app_id: undefined }, 'social.refused'],
    ['a token of a page', { type: 'PAGE' }, 'social.refused'],
    ['a token of an app', { type: 'APP' }, 'social.refused'],
    ['an invalid token', { is_valid: false }, 'social.refused'],
    ['a validity that is a string', { is_valid: 'true' }, 'social.unavailable'],
    ['no person', { user_id: undefined }, 'social.unavailable'],
    ['another person', { user_id: '8' }, 'social.unavailable'],
  ])('describes %s', async (_what, change, expected) => {
    expect(await answering({ '/debug_token': { json: { data: { ...good, ...change } } } })).toBe(expected);
  });

  it.each<readonly [string, number, object, string]>([
    ['that it does not know the app', 400, { code: 101 }, 'social.unavailable'],
    ['that there are too many calls', 403, { code: 4 }, 'social.unavailable'],
    ['that it is out of order', 400, { code: 2 }, 'social.unavailable'],
    ['that the error is temporary', 400, { code: 190, is_transient: true }, 'social.unavailable'],
    ['that the token is invalid', 400, { code: 190 }, 'social.refused'],
    ['that the token belongs to another app', 400, { code: 100 }, 'social.refused'],
    ['no reason', 401, {}, 'social.refused'],
  ])('says %s', async (_what, status, error, expected) => {
    const failing = { status, json: { error } };
    expect(await answering({ '/debug_token': failing })).toBe(expected);
    expect(await answering({ '/debug_token': { json: { data: good } }, '/me': failing })).toBe(expected);
  });
});

describe('an OpenID provider', () => {
  const clientIds = ['app'];

  it('is discovered once, and again after an hour', async () => {
    const provider = await startOpenIdProvider(clock);
    keep(provider.standIn);
    const network = keep(createOpenIdVerifier({ clock, allowsPrivate: true }));
    const app = { clientIds, secret: '', issuer: provider.issuer };
    const ask = async () => outcome(network, app, await provider.issue('id_token', { person: ANN, clientId: 'app' }));
    const discoveries = () => provider.standIn.requests.filter(({ path }) => path.startsWith('/.well-known/')).length;
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array.from({ length: 20 }, () => ANN.id));
    expect(discoveries()).toBe(1);
    clock.advance(59 * MINUTE);
    await ask();
    expect(discoveries()).toBe(1);
    clock.advance(2 * MINUTE);
    expect(await ask()).toBe(ANN.id);
    expect(discoveries()).toBe(2);
  });

  it('may be configured with a trailing slash, and may change at any time', async () => {
    const [first, second] = [await startOpenIdProvider(clock), await startOpenIdProvider(clock)];
    for (const { standIn } of [first, second]) keep(standIn);
    const network = keep(createOpenIdVerifier({ clock, allowsPrivate: true }));
    const of = { first: await first.issue('', { person: { id: '1' }, clientId: 'app' }), second: '' };
    of.second = await second.issue('', { person: { id: '2' }, clientId: 'app' });
    const at = (issuer: string) => ({ clientIds, secret: '', issuer });
    expect(await outcome(network, at(`${first.issuer}/`), of.first)).toBe('1');
    expect(await outcome(network, at(first.issuer), of.second)).toBe('social.refused');
    expect(await outcome(network, at(second.issuer), of.second)).toBe('2');
    expect(await outcome(network, at(second.issuer), of.first)).toBe('social.refused');
  });

  it.each([
    'http://example.com',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'ftp://localhost',
    'x',
  ])('is called only over TLS or on this machine: %s', async (issuer) => {
    const provider = await startOpenIdProvider(clock);
    keep(provider.standIn);
    const token = await provider.issue('', { person: ANN, clientId: 'app' });
    const network = keep(createOpenIdVerifier({ clock, allowsPrivate: true }));
    expect(await outcome(network, { clientIds, secret: '', issuer }, token)).toBe('social.unavailable');
  });

  it('is asked for its keys only there, too', async () => {
    // An address that leads to this machine, but is not one of those that may be called without TLS.
    const elsewhere = (url: string) => url.replace('127.0.0.1', '0.0.0.0');
    const provider: StandIn = keep(
      await startStandIn({
        '/.well-known/openid-configuration': () => ({
          json: { issuer: provider.url, jwks_uri: `${elsewhere(provider.url)}/keys` },
        }),
        '/keys': () => ({ json: { keys: [] } }),
      }),
    );
    const signer = await startOpenIdProvider(clock);
    keep(signer.standIn);
    const token = await signer.issue('', { person: ANN, clientId: 'app' });
    const network = keep(createOpenIdVerifier({ clock, allowsPrivate: true }));
    for (const issuer of [provider.url, elsewhere(provider.url)]) {
      expect(await outcome(network, { clientIds, secret: '', issuer }, token)).toBe('social.unavailable');
    }
    expect(provider.requests.map(({ path }) => path)).toEqual(['/.well-known/openid-configuration']);
  });

  it('is not trusted when it names another issuer than itself', async () => {
    const victim = await startOpenIdProvider(clock);
    keep(victim.standIn);
    const impostor = await constant({
      '/.well-known/openid-configuration': { json: { issuer: victim.issuer, jwks_uri: `${victim.issuer}/keys` } },
    });
    const token = await victim.issue('', { person: ANN, clientId: 'app' });
    const network = keep(createOpenIdVerifier({ clock, allowsPrivate: true }));
    expect(await outcome(network, { clientIds, secret: '', issuer: impostor.url }, token)).toBe('social.unavailable');
  });
});
