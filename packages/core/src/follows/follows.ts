import { type Actor, requireAdmin, requireUser } from '../actor.ts';
import { markUser } from '../changes/marks.ts';
import { AppError } from '../errors.ts';
import { isInternalName, userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { FollowOutcome, FollowPolicy, FollowStore } from '../ports/storage/follows.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserIdentity, ViewedUser } from '../ports/storage/users.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { type Profile, profileFor } from '../users/profiles.ts';

/** Names of two users. */
export interface FollowPair {
  readonly follower: string;
  readonly followed: string;
}

export interface FollowsDeps {
  readonly storage: Storage;
  readonly settings: SettingsReader;
  readonly clock: Clock;
  readonly freshLogin: FreshLogin;
}

/** Result of a change of follows. */
type Outcome = boolean | FollowOutcome | Awaited<ReturnType<FollowStore['unfollow']>>;

/** Outcomes by which a relation began or ended. */
const SIGHT_CHANGES: ReadonlySet<Outcome> = new Set<Outcome>([true, 'followed', 'relation']);

export type Follows = ReturnType<typeof createFollows>;

/**
 * Finds a user to be followed or blocked. A user who blocks the viewer counts as unknown.
 *
 * @throws `user.internal`, `user.not_found`
 */
export async function findOther(storage: Storage, name: string, viewer: string | null): Promise<ViewedUser> {
  if (isInternalName(name)) throw new AppError('user.internal');
  const user = await storage.users.view(userKey(name), viewer);
  if (user === null) throw unknownUser(name);
  return user;
}

/** Returns the error for a user who does not exist, or blocks the caller. */
export const unknownUser = (name: string) => new AppError('user.not_found', { detail: `"${name}"` });

/** Follow relations between users, and follow requests. */
export function createFollows({ storage, settings, clock, freshLogin }: FollowsDeps) {
  /**
   * Changes follows. If a relation begins or ends, also marks the follower's changed permissions in the same
   * transaction.
   */
  function changing<T extends Outcome>(follower: string, change: (follows: FollowStore) => Promise<T>): Promise<T> {
    return storage.transaction(async (stores) => {
      const outcome = await change(stores.follows);
      if (SIGHT_CHANGES.has(outcome)) await markUser(stores, follower, { reason: 'follow', now: clock.now() });
      return outcome;
    });
  }

  const find = (name: string, viewer: string | null) => findOther(storage, name, viewer);

  async function relate(follower: UserIdentity, followed: UserIdentity): Promise<void> {
    if (follower.id === followed.id) throw new AppError('follow.self');
    const isNew = await changing(follower.id, (follows) => follows.add(follower.id, followed.id));
    if (!isNew) throw new AppError('follow.exists');
  }

  async function part(follower: UserIdentity, followed: UserIdentity): Promise<void> {
    const isEnded = await changing(follower.id, (follows) => follows.remove(follower.id, followed.id));
    if (!isEnded) throw new AppError('follow.not_found');
  }

  return {
    /**
     * Makes the caller follow a user, or sends a request, depending on the user's policy. Resolves to the user's
     * profile as followers see it, or to null if the request is pending.
     *
     * @throws `auth.required`, `user.internal`, `user.not_found`, `follow.self`, `follow.exists`, `follow.refused`
     */
    async follow(actor: Actor, username: string): Promise<Profile | null> {
      const caller = requireUser(actor);
      const followed = await find(username, caller.id);
      if (caller.id === followed.id) throw new AppError('follow.self');
      const usual = (await settings.current())['following.default'] as FollowPolicy;
      switch (await changing(caller.id, (follows) => follows.follow(caller.id, followed.id, usual))) {
        case 'followed':
          return profileFor(actor, { ...followed, isFollowed: true });
        case 'requested':
          return null;
        case 'exists':
          throw new AppError('follow.exists');
        case 'refused':
          throw new AppError('follow.refused');
        case 'blocking':
          throw new AppError('follow.refused', { detail: 'you block this user' });
        case 'blocked':
          throw unknownUser(username);
      }
    },

    /**
     * Ends the relation, or withdraws the caller's request.
     *
     * @throws `auth.required`, `user.internal`, `user.not_found`, `follow.not_found`
     */
    async unfollow(actor: Actor, username: string): Promise<void> {
      const caller = requireUser(actor);
      const { id } = await find(username, caller.id);
      const ended = await changing(caller.id, (follows) => follows.unfollow(caller.id, id));
      if (ended === null) throw new AppError('follow.not_found');
    },

    /**
     * Removes a follower of the caller. @throws `auth.required`, `user.internal`, `user.not_found`, `follow.not_found`
     */
    async removeFollower(actor: Actor, username: string): Promise<void> {
      const caller = requireUser(actor);
      await part(await find(username, caller.id), caller);
    },

    /** @throws `auth.required`, `user.internal`, `user.not_found`, `follow.request_not_found` */
    async accept(actor: Actor, username: string): Promise<void> {
      const caller = requireUser(actor);
      const { id } = await find(username, caller.id);
      const isNew = await changing(id, (follows) => follows.accept(id, caller.id));
      if (!isNew) throw new AppError('follow.request_not_found');
    },

    /** @throws `auth.required`, `user.internal`, `user.not_found`, `follow.request_not_found` */
    async decline(actor: Actor, username: string): Promise<void> {
      const caller = requireUser(actor);
      const { id } = await find(username, caller.id);
      if (!(await storage.follows.decline(id, caller.id))) throw new AppError('follow.request_not_found');
    },

    /** Returns the caller's follow policy; null for the setting `following.default`. @throws `auth.required` */
    async policy(actor: Actor): Promise<FollowPolicy | null> {
      return storage.follows.policy(requireUser(actor).id);
    },

    /** Sets the caller's follow policy. Followers and requests stay unchanged. @throws `auth.required` */
    async setPolicy(actor: Actor, policy: FollowPolicy | null): Promise<void> {
      await storage.follows.setPolicy(requireUser(actor).id, policy);
    },

    /**
     * Makes one user follow another, on an administrator's behalf, regardless of policies and blocks. The follower may
     * read the documents of the other from then on.
     *
     * @throws `auth.required`, `admin.required`, `user.internal`, `user.not_found`, `follow.self`, `follow.exists`, the
     * errors of `FreshLogin.ensure`
     */
    async createAsAdmin(actor: Actor, { follower, followed }: FollowPair, presence: Presence): Promise<void> {
      requireAdmin(actor);
      await freshLogin.ensure(actor, presence);
      await relate(await find(follower, null), await find(followed, null));
    },

    /** @throws `auth.required`, `admin.required`, `user.internal`, `user.not_found`, `follow.not_found` */
    async removeAsAdmin(actor: Actor, { follower, followed }: FollowPair): Promise<void> {
      requireAdmin(actor);
      await part(await find(follower, null), await find(followed, null));
    },
  };
}
