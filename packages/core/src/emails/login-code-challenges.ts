import { emailKey } from '../names/email-address.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';

/** A challenge that can be answered now. */
export interface OpenLoginCode {
  readonly challenge: string;
  /** The digest under which the challenge is stored, if a code was sent. */
  readonly digest: string;
  /** The key under which wrong codes are counted. */
  readonly key: string;
  /** Milliseconds. */
  readonly expires: number;
}

const PURPOSE = 'login code';
/** No name has this character, so that no name is taken for an address. */
const NO_NAME = '\u0000';

/** What a challenge contains. */
interface Content {
  readonly purpose: typeof PURPOSE;
  readonly key: string;
  readonly expires: number;
}

/**
 * Challenges for log-in by mail. They contain, encrypted, for which name or address somebody asked for a code: so wrong
 * codes count for names that do not exist as they do for others, and nothing is stored for those.
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
    /** The key under which wrong codes for an address count. */
    keyOfEmail: (email: string) => `${NO_NAME}${emailKey(email)}`,

    issue(key: string, expires: number): OpenLoginCode {
      const content: Content = { purpose: PURPOSE, key, expires };
      const challenge = secrets.encrypt(JSON.stringify(content));
      return { challenge, digest: digestOf(challenge), key, expires };
    },

    /** Null unless the challenge was made here and has not expired. It may have been used. */
    open(challenge: string): OpenLoginCode | null {
      const content = contentOf(challenge);
      if (content === null || content.expires <= clock.now()) return null;
      return { challenge, digest: digestOf(challenge), key: content.key, expires: content.expires };
    },
  };
}
