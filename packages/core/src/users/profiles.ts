import { type Actor, NOBODY } from '../actor.ts';
import type { ProfileScope, UserRecord, ViewedUser } from '../ports/storage/users.ts';
import { SECTIONS, type SectionName } from '../section-names.ts';

/** A user as seen by a viewer. Sections that the viewer may not read are null. */
export interface Profile extends Omit<UserRecord, 'sections'> {
  readonly sections: Readonly<Record<SectionName, string | null>>;
}

export interface View {
  /** True if the profile is in the viewer's own list of followers, where it is shown as to a friend. */
  readonly isOwnFollower?: boolean;
}

/** Returns the scope of profile sections that `actor` may read. */
export function profileScopeOf(actor: Actor, { isOwnFollower = false }: View = {}): ProfileScope {
  return {
    viewer: actor.user?.id ?? (actor.key === null ? null : NOBODY),
    everything: actor.isAdmin,
    asFriend: isOwnFollower,
  };
}

/** Returns the user as seen by the viewer of the scope. Others do not learn that somebody deletes their account. */
export function seenBy<T extends ViewedUser>({ viewer, everything, asFriend }: ProfileScope, user: T) {
  const isOwner = everything || viewer === user.id;
  const visible: Record<SectionName, boolean> = {
    visibleByTheUser: isOwner,
    visibleByFriend: isOwner || user.isFollowed || asFriend,
    visibleByRegisteredUsers: everything || viewer !== null,
    visibleByAnonymousUsers: true,
  };
  const shown = SECTIONS.map((name) => [name, visible[name] ? user.sections[name] : null]);
  const status = user.status === 'ERASING' && !isOwner ? 'SUSPENDED' : user.status;
  return { ...user, status, sections: Object.fromEntries(shown) as Profile['sections'] };
}

/** Returns the profile of a user as seen by `actor`. */
export const profileFor = (actor: Actor, user: ViewedUser, view: View = {}): Profile =>
  seenBy(profileScopeOf(actor, view), user);
