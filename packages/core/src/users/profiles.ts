import type { Actor } from '../actor.ts';
import { SECTIONS, type SectionName, type UserRecord, type ViewedUser } from '../ports/storage/users.ts';

/** A user as somebody may see them: a section that they may not read is null. */
export interface Profile extends Omit<UserRecord, 'sections'> {
  readonly sections: Readonly<Record<SectionName, string | null>>;
}

export interface View {
  /** Whether the profile stands in the viewer's own list of followers, where it is shown as to a friend. */
  readonly isOwnFollower?: boolean;
}

/** What `actor` may see of a user. */
export function profileFor(actor: Actor, user: ViewedUser, { isOwnFollower = false }: View = {}): Profile {
  const isOwner = actor.user?.id === user.id || actor.isAdmin;
  const isFriend = isOwner || user.isFollowed || isOwnFollower;
  const visible: Record<SectionName, boolean> = {
    visibleByTheUser: isOwner,
    visibleByFriend: isFriend,
    visibleByRegisteredUsers: actor.user !== null,
    visibleByAnonymousUsers: true,
  };
  const shown = SECTIONS.map((name) => [name, visible[name] ? user.sections[name] : null]);
  return { ...user, sections: Object.fromEntries(shown) };
}
