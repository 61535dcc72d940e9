import type { Actor } from '../actor.ts';
import type { Storage } from '../ports/storage/storage.ts';

export type RequireCurrentLists = (actor: Actor) => Promise<void>;

/**
 * Creates a function after which the lists of a caller have everything that is committed by then, on every node. A client
 * that lists and then goes on from a cursor would miss for good what such a list lacks.
 */
export const createRequireCurrentLists =
  ({ acknowledge }: Pick<Storage, 'acknowledge'>): RequireCurrentLists =>
  async ({ user, key }) => {
    // Holders of server keys read from no copy of the database.
    if (key === null) await acknowledge?.(user?.id ?? null);
  };
