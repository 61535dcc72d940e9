import type { Actor } from '../actor.ts';
import { accountParty } from '../audit/audit.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Passkey } from '../ports/storage/passkeys.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { AssertionResponse, WebAuthn } from '../ports/webauthn.ts';
import type { RateLimiter } from '../protection/limits.ts';
import type { LoginData } from '../push/devices.ts';
import type { Authentication } from '../sessions/authentication.ts';
import {
  type CompletedLogins,
  type LoggedIn,
  type LoginOrigin,
  requireActive,
  type SignedIn,
} from '../sessions/logins.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { CHALLENGE_LIFETIME_MS, createPasskeyChallenges, type OpenChallenge } from './challenges.ts';
import { userHandleOf } from './passkeys.ts';

/** Options for signing a challenge in a browser (PublicKeyCredentialRequestOptionsJSON). */
export interface RequestOptions {
  readonly challenge: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly rpId: string;
  /** Empty: the user chooses a passkey, and with it the account. */
  readonly allowCredentials: readonly never[];
  readonly userVerification: 'required';
}

export interface PasskeyLogin {
  readonly response: AssertionResponse;
  readonly login: LoginData | null;
  /** Network address of the client, for rate limits. */
  readonly address: string;
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
}

export interface PasskeyLoginsDeps {
  readonly storage: Storage;
  readonly webAuthn: WebAuthn;
  readonly authentication: Authentication;
  readonly limiter: RateLimiter;
  readonly completedLogins: CompletedLogins;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeWatch: Pick<TimeWatch, 'latest'>;
}

/** A verified signature. */
interface Verified extends Pick<PasskeyLogin, 'login' | 'origin'> {
  readonly passkey: Passkey;
  readonly counter: number;
  readonly open: OpenChallenge;
}

/** Refusals that count as wrong guesses. */
const WRONG: readonly ErrorCode[] = ['auth.passkey_cloned', 'auth.passkey_invalid'];

export type PasskeyLogins = ReturnType<typeof createPasskeyLogins>;

/** Login with a passkey. It identifies and verifies its user, so neither a name nor a second factor is needed. */
export function createPasskeyLogins(deps: PasskeyLoginsDeps) {
  const { storage, webAuthn, authentication, limiter, completedLogins, secrets, clock, logger, timeWatch } = deps;
  const challenges = createPasskeyChallenges({ secrets, clock });

  /** @throws `account.erasing`, `auth.passkey_invalid`, `auth.passkey_cloned`, `passkey.challenge_invalid` */
  async function begin({ passkey, counter, open, login, origin }: Verified): Promise<SignedIn> {
    const { id, userId, credential } = passkey;
    return completedLogins.begin('passkey', async (stores, { start }) => {
      // Locks the user. A suspension, reset or removal of the passkey is either seen here, or sees the session.
      const profile = requireActive(await stores.users.update(userId, {}), 'auth.passkey_invalid');
      if (!(await challenges.use(stores, open, userId))) throw new AppError('passkey.challenge_invalid');
      if (!(await stores.passkeys.use({ id, counter, at: timeWatch.latest() }))) {
        const isThere = (await stores.passkeys.find(credential))?.id === id;
        throw new AppError(isThere ? 'auth.passkey_cloned' : 'auth.passkey_invalid');
      }
      return start(profile, { login, origin: { ...origin, factor: 'passkey' } });
    });
  }

  async function signIn(passkey: Passkey, { response, login, origin }: PasskeyLogin, open: OpenChallenge) {
    const { id, userId, credential, publicKey } = passkey;
    const expected = { challenge: open.challenge, credential, publicKey, userHandle: userHandleOf(userId) };
    const verified = await webAuthn.verifyAssertion(response, expected);
    if ('refused' in verified) {
      throw new AppError('auth.passkey_invalid', verified.refused === null ? {} : { detail: verified.refused });
    }
    const { counter } = verified;
    return begin({ passkey, counter, open, login, origin }).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'auth.passkey_cloned') {
        logger.warn({ userId, passkey: id, counter }, 'counter of a passkey did not increase: it may be a copy');
      }
      throw error;
    });
  }

  return {
    /** Returns the options for a login, without storing anything. */
    options(_actor: Actor): RequestOptions {
      return {
        challenge: challenges.issue('login'),
        timeout: CHALLENGE_LIFETIME_MS,
        rpId: webAuthn.rpId,
        allowCredentials: [],
        userVerification: 'required',
      };
    },

    /**
     * Logs in with a signature. Wrong responses count per passkey. Guesses at the user's password do not lock the
     * passkey out, because a signature cannot be guessed.
     *
     * @throws `passkey.challenge_invalid`, `auth.passkey_invalid`, `auth.passkey_cloned`, `auth.locked`, `rate.limited`
     */
    async login(_actor: Actor, given: PasskeyLogin): Promise<LoggedIn> {
      const { address, client, origin } = given;
      const made = { method: 'passkey', network: origin.network, wrong: WRONG } as const;
      const signedIn = await authentication.attempt(made, async (attempt) => {
        const open = challenges.open(webAuthn.challengeOf(given.response.clientDataJSON), 'login');
        if (open === null) throw new AppError('passkey.challenge_invalid');
        const passkey = await storage.passkeys.find(given.response.id);
        if (passkey === null) {
          await limiter.take({ 'login/address': address }); // counts only against the network
          throw new AppError('auth.passkey_invalid');
        }
        attempt.to = accountParty(passkey.userId);
        const place = `passkey/${passkey.id}`;
        await attempt.guess({ key: place, knownAs: place, address });
        return signIn(passkey, given, open);
      });
      const completed = { method: 'passkey', factor: 'passkey', client, origin } as const;
      return { ...signedIn, client: await completedLogins.complete(signedIn.profile, completed) };
    },
  };
}
