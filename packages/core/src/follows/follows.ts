import { type Actor, requireAdmin, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import { isInternalName, userKey } from '../names/names.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserIdentity, ViewedUser } from '../ports/storage/users.ts';
import { type Profile, profileFor } from '../users/profiles.ts';

/** The names of two users. */
export interface FollowPair {
  readonly follower: string;
  readonly followed: string;
}

export type Follows = ReturnType<typeof createFollows>;

export function createFollows({ storage }: { readonly storage: Storage }) {
  /** @throws `user.internal`, `user.not_found` */
  async function find(name: string, viewer: string | null): Promise<ViewedUser> {
    if (isInternalName(name)) throw new AppError('user.internal');
    const user = await storage.users.view(userKey(name), viewer);
    if (user === null) throw new AppError('user.not_found', { detail: `"${name}"` });
    return user;
  }

  async function relate(follower: UserIdentity, followed: UserIdentity): Promise<void> {
    if (follower.id === followed.id) throw new AppError('follow.self');
    if (!(await storage.follows.add(follower.id, followed.id))) throw new AppError('follow.exists');
  }

  async function part(follower: UserIdentity, followed: UserIdentity): Promise<void> {
    if (!(await storage.follows.remove(follower.id, followed.id))) throw new AppError('follow.not_found');
  }

  return {
    /**
     * Makes the caller follow a user. Resolves to that user's profile, as followers see it.
     *
     * @throws `auth.required`, `user.internal`, `user.not_found`, `follow.self`, `follow.exists`
     */
    async follow(actor: Actor, username: string): Promise<Profile> {
      const caller = requireUser(actor);
      const followed = await find(username, caller.id);
      await relate(caller, followed);
      return profileFor(actor, { ...followed, isFollowed: true });
    },

    /** @throws `auth.required`, `user.internal`, `user.not_found`, `follow.not_found` */
    async unfollow(actor: Actor, username: string): Promise<void> {
      const caller = requireUser(actor);
      await part(caller, await find(username, null));
    },

    /**
     * Makes one user follow another, on an administrator's behalf.
     *
     * @throws `auth.required`, `admin.required`, `user.internal`, `user.not_found`, `follow.self`, `follow.exists`
     */
    async createAsAdmin(actor: Actor, { follower, followed }: FollowPair): Promise<void> {
      requireAdmin(actor);
      await relate(await find(follower, null), await find(followed, null));
    },

    /** @throws `auth.required`, `admin.required`, `user.internal`, `user.not_found`, `follow.not_found` */
    async removeAsAdmin(actor: Actor, { follower, followed }: FollowPair): Promise<void> {
      requireAdmin(actor);
      await part(await find(follower, null), await find(followed, null));
    },
  };
}
