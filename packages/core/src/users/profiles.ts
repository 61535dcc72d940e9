import { type Actor, NOBODY } from '../actor.ts';
import type { ProfileScope, UserRecord, ViewedUser } from '../ports/storage/users.ts';
import { SECTIONS, type SectionName } from '../section-names.ts';

/** A user as a viewer sees them: sections that the viewer may not read are null. */
export interface Profile extends Omit<UserRecord, 'sections'> {
  readonly sections: Readonly<Record<SectionName, string | null>>;
}

export interface View {
  /** Whether the profile is in the viewer's own list of followers, where it is shown as to a friend. */
  readonly isOwnFollower?: boolean;
}

/** The sections of profiles that `actor` may read. */
export function profileScopeOf(actor: Actor, { isOwnFollower = false }: View = {}): ProfileScope {
  return {
    viewer: actor.user?.id ?? (actor.key === null ? null : NOBODY),
    everything: actor.isAdmin,
    asFriend: isOwnFollower,
  };
}

/** The user as the viewer of the scope sees them. */
export function seenBy<T extends ViewedUser>({ viewer, everything, asFriend }: ProfileScope, user: T) {
  const isOwner = everything || viewer === user.id;
  const visible: Record<SectionName, boolean> = {
    visibleByTheUser: isOwner,
    visibleByFriend: isOwner || user.isFollowed || asFriend,
    visibleByRegisteredUsers: everything || viewer !== null,
    visibleByAnonymousUsers: true,
  };
  const shown = SECTIONS.map((name) => [name, visible[name] ? user.sections[name] : null]);
  return { ...user, sections: Object.fromEntries(shown) as Profile['sections'] };
}

/** The profile of a user as `actor` may see it. */
export const profileFor = (actor: Actor, user: ViewedUser, view: View = {}): Profile =>
  seenBy(profileScopeOf(actor, view), user);
