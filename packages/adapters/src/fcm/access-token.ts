import type { Clock } from '@baobab/core';
import { CredentialsRefused, members, OR_CLOCK } from '../push-outcomes.ts';
import type { Poster } from './poster.ts';
import type { FcmConfig } from './settings.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** Audience of the signed request. A proxy forwards it to Google, so it is Google's name in either case. */
const AUDIENCE = 'https://oauth2.googleapis.com/token';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_LIFE_S = 3_600;
/**
 * Remaining lifetime below which a token is no longer used, because clocks differ and requests take time. Milliseconds.
 */
const MARGIN_MS = 120_000;
const DEFAULT_LIFE_S = 3_600;
/** Maximum age of a token that counts as new, in milliseconds. */
const NEW_MS = 60_000;

export interface ServiceAccount {
  readonly project: string;
  readonly email: string;
  readonly privateKey: string;
}

/** Parses the key file of a service account. @throws `CredentialsRefused` */
export function readServiceAccount({ project, serviceAccount }: FcmConfig): ServiceAccount {
  const { client_email: email, private_key: privateKey, project_id: own } = members(serviceAccount);
  if (typeof email !== 'string' || typeof privateKey !== 'string') {
    throw new CredentialsRefused('push.android.service_account is not the key file of a service account');
  }
  const name = project === '' ? own : project;
  if (typeof name !== 'string' || name === '') throw new CredentialsRefused('push.android.project is not set');
  return { project: name, email, privateKey };
}

async function signedRequest({ email, privateKey }: ServiceAccount, now: number): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose'); // lazy, for a fast start
  const issued = Math.floor(now / 1_000);
  try {
    const key = await importPKCS8(privateKey, 'RS256');
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(email)
      .setAudience(AUDIENCE)
      .setIssuedAt(issued)
      .setExpirationTime(issued + ASSERTION_LIFE_S)
      .sign(key);
  } catch (cause) {
    throw new CredentialsRefused('the private key in push.android.service_account cannot be used', { cause });
  }
}

export interface AccessToken {
  readonly text: string;
  /** Start of validity in milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

export interface AccessTokenDeps {
  readonly post: Poster;
  readonly url: string;
  readonly clock: Clock;
  /** Timeout in milliseconds. */
  readonly timeLimit: number;
}

/**
 * Creates access tokens of a service account through a signed request (RFC 7523):
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest. A token is cached until it expires;
 * concurrent callers share one request.
 */
export function createAccessTokens({ post, url, clock, timeLimit }: AccessTokenDeps) {
  let held: { readonly of: string; readonly token: Promise<AccessToken> } | null = null;

  async function fetchToken(account: ServiceAccount): Promise<AccessToken> {
    const since = clock.now();
    const assertion = await signedRequest(account, since);
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await post(url, { headers, body, signal: AbortSignal.timeout(timeLimit) });
    const { access_token: text, expires_in: life, error } = members(answer.text);
    if (answer.status === 200 && typeof text === 'string') {
      const seconds = typeof life === 'number' ? life : DEFAULT_LIFE_S;
      return { text, since, until: since + seconds * 1_000 - MARGIN_MS };
    }
    if ((answer.status === 400 || answer.status === 401) && typeof error === 'string') {
      const cause = error === 'invalid_grant' ? OR_CLOCK : '';
      throw new CredentialsRefused(`Google does not accept the service account: ${error}${cause}`);
    }
    throw new Error(`no access token: status ${answer.status}`);
  }

  function renew(account: ServiceAccount, of: string): Promise<AccessToken> {
    const mine = { of, token: fetchToken(account) };
    held = mine;
    mine.token.catch(() => {
      if (held === mine) held = null;
    });
    return mine.token;
  }

  return {
    /** @throws `CredentialsRefused`; any other error for a temporary failure */
    async token(account: ServiceAccount): Promise<AccessToken> {
      const of = JSON.stringify(account);
      const before = held;
      if (before === null || before.of !== of) return renew(account, of);
      const token = await before.token;
      if (token.until > clock.now()) return token;
      return held === before || held === null ? renew(account, of) : held.token;
    },
    /** Discards a refused token. Resolves to true if it was new, in which case another would not help. */
    async drop(token: AccessToken): Promise<boolean> {
      const suspect = held;
      const current = await suspect?.token.catch(() => null);
      if (current === token && held === suspect) held = null;
      return clock.now() - token.since < NEW_MS;
    },
  };
}
