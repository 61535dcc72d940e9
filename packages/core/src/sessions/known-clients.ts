import type { Secrets } from '../ports/secrets.ts';
import type { GuessedSecret } from '../protection/guesses.ts';

/** Length of a random id, and of a mark, in characters of base64url. */
const PART = 22;
/** Maximum number of accounts marked in a client text. The least recently used ones are dropped. */
const MAX_ACCOUNTS = 8;
const FORM = new RegExp(`^[\\w-]{${PART}}(?:[\\w-]{${PART}}){1,${MAX_ACCOUNTS}}$`);

interface IssuedClient {
  /** Text that the client sends from now on. */
  readonly client: string;
  /** True if the client had logged in to the account before. */
  readonly wasKnown: boolean;
}

export type KnownClients = ReturnType<typeof createKnownClients>;

/**
 * Issues client texts, which prove that a client has logged in to an account before: a random id, and for each account
 * a mark that only the server can make. Nothing is stored, so they add no cost to a login.
 */
export function createKnownClients({ secrets }: { readonly secrets: Secrets }) {
  /**
   * Returns the marks that identify a client to an account, that of the current key first, then that of the previous
   * one.
   */
  const marksOf = (id: string, userId: string) =>
    secrets.digests(`client/${id}/${userId}`).map((digest) => digest.slice(0, PART));

  function partsOf(client: string | null): { readonly id: string; readonly marks: readonly string[] } | null {
    if (client === null || !FORM.test(client)) return null;
    return { id: client.slice(0, PART), marks: client.slice(PART).match(new RegExp(`.{${PART}}`, 'g')) ?? [] };
  }

  /** Identifies a client that has logged in to the account before; null for other clients. */
  function knownAs(client: string | null, userId: string): string | null {
    const parts = partsOf(client);
    if (parts === null) return null;
    return marksOf(parts.id, userId).some((mark) => parts.marks.includes(mark)) ? `${userId}/${parts.id}` : null;
  }

  return {
    knownAs,
    /**
     * Identifies all clients that have logged in to the account before. They share one budget of guesses at codes: an
     * attacker who knows the password can make any number of clients known, but must not get more guesses that way.
     */
    sharedBy: (client: string | null, userId: string, secret: GuessedSecret): string | null =>
      knownAs(client, userId) === null ? null : `clients/${userId}/${secret}`,
    /** Makes the client known after a login to the account. Accounts of earlier logins stay known. */
    issue(client: string | null, userId: string): IssuedClient {
      const { id, marks } = partsOf(client) ?? { id: secrets.token(), marks: [] };
      const own = marksOf(id, userId);
      const others = marks.filter((mark) => !own.includes(mark));
      const kept = others.slice(0, MAX_ACCOUNTS - 1);
      return { client: [id, ...own.slice(0, 1), ...kept].join(''), wasKnown: others.length < marks.length };
    },
  };
}
