import { AppError } from '../errors.ts';
import { KEPT_WINDOW_MS } from '../idempotency/kept-answers.ts';
import { userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { SignUp } from './users.ts';

interface SignUpKeysDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** What identifies a sign-up. */
type Keyed = Pick<SignUp, 'key' | 'username' | 'sections'>;

/**
 * Idempotency keys of sign-ups. The caller is nobody yet, so a key belongs to the user whom it created. Neither a token
 * nor anything derived from the password is stored: a repeated sign-up has to log in.
 */
export function createSignUpKeys({ storage, secrets, clock }: SignUpKeysDeps) {
  /** Apart from the keys that the user sends later. */
  const digestOf = (key: string) => secrets.digest(`sign-up/${key}`);
  const fingerprintOf = ({ username, sections }: Keyed) => secrets.digest(JSON.stringify([username, sections]));

  return {
    /** Remembers which sign-up created the user. To be called in the transaction that adds the user. */
    async keep(stores: Stores, userId: string, signUp: Keyed): Promise<void> {
      if (signUp.key === null) return;
      const [now, fingerprint] = [clock.now(), fingerprintOf(signUp)];
      const expires = now + KEPT_WINDOW_MS;
      await stores.idempotency.claim({ userId, digest: digestOf(signUp.key), fingerprint, now, expires });
    },

    /** Whether this sign-up has created the user of its name before. @throws `idempotency.mismatch` */
    async isRepeated(signUp: Keyed): Promise<boolean> {
      if (signUp.key === null) return false;
      const user = await storage.users.findByKey(userKey(signUp.username));
      if (user === null) return false;
      const digest = digestOf(signUp.key);
      const kept = await storage.idempotency.find({ userId: user.id, digest }, clock.now());
      if (kept !== null && kept.fingerprint !== fingerprintOf(signUp)) throw new AppError('idempotency.mismatch');
      return kept !== null;
    },
  };
}
