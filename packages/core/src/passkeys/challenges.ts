import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { lasts } from '../time/waits.ts';

/** Lifetime of a challenge, in milliseconds. */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000;
/**
 * Time for which a used challenge is remembered after its expiry, in case the clocks of nodes differ. In milliseconds.
 */
const REMEMBERED_MS = 5 * 60_000;

const TOKEN = 22;
/** Milliseconds since 1970 in base 36. */
const TIME = 9;
/** With this length of the MAC, the whole has a multiple of four characters: base64url without unused bits. */
const MAC = 41;
const FORM = new RegExp(`^([\\w-]{${TOKEN}})([0-9a-z]{${TIME}})([\\w-]{${MAC}})$`);

/** Purpose of a challenge. */
export type ChallengePurpose = 'login' | { readonly registrationOf: string };

/** A challenge that can be answered now. */
export interface OpenChallenge {
  readonly challenge: string;
  readonly digest: string;
  /** In milliseconds. */
  readonly expires: number;
}

/**
 * Stateless challenges: they are recognized without having been stored, so requesting many of them cannot fill a table.
 * Only answered ones are stored, so that each works once.
 */
export function createPasskeyChallenges({ secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock }) {
  function textOf(purpose: ChallengePurpose, token: string, time: string): string {
    const named = purpose === 'login' ? purpose : `registration/${purpose.registrationOf}`;
    return `passkey challenge/${named}/${token}/${time}`;
  }
  /** Compares digests, so that the timing reveals nothing about the right MAC. */
  const areEqual = (mac: string, other: string) => secrets.digest(mac) === secrets.digest(other);

  return {
    /** Returns a new challenge, base64url. */
    issue(purpose: ChallengePurpose): string {
      const token = secrets.token();
      const time = (clock.now() + CHALLENGE_LIFETIME_MS).toString(36).padStart(TIME, '0');
      return token + time + secrets.digest(textOf(purpose, token, time)).slice(0, MAC);
    },
    /** Opens a challenge. Null unless it was issued for this purpose and has not expired. It may have been used. */
    open(challenge: string | null, purpose: ChallengePurpose): OpenChallenge | null {
      const [, token = '', time = '', mac = ''] = FORM.exec(challenge ?? '') ?? [];
      if (challenge === null || token === '') return null;
      const macs = secrets.digests(textOf(purpose, token, time));
      if (!macs.some((right) => areEqual(mac, right.slice(0, MAC)))) return null;
      const expires = Number.parseInt(time, 36);
      if (!lasts(expires, clock.now(), CHALLENGE_LIFETIME_MS)) return null;
      // The same on nodes with different keys. Challenges cannot be guessed, so the digest needs no key.
      return { challenge, digest: secrets.fingerprint(`passkey challenge/used/${challenge}`), expires };
    },
    /** Resolves to false if the challenge has been used. */
    use(stores: Stores, { digest, expires }: OpenChallenge, userId: string): Promise<boolean> {
      return stores.challenges.spend({ digest, userId, expires: expires + REMEMBERED_MS });
    },
  };
}
