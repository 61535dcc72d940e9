import { type Clock, type OAuthPerson, oneLine, type SettingGroup, setting } from '@baobab/core';
import { claimsIn, idText, personIn, refused, requireTokenShape } from './claims.ts';
import { createOAuthClient, type Get, type OAuthClientOptions, unavailable } from './client.ts';
import { createKeys, isIdToken, readIdToken } from './id-token.ts';
import { clientIdsIn, networkWith, type OAuthApp, type OAuthVerifier } from './verifier.ts';

/** Base URL of `tokeninfo`, `userinfo` and `certs`. */
export const GOOGLE_URL = 'https://www.googleapis.com/oauth2/v3';
/** Both occur in id_tokens: https://developers.google.com/identity/gsi/web/guides/verify-google-id-token */
const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];

export interface GoogleOptions extends OAuthClientOptions {
  readonly clock: Clock;
  /** Without a trailing slash; Google's by default. */
  readonly url?: string;
}

/** Verifies access tokens through Google, and id_tokens by their signature. */
export function createGoogleVerifier({ clock, url = GOOGLE_URL, ...options }: GoogleOptions): OAuthVerifier {
  const client = createOAuthClient(options);
  const keys = createKeys(client, `${url}/certs`);

  async function byAccessToken(get: Get, app: OAuthApp, token: string): Promise<OAuthPerson> {
    const query = new URLSearchParams({ access_token: token });
    const info = claimsIn(await get(`${url}/tokeninfo?${query}`));
    if (typeof info.aud !== 'string') throw unavailable('the token has no audience');
    if (!app.clientIds.includes(info.aud)) throw refused('it was issued to another app');
    if (info.exp !== undefined && !(Number(info.exp) * 1000 > clock.now())) throw refused('it has expired');
    const person = personIn(claimsIn(await get(`${url}/userinfo`, { authorization: `Bearer ${token}` })));
    if (info.sub !== undefined && idText(info.sub) !== person.id) throw unavailable('two persons for one token');
    return person;
  }

  return {
    identify: (app, { token, nonce }) =>
      client.within(async (get) => {
        requireTokenShape(token);
        if (isIdToken(token)) {
          // Apps of one project may obtain tokens for each other, as Google allows, so the authorized party is not
          // checked.
          const rules = { issuers: ISSUERS, clientIds: app.clientIds, nonce, checksParty: false, now: clock.now() };
          return personIn(await readIdToken(token, keys, rules));
        }
        if (nonce !== null) throw refused('an access token has no nonce');
        return byAccessToken(get, app, token);
      }),
    close: client.close,
  };
}

const SETTINGS = {
  section: 'Social',
  settings: {
    'social.google.enabled': setting.protected.boolean(false, 'People can log in with Google'),
    'social.google.token': setting.protected.string(
      '',
      'The client ids at Google, separated by spaces. Tokens issued to other clients are refused',
      oneLine,
    ),
    'social.google.secret': setting.protected.secret('The client secret at Google; currently unused'),
  },
} as const satisfies SettingGroup;

/** Creates the Google network with its settings. */
export const googleNetwork = (verifier: OAuthVerifier) =>
  networkWith({
    settings: SETTINGS,
    isEnabled: (values) => values['social.google.enabled'],
    appIn: (values) => ({
      clientIds: clientIdsIn(values['social.google.token'], 'social.google.token'),
      secret: values['social.google.secret'],
      issuer: '',
    }),
    verifier,
  });
