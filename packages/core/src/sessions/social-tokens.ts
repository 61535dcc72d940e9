import type { Secrets } from '../ports/secrets.ts';
import type { SocialLink } from '../ports/storage/social-links.ts';

/** Tokens of a person at a network, as the client sent them. */
export interface SocialTokens {
  readonly token: string;
  readonly secret: string;
}

/** A token that has proved a person before. */
interface TokenUse {
  readonly fingerprint: string;
  /** Time of the first login or link with the token, in milliseconds. A login with it is never fresher. */
  readonly first: number;
  /** Session that it began last; null if there was none. It may have ended. */
  readonly sessionId: string | null;
}

/** The clear text of `SocialLink.sealed`. */
interface StoredTokens extends SocialTokens {
  /** Latest first. */
  readonly uses: readonly TokenUse[];
}

/** Maximum number of remembered tokens per link. Tokens of most networks are valid for an hour. */
const MAX_USES = 20;
/** A JSON Web Token without its signature. */
const SIGNED = /^(ey[\w-]+\.[\w-]+)\.[^.]+$/;

/**
 * Identifies a token. Ignores the signature of an identity token, because one signature can be written in several ways:
 * a copy of the token must not pass for another one.
 */
const fingerprintOf = (secrets: Secrets, token: string) => secrets.fingerprint(SIGNED.exec(token)?.[1] ?? token);

/** Returns the stored tokens; null if they were encrypted with another key. */
export function openTokens(secrets: Secrets, sealed: string): StoredTokens | null {
  const opened = secrets.decrypt(sealed);
  return opened === null ? null : { uses: [], ...JSON.parse(opened) };
}

/** Returns the earlier use of a token; null if it is new. @param link the person's link; null without one */
export function earlierUse(
  secrets: Secrets,
  link: Pick<SocialLink, 'sealed'> | null,
  { token }: SocialTokens,
): TokenUse | null {
  const uses = link === null ? [] : (openTokens(secrets, link.sealed)?.uses ?? []);
  const fingerprint = fingerprintOf(secrets, token);
  return uses.find((use) => use.fingerprint === fingerprint) ?? null;
}

/**
 * Encrypts the tokens for storage, after a use of them.
 *
 * @param link the person's link before this use; null without one
 * @param sessionId session that the tokens have begun or continued; null: the one of the earlier use
 */
export function sealTokens(
  secrets: Secrets,
  tokens: SocialTokens,
  { link, sessionId, now }: { link: Pick<SocialLink, 'sealed'> | null; sessionId: string | null; now: number },
): string {
  const earlier = earlierUse(secrets, link, tokens);
  const fingerprint = fingerprintOf(secrets, tokens.token);
  const use = { fingerprint, first: earlier?.first ?? now, sessionId: sessionId ?? earlier?.sessionId ?? null };
  const others = link === null ? [] : (openTokens(secrets, link.sealed)?.uses ?? []);
  const uses = [use, ...others.filter((other) => other.fingerprint !== fingerprint)].slice(0, MAX_USES);
  return secrets.encrypt(JSON.stringify({ token: tokens.token, secret: tokens.secret, uses }));
}
