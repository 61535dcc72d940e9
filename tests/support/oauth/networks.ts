import {
  type Claims,
  createIssuerKey,
  type IdTokenSigner,
  type IssuedToken,
  type IssuerKey,
  type StandIn,
  type StandInAnswer,
  type StandInRequest,
  signIdToken,
  startStandIn,
} from '@baobab/contracts/oauth';
import type { Clock } from '@baobab/core';

/** A network that issues tokens, for the contract and the scenarios. */
interface TestIssuer {
  readonly standIn: StandIn;
  /** Issues a token of this kind. */
  issue(kind: string, token: IssuedToken): Promise<string>;
}

/** A network that signs id_tokens. */
export interface TestSigner extends TestIssuer, IdTokenSigner {}

const HOUR_S = 3600;
const REFUSED: StandInAnswer = { status: 400, json: { error: 'invalid_token', error_description: 'Invalid Value' } };

/** Keys shared by all mock networks: generating them is slow, and an adapter never sees those of another network. */
let made: Promise<Readonly<Record<'first' | 'second' | 'elliptic', IssuerKey>>> | null = null;

async function makeKeys() {
  const [first, second, elliptic] = await Promise.all([
    createIssuerKey('RS256'),
    createIssuerKey('RS256'),
    createIssuerKey('ES256'),
  ]);
  return { first, second, elliptic };
}

const issuerKeys = () => {
  made ??= makeKeys();
  return made;
};

let count = 0;
const newToken = (prefix: string) => `${prefix}.a0Af_${++count}-${Math.random().toString(36).slice(2)}`;

/** Returns only the known fields. */
const standardClaims = ({ person }: IssuedToken) => ({
  sub: person.id,
  ...(person.email ? { email: person.email, email_verified: true } : {}),
  ...(person.name ? { name: person.name } : {}),
  ...(person.avatarUrl ? { picture: person.avatarUrl } : {}),
  ...(person.pageUrl ? { profile: person.pageUrl } : {}),
});

function createClaims(issuer: string, clock: Clock) {
  return (token: IssuedToken): Claims => {
    const now = Math.floor(clock.now() / 1000);
    const exp = token.expires === undefined ? now + HOUR_S : Math.floor(token.expires / 1000);
    const { nonce, clientId: aud } = token;
    return {
      iss: issuer,
      aud,
      iat: exp - HOUR_S,
      exp,
      ...standardClaims(token),
      ...(nonce === undefined ? {} : { nonce }),
    };
  };
}

export async function startGoogle(clock: Clock): Promise<TestSigner> {
  const issued = new Map<string, IssuedToken>();
  const isGood = (token: IssuedToken | undefined): token is IssuedToken =>
    token !== undefined && (token.expires ?? Number.POSITIVE_INFINITY) > clock.now();
  const bearer = ({ headers }: StandInRequest) => headers.authorization?.replace(/^Bearer /, '') ?? '';
  const standIn = await startStandIn({
    '/tokeninfo': ({ query }) => {
      const token = issued.get(query.get('access_token') ?? '');
      if (!isGood(token)) return REFUSED;
      const exp = String(Math.floor((token.expires ?? clock.now() + HOUR_S * 1000) / 1000));
      return { json: { aud: token.clientId, azp: token.clientId, sub: token.person.id, exp, scope: 'openid email' } };
    },
    '/userinfo': (request) => {
      const token = issued.get(bearer(request));
      return isGood(token) ? { json: standardClaims(token) } : { ...REFUSED, status: 401 };
    },
    '/certs': () => ({ json: { keys: signer.keys.map(({ publicJwk }) => publicJwk) } }),
  });
  const issuer = 'https://accounts.google.com';
  const { first, second } = await issuerKeys();
  const signer: TestSigner = {
    standIn,
    issuer,
    keys: [first, second],
    claims: createClaims(issuer, clock),
    async issue(kind, token) {
      if (kind === 'id_token') return signIdToken(signer.claims(token), { key: signer.keys[0] as IssuerKey });
      const text = newToken('ya29');
      issued.set(text, token);
      return text;
    },
  };
  return signer;
}

export interface TestFacebook extends TestIssuer {
  /** Additional fields in the response of `debug_token`. */
  described: Readonly<Record<string, unknown>>;
}

const OAUTH_ERROR = { message: 'Invalid OAuth access token.', type: 'OAuthException' };

export async function startFacebook(clock: Clock, app: { id: string; secret: string }): Promise<TestFacebook> {
  const issued = new Map<string, IssuedToken>();
  const standIn = await startStandIn({
    '/debug_token': ({ query }) => {
      if (query.get('access_token') !== `${app.id}|${app.secret}`) {
        return { status: 400, json: { error: { ...OAUTH_ERROR, code: 101 } } };
      }
      const token = issued.get(query.get('input_token') ?? '');
      if (token === undefined) {
        return { json: { data: { is_valid: false, scopes: [], error: { ...OAUTH_ERROR, code: 190 } } } };
      }
      const isGood = (token.expires ?? Number.POSITIVE_INFINITY) > clock.now();
      const expires_at = token.expires === undefined ? 0 : Math.floor(token.expires / 1000);
      const { clientId: app_id, person } = token;
      const data = { app_id, type: 'USER', is_valid: isGood, expires_at, user_id: person.id, scopes: ['email'] };
      return { json: { data: { ...data, ...facebook.described } } };
    },
    '/me': ({ query }) => {
      const token = issued.get(query.get('access_token') ?? '');
      if (token === undefined || query.get('appsecret_proof') === null) {
        return { status: 400, json: { error: { ...OAUTH_ERROR, code: 190 } } };
      }
      const { id, name, email, avatarUrl, pageUrl } = token.person;
      const shown = { id, name: name ?? undefined, email: email ?? undefined, link: pageUrl ?? undefined };
      return { json: avatarUrl ? { ...shown, picture: { data: { url: avatarUrl } } } : shown };
    },
  });
  const facebook: TestFacebook = {
    standIn,
    described: {},
    async issue(_kind, token) {
      const text = newToken('EAAG');
      issued.set(text, token);
      return text;
    },
  };
  return facebook;
}

export async function startOpenIdProvider(clock: Clock): Promise<TestSigner> {
  const standIn = await startStandIn({
    '/.well-known/openid-configuration': () => ({ json: { issuer: signer.issuer, jwks_uri: `${signer.issuer}/keys` } }),
    '/keys': () => ({ json: { keys: signer.keys.map(({ publicJwk }) => publicJwk) } }),
  });
  const { elliptic, first } = await issuerKeys();
  const signer: TestSigner = {
    standIn,
    issuer: standIn.url,
    keys: [elliptic, first],
    claims: createClaims(standIn.url, clock),
    issue: (_kind, token) => signIdToken(signer.claims(token), { key: signer.keys[0] as IssuerKey }),
  };
  return signer;
}
