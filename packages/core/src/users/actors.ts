import { type Actor, createActor } from '../actor.ts';
import { userKey } from '../names/names.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** Returns the actor that a user with this name is after a login; null if there is no such user. */
export async function findActor({ users }: Pick<Stores, 'users'>, username: string): Promise<Actor | null> {
  const found = await users.credentials(userKey(username));
  if (found === null) return null;
  const { id, name, role, groups } = found;
  return createActor({ id, name, role }, null, groups);
}
