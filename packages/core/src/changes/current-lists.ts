import type { Actor } from '../actor.ts';
import type { Storage } from '../ports/storage/storage.ts';

export type RequireCurrentLists = (actor: Actor) => Promise<void>;

/**
 * Creates a function after which a caller's lists include everything committed so far, on every node. A client that
 * lists and then continues from a cursor would never receive documents missing from that list.
 */
export const createRequireCurrentLists =
  ({ acknowledge }: Pick<Storage, 'acknowledge'>): RequireCurrentLists =>
  async ({ user, key }) => {
    // Callers with API keys do not read from replicas.
    if (key === null) await acknowledge?.(user?.id ?? null);
  };
