import { emailKey } from '../names/email-address.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import { lasts } from '../time/waits.ts';

/** A challenge that can be answered now. */
export interface OpenLoginCode {
  readonly challenge: string;
  /** Digest under which the challenge is stored, if a code was sent. */
  readonly digest: string;
  /** Key under which wrong codes are counted. */
  readonly key: string;
  /** In milliseconds. */
  readonly expires: number;
}

/** Lifetime of a code, in milliseconds. */
export const CODE_LIFETIME_MS = 15 * 60_000;
const PURPOSE = 'login code';
/** Never part of a name, to distinguish names from addresses. */
const NO_NAME = '\u0000';

/** Content of a challenge. */
interface Content {
  readonly purpose: typeof PURPOSE;
  readonly key: string;
  readonly expires: number;
}

/**
 * Challenges for logins by mail. They contain, encrypted, the requested name or address. So wrong codes count for
 * unknown names as they do for others, and nothing is stored for unknown ones.
 */
export function createLoginCodeChallenges({ secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock }) {
  const digestOf = (challenge: string) => secrets.digest(`login code challenge/${challenge}`);

  function contentOf(challenge: string): Content | null {
    const opened = secrets.decrypt(challenge);
    if (opened === null) return null;
    const content: Content = JSON.parse(opened);
    return content.purpose === PURPOSE ? content : null;
  }

  return {
    /** Returns the key under which wrong codes for an address count. */
    keyOfEmail: (email: string) => `${NO_NAME}${emailKey(email)}`,

    issue(key: string, expires: number): OpenLoginCode {
      const content: Content = { purpose: PURPOSE, key, expires };
      const challenge = secrets.encrypt(JSON.stringify(content));
      return { challenge, digest: digestOf(challenge), key, expires };
    },

    /** Opens a challenge. Null unless it was issued by this server and has not expired. It may have been used. */
    open(challenge: string): OpenLoginCode | null {
      const content = contentOf(challenge);
      if (content === null || !lasts(content.expires, clock.now(), CODE_LIFETIME_MS)) return null;
      return { challenge, digest: digestOf(challenge), key: content.key, expires: content.expires };
    },
  };
}
