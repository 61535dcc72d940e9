import { AppError, type Clock, type OAuthPerson } from '@baobab/core';
import type { OAuthVerifier } from '../oauth/verifier.ts';

export interface IssuedToken {
  /** Owner of the token. Absent fields are unknown. */
  readonly person: Partial<OAuthPerson> & Pick<OAuthPerson, 'id'>;
  /** App that the token was issued to. */
  readonly clientId: string;
  /** Expiry time, in milliseconds. Absent if the token does not expire. */
  readonly expires?: number;
  readonly nonce?: string;
}

/** A social network in memory, for tests and experiments. It accepts the tokens that it issued. */
export interface MemoryNetwork extends OAuthVerifier {
  issue(token: IssuedToken): string;
}

const UNKNOWN = { email: null, name: null, avatarUrl: null, pageUrl: null };
const MAX_KEPT = 1000;

export function createMemoryNetwork({ clock }: { readonly clock: Clock }): MemoryNetwork {
  const issued = new Map<string, IssuedToken>();
  let count = 0;
  return {
    issue(given) {
      const token = `token-${++count}`;
      issued.set(token, given);
      const [oldest] = issued.keys();
      if (issued.size > MAX_KEPT && oldest !== undefined) issued.delete(oldest);
      return token;
    },
    async identify({ clientIds }, { token, nonce }) {
      const found = issued.get(token);
      const isGood =
        found !== undefined &&
        clientIds.includes(found.clientId) &&
        (found.expires === undefined || found.expires > clock.now()) &&
        (found.nonce ?? null) === nonce;
      if (!isGood) throw new AppError('social.refused');
      return { ...UNKNOWN, ...found.person };
    },
    close: async () => undefined,
  };
}
