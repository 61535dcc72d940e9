import { isAppError } from '@baobab/core';
import type { JWTVerifyGetKey } from 'jose';
import { type Claims, isClaims, refused } from './claims.ts';
import { type OAuthClient, unavailable } from './client.ts';

/** Only signatures with private keys: `none` and HMAC could be forged with the public key set. */
const ALGORITHMS = ['RS256', 'ES256'];
/** Tolerated clock difference, in seconds. */
const CLOCK_TOLERANCE_S = 30;
/** Cache lifetime of keys in milliseconds, during which a withdrawn key is still accepted. */
const KEYS_LIFETIME_MS = 600_000;
/** Minimum time between two requests for keys because of an unknown key id, in milliseconds. */
const KEYS_COOLDOWN_MS = 30_000;

/** Failures of the keys, not of the token. */
const KEY_FAILURES = new Set(['ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC']);

export interface IdTokenRules {
  readonly issuers: readonly string[];
  readonly clientIds: readonly string[];
  readonly nonce: string | null;
  /** True if the authorized party (`azp`), if the token names one, must also be this app. */
  readonly checksParty: boolean;
  /** Current time in milliseconds since 1970. */
  readonly now: number;
}

/** True if text has the form of a signed token with any algorithm. Access tokens may contain dots too. */
export function isIdToken(token: string): boolean {
  const [header = '', ...more] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
    return more.length === 2 && isClaims(claims) && typeof claims.alg === 'string';
  } catch {
    return false;
  }
}

/** Resolves to the keys of an issuer. */
export type Keys = () => Promise<JWTVerifyGetKey>;

/** Creates the keys of an issuer (RFC 7517), fetched on demand with at most one request at a time. */
export function createKeys(client: OAuthClient, url: string): Keys {
  let opened: Promise<JWTVerifyGetKey> | null = null;

  async function open(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose'); // lazy, for a fast start
    return createRemoteJWKSet(new URL(url), {
      cacheMaxAge: KEYS_LIFETIME_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      [customFetch]: async (href: string) => {
        const { status, json } = await client.getForAll(href);
        if (status !== 200) throw unavailable(`keys: status ${status}`);
        return Response.json(json ?? null);
      },
    });
  }

  return () => {
    opened ??= open();
    return opened;
  };
}

const FROM_THE_FUTURE = 'it is not valid yet: the clock of this server is slow, or that of the provider is fast';

/** Returns the claim that the library refuses, or an empty string. */
const claimOf = (error: unknown) => (error instanceof Error && 'claim' in error ? String(error.claim) : '');

function failureOf(error: unknown): Error {
  if (isAppError(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ERR_JWT_EXPIRED') return refused('it has expired, or the clock of this server is fast');
  if (claimOf(error) === 'nbf') return refused(FROM_THE_FUTURE);
  // Failures unrelated to the token, such as an unusable key.
  return code.startsWith('ERR_J') && !KEY_FAILURES.has(code) ? refused() : unavailable(`keys: ${code}`);
}

/** True if the token was issued to this app (OpenID Connect Core 1.0, section 3.1.3.7, steps 4 and 5). */
function isForUs({ aud, azp }: Claims, { clientIds, checksParty }: IdTokenRules): boolean {
  if (azp === undefined) return !Array.isArray(aud) || aud.length === 1;
  return !checksParty || (typeof azp === 'string' && clientIds.includes(azp));
}

/**
 * Returns the claims of an id_token (OpenID Connect Core 1.0, section 3.1.3.7) after checking signature, issuer,
 * audience, expiry and nonce.
 *
 * @throws `social.refused`, `social.unavailable`
 */
export async function readIdToken(token: string, keys: Keys, rules: IdTokenRules): Promise<Claims> {
  const { jwtVerify } = await import('jose');
  const { payload, protectedHeader } = await jwtVerify(token, await keys(), {
    algorithms: ALGORITHMS,
    issuer: [...rules.issuers],
    audience: [...rules.clientIds],
    clockTolerance: CLOCK_TOLERANCE_S,
    currentDate: new Date(rules.now),
    requiredClaims: ['sub', 'iat', 'exp'],
  }).catch((error: unknown) => {
    throw failureOf(error);
  });
  const { iat = 0 } = payload;
  if (iat > rules.now / 1_000 + CLOCK_TOLERANCE_S) throw refused(FROM_THE_FUTURE);
  // Access tokens and logout tokens of the same issuer have another type.
  const { typ = 'JWT' } = protectedHeader;
  if (String(typ).toUpperCase() !== 'JWT') throw refused('it is not an id_token');
  if (!isForUs(payload, rules)) throw refused('it was given to another party');
  if ((payload.nonce ?? null) !== rules.nonce) throw refused('the nonce is not the one that was sent');
  return payload;
}
