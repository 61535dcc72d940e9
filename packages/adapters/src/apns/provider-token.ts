import type { Clock } from '@baobab/core';
import { CredentialsRefused } from '../push-outcomes.ts';
import type { ApnsConfig } from './settings.ts';

/** Apple requires a new token every 20 to 60 minutes. Milliseconds. */
const RENEW_AFTER_MS = 40 * 60_000;
const LEAST_AGE_MS = 20 * 60_000;

export interface ProviderToken {
  readonly text: string;
  /** Signing time in milliseconds since 1970. */
  readonly since: number;
}

async function sign({ key, keyId, team }: ApnsConfig, now: number): Promise<ProviderToken> {
  const { importPKCS8, SignJWT } = await import('jose'); // lazy, for a fast start
  try {
    const text = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(team)
      .setIssuedAt(Math.floor(now / 1_000))
      .sign(await importPKCS8(key, 'ES256'));
    return { text, since: now };
  } catch (cause) {
    throw new CredentialsRefused('push.ios.key is not a valid token key (.p8)', { cause });
  }
}

/**
 * Creates the tokens that authenticate this program to Apple:
 * https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns
 */
export function createProviderTokens(clock: Clock) {
  let held: { readonly of: string; readonly token: Promise<ProviderToken>; readonly since: number } | null = null;
  return {
    /** @throws `CredentialsRefused` */
    token(config: ApnsConfig): Promise<ProviderToken> {
      const [of, now] = [JSON.stringify([config.team, config.keyId, config.key]), clock.now()];
      const age = held === null ? RENEW_AFTER_MS : now - held.since;
      // The clock may have been set back: Apple refuses a token from the future.
      if (held?.of !== of || age < 0 || age >= RENEW_AFTER_MS) {
        held = { of, since: now, token: sign(config, now) };
      }
      return held.token;
    },
    /**
     * Call this when Apple reports the token as expired. Returns false if the token is so new that another would not
     * help.
     */
    drop({ since }: ProviderToken): boolean {
      if (clock.now() - since < LEAST_AGE_MS) return false;
      if (held?.since === since) held = null;
      return true;
    },
  };
}
