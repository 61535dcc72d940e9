import { createHmac } from 'node:crypto';
import { type Clock, type OAuthPerson, oneLine, type SettingGroup, setting } from '@baobab/core';
import { type Claims, claimsIn, idText, isClaims, personText, refused, requireTokenShape, webUrl } from './claims.ts';
import { type Answer, createOAuthClient, type Get, type OAuthClientOptions, unavailable } from './client.ts';
import { clientIdsIn, networkWith, type OAuthApp, type OAuthVerifier } from './verifier.ts';

/** Base URL of `debug_token` and `me`. */
export const FACEBOOK_URL = 'https://graph.facebook.com';
const FIELDS = 'id,name,email,link,picture.type(large)';
/**
 * Errors that do not concern the token: the server is down, too many calls, or the app is unknown
 * (https://developers.facebook.com/docs/graph-api/guides/error-handling).
 */
const NOT_THE_TOKEN = new Set([1, 2, 4, 17, 32, 101, 341, 613]);

/** Facebook's expiry time of tokens that do not expire. */
const NEVER = 0;

export interface FacebookOptions extends OAuthClientOptions {
  readonly clock: Clock;
  /** Without a trailing slash; Facebook's by default. */
  readonly url?: string;
}

/** Passes the response on. @throws `social.unavailable` for an error that does not concern the token */
function checkedAnswer(answer: Answer): Answer {
  const error = isClaims(answer.json) ? answer.json.error : undefined;
  if (answer.status !== 200 && isClaims(error)) {
    const isUnrelated = error.is_transient === true || NOT_THE_TOKEN.has(Number(error.code));
    if (isUnrelated) throw unavailable(`error ${Number(error.code)}`);
  }
  return answer;
}

/** Returns the reason to refuse the token with this description, or null to accept it. */
function refusalReasonOf(data: Claims, appId: string, now: number): string | null {
  if (data.is_valid !== true) return 'it is not valid';
  if (idText(data.app_id) !== appId) return 'it was issued to another app';
  if (data.type !== undefined && data.type !== 'USER') return 'it is not the token of a person';
  const expires = Number(data.expires_at ?? NEVER);
  return expires === NEVER || expires * 1000 > now ? null : 'it has expired';
}

/** Verifies access tokens through Facebook. */
export function createFacebookVerifier({ clock, url = FACEBOOK_URL, ...options }: FacebookOptions): OAuthVerifier {
  const client = createOAuthClient(options);

  /** Resolves to the id of the token's owner. */
  async function inspect(get: Get, appId: string, secret: string, token: string): Promise<string> {
    const query = new URLSearchParams({ input_token: token, access_token: `${appId}|${secret}` });
    const { data } = claimsIn(checkedAnswer(await get(`${url}/debug_token?${query}`)));
    if (!isClaims(data) || typeof data.is_valid !== 'boolean') throw unavailable('the token is not described');
    const fault = refusalReasonOf(data, appId, clock.now());
    if (fault !== null) throw refused(fault);
    const id = idText(data.user_id);
    if (id === null) throw unavailable('the person has no id');
    return id;
  }

  async function profile(get: Get, secret: string, token: string): Promise<Claims> {
    const proof = secret === '' ? {} : { appsecret_proof: createHmac('sha256', secret).update(token).digest('hex') };
    const query = new URLSearchParams({ fields: FIELDS, access_token: token, ...proof });
    return claimsIn(checkedAnswer(await get(`${url}/me?${query}`)));
  }

  async function byAccessToken(get: Get, { clientIds, secret }: OAuthApp, token: string): Promise<OAuthPerson> {
    const [appId = ''] = clientIds;
    const id = await inspect(get, appId, secret, token);
    const { id: shownId, name, email, link, picture } = await profile(get, secret, token);
    if (idText(shownId) !== id) throw unavailable('two persons for one token');
    const image = isClaims(picture) && isClaims(picture.data) ? picture.data.url : null;
    return { id, name: personText(name), email: personText(email), avatarUrl: webUrl(image), pageUrl: webUrl(link) };
  }

  return {
    identify: (app, { token, nonce }) =>
      client.within(async (get) => {
        requireTokenShape(token);
        if (nonce !== null) throw refused('an access token has no nonce');
        return byAccessToken(get, app, token);
      }),
    close: client.close,
  };
}

const SETTINGS = {
  section: 'Social',
  settings: {
    'social.facebook.enabled': setting.protected.boolean(false, 'People can log in with Facebook'),
    'social.facebook.token': setting.protected.string(
      '',
      'The app id at Facebook. Tokens issued to other apps are refused',
      oneLine,
    ),
    'social.facebook.secret': setting.protected.secret('The app secret at Facebook'),
  },
} as const satisfies SettingGroup;

/** Creates the Facebook network with its settings. */
export const facebookNetwork = (verifier: OAuthVerifier) =>
  networkWith({
    settings: SETTINGS,
    isEnabled: (values) => values['social.facebook.enabled'],
    appIn: (values) => ({
      clientIds: clientIdsIn(values['social.facebook.token'], 'social.facebook.token'),
      secret: values['social.facebook.secret'],
      issuer: '',
    }),
    verifier,
  });
