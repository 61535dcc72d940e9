import type { Secrets } from '../ports/secrets.ts';
import type { GuessedSecret } from '../protection/guesses.ts';

/** Length of a random id, and of a mark. Characters of base64url. */
const PART = 22;
/** Accounts of which a client keeps a mark; those that logged in least recently are forgotten. */
const MAX_ACCOUNTS = 8;
const FORM = new RegExp(`^[\\w-]{${PART}}(?:[\\w-]{${PART}}){1,${MAX_ACCOUNTS}}$`);

interface IssuedClient {
  /** What the client shall send from now on. */
  readonly client: string;
  /** Whether the client had logged in to the account before. */
  readonly wasKnown: boolean;
}

export type KnownClients = ReturnType<typeof createKnownClients>;

/**
 * Texts by which clients show that they have logged in to an account before: a random id, and for each account a mark that
 * only the service can make. Nothing is stored, so a login costs no more with them.
 */
export function createKnownClients({ secrets }: { readonly secrets: Secrets }) {
  /** The marks by which the client is known: that of the current key first, then that of the previous one. */
  const marksOf = (id: string, userId: string) =>
    secrets.digests(`client/${id}/${userId}`).map((digest) => digest.slice(0, PART));

  function partsOf(client: string | null): { readonly id: string; readonly marks: readonly string[] } | null {
    if (client === null || !FORM.test(client)) return null;
    return { id: client.slice(0, PART), marks: client.slice(PART).match(new RegExp(`.{${PART}}`, 'g')) ?? [] };
  }

  /** What tells a client that has logged in to the account before from others; null for clients that have not. */
  function knownAs(client: string | null, userId: string): string | null {
    const parts = partsOf(client);
    if (parts === null) return null;
    return marksOf(parts.id, userId).some((mark) => parts.marks.includes(mark)) ? `${userId}/${parts.id}` : null;
  }

  return {
    knownAs,
    /**
     * The same text for all clients that have logged in to the account before. They share one budget of guesses at codes:
     * somebody who knows the password can make any number of clients known, but must not get more guesses by that.
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
