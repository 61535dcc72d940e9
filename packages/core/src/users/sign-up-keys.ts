import { AppError } from '../errors.ts';
import { KEPT_WINDOW_MS } from '../idempotency/kept-answers.ts';
import { userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { NewUser } from '../ports/storage/users.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import type { SignUp } from './users.ts';

interface SignUpKeysDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly timeWatch: Pick<TimeWatch, 'earliest'>;
}

/** A repeated sign-up. */
interface EarlierSignUp {
  /** True if it began no session, because the address had to be verified first. */
  readonly awaitedEmail: boolean;
}

/** Identity of a sign-up. */
type Keyed = Pick<SignUp, 'key' | 'username' | 'sections'>;

/**
 * Idempotency keys of sign-ups. The caller has no account yet, so a key belongs to the user it created. Neither a token
 * nor anything derived from the password is stored, so a repeated sign-up has to log in.
 */
export function createSignUpKeys({ storage, secrets, clock, timeWatch }: SignUpKeysDeps) {
  /** Returns the digest of a key. The prefix separates it from keys that the user sends later. */
  const digestOf = (key: string) => secrets.digest(`sign-up/${key}`);
  /**
   * Returns the fingerprint of a sign-up. The same body with another outcome is a different sign-up: one that began no
   * session never begins one.
   */
  const fingerprintOf = ({ username, sections }: Keyed, awaitsEmail: boolean) =>
    secrets.digest(JSON.stringify([username, sections, ...(awaitsEmail ? ['awaits e-mail'] : [])]));

  return {
    /** Records which sign-up created the user. To be called in the transaction that adds the user. */
    async keep(stores: Stores, signUp: Keyed, { id: userId, awaitsEmail }: NewUser): Promise<void> {
      if (signUp.key === null) return;
      const [now, fingerprint] = [clock.now(), fingerprintOf(signUp, awaitsEmail)];
      const expires = now + KEPT_WINDOW_MS;
      await stores.idempotency.claim({ userId, digest: digestOf(signUp.key), fingerprint, now, expires });
    },

    /**
     * Returns the earlier outcome if this sign-up has already created the user of its name; otherwise null.
     *
     * @throws `idempotency.mismatch`
     */
    async earlier(signUp: Keyed): Promise<EarlierSignUp | null> {
      if (signUp.key === null) return null;
      const user = await storage.users.findByKey(userKey(signUp.username));
      if (user === null) return null;
      const digest = digestOf(signUp.key);
      const kept = await storage.idempotency.find({ userId: user.id, digest }, timeWatch.earliest());
      if (kept === null) return null;
      const awaitedEmail = [false, true].find((awaits) => kept.fingerprint === fingerprintOf(signUp, awaits));
      if (awaitedEmail === undefined) throw new AppError('idempotency.mismatch');
      return { awaitedEmail };
    },
  };
}
