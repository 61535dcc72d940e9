import { AppError, type OAuthPerson } from '@baobab/core';
import { type Answer, unavailable } from './client.ts';

export type Claims = Readonly<Record<string, unknown>>;

const MAX_ID_LENGTH = 255;
const MAX_TEXT_LENGTH = 256;
const MAX_URL_LENGTH = 2048;
const CONTROL = /[\p{Cc}\p{Cs}]/u;

export const refused = (detail?: string) => new AppError('social.refused', detail === undefined ? {} : { detail });

export function isClaims(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a network's response about a token, which must be a JSON object.
 *
 * @throws `social.refused` if the network does not accept the token; `social.unavailable` for any other response
 */
export function claimsIn({ status, json }: Answer): Claims {
  if (status === 400 || status === 401 || status === 403) throw refused();
  if (status !== 200) throw unavailable(`status ${status}`);
  if (!isClaims(json)) throw unavailable('the answer is not a JSON object');
  return json;
}

/** Returns an id as text, because some networks send numbers. Null if it is not an id. */
export function idText(value: unknown): string | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text) && text.length <= MAX_ID_LENGTH ? text : null;
}

function plainText(value: unknown, maxLength: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !CONTROL.test(value) ? value : null;
}

/** Returns a URL that is safe to display and click (http or https), otherwise null. */
export function webUrl(value: unknown): string | null {
  const text = plainText(value, MAX_URL_LENGTH);
  return text !== null && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}

export const personText = (value: unknown) => plainText(value, MAX_TEXT_LENGTH);

/**
 * Returns the person in the standard claims (OpenID Connect Core 1.0, section 5.1). @throws `social.unavailable`
 * without `sub`
 */
export function personIn(claims: Claims): OAuthPerson {
  const id = idText(claims.sub);
  if (id === null) throw unavailable('the person has no id');
  // Some providers send it as a string.
  const isUnverified = String(claims.email_verified) === 'false';
  return {
    id,
    email: isUnverified ? null : personText(claims.email),
    name: personText(claims.name),
    avatarUrl: webUrl(claims.picture),
    pageUrl: webUrl(claims.profile),
  };
}

/** Checks that a token can be sent unescaped in a header or query. @throws `social.refused` otherwise */
export function requireTokenShape(token: string): void {
  if (!/^[\x21-\x7e]+$/.test(token)) throw refused();
}
