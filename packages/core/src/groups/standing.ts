import { type Actor, requireSignedIn } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { GroupRole, OwnGroup } from '../ports/storage/groups.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** Permissions of a caller in a group. */
export interface Standing {
  /** True if the caller may rename the group, and add and remove plain members. */
  readonly manages: boolean;
  /** True if the caller may do everything. */
  readonly owns: boolean;
}

/** Returns a caller's permissions. Administrators have those of the owner. */
export const standingOf = (actor: Actor, role: GroupRole | null): Standing => ({
  manages: actor.isAdmin || role === 'owner' || role === 'manager',
  owns: actor.isAdmin || role === 'owner',
});

/** @throws `access.denied` */
export function allow(isAllowed: boolean): void {
  if (!isAllowed) throw new AppError('access.denied');
}

/** Returns the group with the caller's role in it. @throws `auth.required`, `group.not_found` */
export async function findGroup(stores: Stores, actor: Actor, id: string): Promise<OwnGroup> {
  requireSignedIn(actor);
  const group = await stores.groups.find(id, actor.user?.id ?? null);
  if (group === null || (group.role === null && !actor.isAdmin)) throw new AppError('group.not_found');
  return group;
}
