import { type Check, type Clock, oneLine, type SettingGroup, setting } from '@baobab/core';
import { createGuard, type GuardOptions, hostOf } from '../outbound/index.ts';
import { isClaims, personIn, refused, requireTokenShape } from './claims.ts';
import { createOAuthClient, type OAuthClientOptions, unavailable } from './client.ts';
import { createKeys, isIdToken, type Keys, readIdToken } from './id-token.ts';
import { clientIdsIn, missing, networkWith, type OAuthVerifier } from './verifier.ts';

export interface OpenIdOptions extends OAuthClientOptions, Partial<Omit<GuardOptions, 'variable' | 'proxies'>> {
  readonly clock: Clock;
}

/** A discovered provider. */
interface Provider {
  /** Issuer as the provider's tokens name it. */
  readonly issuer: string;
  readonly keys: Keys;
}

/** Cache lifetime of a discovery document, in milliseconds. */
const DISCOVERY_LIFETIME_MS = 3_600_000;

/** True if keys may be fetched from this URL: over a network only with TLS. */
function isSafe(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}

const trimmed = (url: string) => url.replace(/\/+$/, '');

/**
 * Supports any OpenID provider with a discovery document (OpenID Connect Discovery 1.0), and verifies id_tokens by
 * their signature.
 */
export function createOpenIdVerifier({ clock, ...options }: OpenIdOptions): OAuthVerifier {
  const guard = createGuard({ allowsPrivate: false, ...options, variable: 'OUTBOUND_PRIVATE' });
  const client = createOAuthClient(options, guard);
  let known: { readonly of: string; readonly since: number; readonly provider: Promise<Provider> } | null = null;

  async function discover(issuer: string): Promise<Provider> {
    const { status, json } = await client.getForAll(`${trimmed(issuer)}/.well-known/openid-configuration`);
    if (status !== 200 || !isClaims(json)) throw unavailable(`discovery: status ${status}`);
    const { issuer: named, jwks_uri: keysAt } = json;
    if (typeof named !== 'string' || trimmed(named) !== trimmed(issuer)) throw unavailable('discovery: another issuer');
    if (!isSafe(keysAt)) throw unavailable('discovery: jwks_uri is not an https URL');
    return { issuer: named, keys: createKeys(client, keysAt) };
  }

  /** Returns the provider. Callers share one request; a failure is not cached. */
  function providerOf(issuer: string): Promise<Provider> {
    const now = clock.now();
    if (known !== null && known.of === issuer && now - known.since < DISCOVERY_LIFETIME_MS) return known.provider;
    const provider = discover(issuer);
    const entry = { of: issuer, since: now, provider };
    known = entry;
    provider.catch(() => {
      if (known === entry) known = null;
    });
    return provider;
  }

  return {
    identify: (app, { token, nonce }) =>
      client.within(async () => {
        if (!isSafe(app.issuer)) throw unavailable('the issuer is not an https URL');
        const { issuer, keys } = await providerOf(app.issuer);
        // The token comes last, so that a check of the settings with any token reaches the provider.
        requireTokenShape(token);
        if (!isIdToken(token)) throw refused('an id_token is expected');
        const rules = { issuers: [issuer], clientIds: app.clientIds, nonce, checksParty: true, now: clock.now() };
        return personIn(await readIdToken(token, keys, rules));
      }),
    close: client.close,
  };
}

// Keys are fetched from this URL, so it may omit TLS only on this machine.
const ISSUER: Check<string> = [
  (value) =>
    value === '' ||
    /^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:\/[^\s?#]*)?$/.test(value),
  'an https URL without query',
];

const SETTINGS = {
  section: 'Social',
  settings: {
    'social.openid.enabled': setting.protected.boolean(false, 'People can log in with the OpenID provider'),
    'social.openid.issuer': {
      ...setting.protected.string('', 'The issuer in tokens of the OpenID provider', ISSUER),
      hostIn: (issuer: string) => (URL.canParse(issuer) ? hostOf(new URL(issuer)) : ''),
    },
    'social.openid.token': setting.protected.string(
      '',
      'The client ids at the OpenID provider, separated by spaces. Tokens issued to other clients are refused',
      oneLine,
    ),
  },
} as const satisfies SettingGroup;

/** Creates an OpenID network with its settings. */
export const openIdNetwork = (verifier: OAuthVerifier) =>
  networkWith({
    settings: SETTINGS,
    isEnabled: (values) => values['social.openid.enabled'],
    appIn: (values) => {
      const clientIds = clientIdsIn(values['social.openid.token'], 'social.openid.token');
      const issuer = values['social.openid.issuer'];
      if (issuer === '') throw missing('social.openid.issuer');
      return { clientIds, secret: '', issuer };
    },
    verifier,
  });
