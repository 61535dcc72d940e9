import { accountParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { typedCode, userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Challenge } from '../ports/storage/challenges.ts';
import type { TotpSecret } from '../ports/storage/factors.ts';
import type { SessionOrigin } from '../ports/storage/sessions.ts';
import type { SocialLink } from '../ports/storage/social-links.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { Totp } from '../ports/totp.ts';
import type { LoginData } from '../push/devices.ts';
import { lasts } from '../time/waits.ts';
import type { Authentication } from './authentication.ts';
import {
  type CompletedLogins,
  type KnownClients,
  type LoggedIn,
  type LoginOrigin,
  requireActive,
  type SignedIn,
} from './logins.ts';
import { type SocialTokens, sealTokens } from './social-tokens.ts';

const CHALLENGE_LIFETIME_MS = 5 * 60_000;
/** Maximum number of attempts at one challenge, counted before they are checked. */
const MAX_ATTEMPTS = 5;

/** Proof of the second factor. */
export type FactorProof = { readonly code: string } | { readonly recoveryCode: string };

/** First half of a login. */
export interface FirstFactor {
  readonly userId: string;
  /** Key of the user's name. */
  readonly key: string;
  /** Hash against which the password was verified; null for a login without a password. */
  readonly passwordHash: string | null;
  readonly login: LoginData | null;
  /** For a login by a social network: the link, with the data to store on it once the login is complete. */
  readonly link?: Pick<SocialLink, 'network' | 'personId' | 'details'> & { readonly tokens: SocialTokens };
}

/** Source of a proof. */
export interface ProofSource {
  /** Network address of the client, for rate limits. */
  readonly address: string;
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
}

/** The answer to a challenge. */
export interface ChallengeAnswer extends ProofSource {
  readonly challenge: string;
  readonly proof: FactorProof;
}

/** A proof that completes a login. */
interface Completion extends ProofSource {
  readonly proof: FactorProof;
  /** Digest of the challenge; null without one. */
  readonly digest: string | null;
}

/** Uses up a proof inside of a transaction. Resolves to false if it has been used. */
type Use = (stores: Stores) => Promise<boolean>;

/** Parameters of a new session. */
interface Beginning {
  readonly use: Use;
  /** Digest of the challenge; null without one. */
  readonly digest: string | null;
  readonly origin: SessionOrigin;
}

export interface SecondFactorDeps {
  readonly storage: Storage;
  readonly authentication: Authentication;
  readonly knownClients: KnownClients;
  readonly totp: Totp;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly completedLogins: CompletedLogins;
}

const recoveryDigest = (secrets: Secrets, userId: string, recoveryCode: string) =>
  secrets.fingerprint(`recovery code/${userId}/${typedCode(recoveryCode).toUpperCase()}`);

/**
 * Digests a recovery code for storage. The digest is encrypted so that it can be re-encrypted when the secret key
 * changes.
 */
export const sealRecoveryCode = (secrets: Secrets, userId: string, recoveryCode: string) =>
  secrets.encrypt(recoveryDigest(secrets, userId, recoveryCode));

export const codeInvalid = () => new AppError('auth.code_invalid');

export const secondFactorRequired = (challenge: string) =>
  new AppError('auth.second_factor_required', { beside: { challenge } });

/**
 * Locks the user. Changes of password, status and factor come before, and count, or see the session that is begun.
 *
 * @throws `account.erasing`, `auth.invalid` unless the user is active and still has the verified password
 */
export async function lockCurrent(
  stores: Stores,
  { userId, passwordHash }: Pick<FirstFactor, 'userId' | 'passwordHash'>,
): Promise<UserRecord> {
  const profile = requireActive(await stores.users.update(userId, {}), 'auth.invalid');
  const credentials = await stores.users.credentials(userKey(profile.name));
  if (passwordHash !== null && credentials?.passwordHash !== passwordHash) throw new AppError('auth.invalid');
  return profile;
}

export type SecondFactor = ReturnType<typeof createSecondFactor>;

/** Second half of a login, for users with a second factor. */
export function createSecondFactor(deps: SecondFactorDeps) {
  const { storage, authentication, knownClients, totp, secrets, clock, logger, completedLogins } = deps;
  const nameOf = (challenge: string) => `challenge/${challenge}`;

  function secretIn({ sealed }: TotpSecret, userId: string): string | null {
    const secret = secrets.decrypt(sealed);
    if (secret === null) logger.warn({ userId }, 'stored TOTP secret cannot be decrypted');
    return secret;
  }

  async function useOfCode(userId: string, code: string): Promise<Use | null> {
    const factor = await storage.factors.find(userId);
    if (factor === null) return null;
    const secret = secretIn(factor, userId);
    const step = secret === null ? null : totp.stepOf(secret, typedCode(code), clock.now());
    if (step === null) return null;
    return async ({ factors }) => {
      if (await factors.useStep({ userId, sealed: factor.sealed, step })) return true;
      const now = await factors.find(userId);
      if (now === null || now.sealed === factor.sealed || secretIn(now, userId) !== secret) return false;
      // The same secret was re-encrypted, because the secret key is changing.
      return factors.useStep({ userId, sealed: now.sealed, step });
    };
  }

  async function useOfRecoveryCode(userId: string, recoveryCode: string): Promise<Use | null> {
    const digest = recoveryDigest(secrets, userId, recoveryCode);
    async function storedIn({ factors }: Stores): Promise<string | null> {
      const all = await factors.recoveryCodes(userId);
      return all.find((stored) => secrets.decrypt(stored) === digest) ?? null;
    }
    const found = await storedIn(storage);
    if (found === null) return null;
    return async (stores) => {
      if (await stores.factors.useRecoveryCode(userId, found)) return true;
      // It was used or re-encrypted.
      const now = await storedIn(stores);
      return now !== null && stores.factors.useRecoveryCode(userId, now);
    };
  }

  /** Returns a function that uses up the proof; null if the proof is wrong. */
  const examine = (userId: string, proof: FactorProof): Promise<Use | null> =>
    'code' in proof ? useOfCode(userId, proof.code) : useOfRecoveryCode(userId, proof.recoveryCode);

  /**
   * Stores the data that a social network and the client sent at the beginning of the login. @throws `auth.invalid` if
   * the link has been removed
   */
  async function renewLink(stores: Stores, { userId, link }: FirstFactor): Promise<void> {
    if (link === undefined) return;
    const { network, personId, tokens, details } = link;
    const found = await stores.socialLinks.find(network, personId);
    if (found?.userId !== userId) throw new AppError('auth.invalid');
    const sealed = sealTokens(secrets, tokens, { link: found, sessionId: null, now: clock.now() });
    await stores.socialLinks.put({ ...found, sealed, details });
  }

  /**
   * Begins a session atomically: a proof or a challenge is used up only by a login that succeeds.
   *
   * @throws `auth.invalid` if the user is suspended or has another password now, or the social link of the login is
   * removed; `auth.challenge_invalid`
   */
  async function begin(first: FirstFactor, { use, digest, origin }: Beginning): Promise<SignedIn> {
    return completedLogins.begin('second_factor', async (stores, { start }) => {
      const profile = await lockCurrent(stores, first);
      if (digest !== null && !(await stores.challenges.consume(digest))) throw new AppError('auth.challenge_invalid');
      if (!(await use(stores))) throw codeInvalid();
      await renewLink(stores, first);
      return start(profile, { login: first.login, origin });
    });
  }

  /**
   * Completes a login. Wrong codes count like wrong passwords. @throws `auth.code_invalid`, `auth.locked`,
   * `rate.limited`, the errors of `begin`
   */
  async function complete(
    first: FirstFactor,
    { proof, address, client, origin, digest }: Completion,
  ): Promise<LoggedIn> {
    const { userId, key } = first;
    const factor = 'code' in proof ? 'totp' : 'recovery_code';
    const login = { method: 'second_factor', network: origin.network, to: accountParty(userId) } as const;
    const signedIn = await authentication.attempt(login, async (attempt) => {
      await attempt.guess({ key, address, knownAs: knownClients.sharedBy(client, userId, 'factor') });
      const use = await examine(userId, proof);
      if (use === null) throw codeInvalid();
      return begin(first, { use, digest, origin: { ...origin, factor } });
    });
    const completed = { method: 'second_factor', factor, client, origin } as const;
    return { ...signedIn, client: await completedLogins.complete(signedIn.profile, completed) };
  }

  /** Counts an attempt at a challenge, including one made before a change of the secret key. */
  async function attemptAt(challenge: string): Promise<Challenge | null> {
    for (const digest of secrets.digests(nameOf(challenge))) {
      const found = await storage.challenges.attempt(digest, clock.now(), MAX_ATTEMPTS);
      if (found !== null) return lasts(found.expires, clock.now(), CHALLENGE_LIFETIME_MS) ? found : null;
    }
    return null;
  }

  return {
    examine,

    /** Stores a challenge. Resolves to the text that the client returns with its answer. */
    async challenge(stores: Stores, first: FirstFactor): Promise<string> {
      const challenge = secrets.token();
      await stores.challenges.add({
        digest: secrets.digest(nameOf(challenge)),
        userId: first.userId,
        sealed: secrets.encrypt(JSON.stringify(first)),
        expires: clock.now() + CHALLENGE_LIFETIME_MS,
      });
      return challenge;
    },

    /** Begins a session if the code is right. @throws `auth.code_invalid`, `auth.invalid`, `auth.locked`, `rate.limited` */
    withCode: (first: FirstFactor, { code, ...source }: ProofSource & { readonly code: string }): Promise<LoggedIn> =>
      complete(first, { ...source, proof: { code }, digest: null }),

    /**
     * Completes a login that waits for the second factor.
     *
     * @throws `auth.challenge_invalid`, `auth.code_invalid`, `auth.invalid`, `auth.locked`, `rate.limited`
     */
    async answer({ challenge, ...sent }: ChallengeAnswer): Promise<LoggedIn> {
      const found = await attemptAt(challenge);
      const opened = found === null ? null : secrets.decrypt(found.sealed);
      if (found === null || opened === null) {
        const login = { method: 'second_factor', network: sent.origin.network } as const;
        return authentication.attempt(login, () => Promise.reject(new AppError('auth.challenge_invalid')));
      }
      return complete(JSON.parse(opened) as FirstFactor, { ...sent, digest: found.digest });
    },
  };
}
