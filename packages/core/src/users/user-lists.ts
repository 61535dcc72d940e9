import { type Actor, blockableViewer, NOBODY, requireAdmin, requireSignedIn, requireUser } from '../actor.ts';
import { userSortValues, userSource } from '../criteria/names.ts';
import { type SearchPage, type SearchResult, search } from '../criteria/search.ts';
import { AppError } from '../errors.ts';
import { userKey, userName } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserSet } from '../ports/storage/users.ts';
import { ADMINISTRATOR_NAME } from './administrator.ts';
import { type Profile, profileFor, profileScopeOf, seenBy } from './profiles.ts';

export interface UserPage extends SearchPage {
  /** True if only the number of matching users is requested. */
  readonly countOnly: boolean;
}

export interface UserPageResult extends SearchResult<Profile> {
  /** Number of users if `countOnly` is set, else null. */
  readonly count: number | null;
}

export type UserLists = ReturnType<typeof createUserLists>;

/** Lists of users. They exclude the built-in administrator and users who block the caller. */
export function createUserLists({ storage, clock }: { readonly storage: Storage; readonly clock: Clock }) {
  async function list(actor: Actor, userSet: UserSet, page: UserPage, isOwnFollower = false): Promise<UserPageResult> {
    const profileScope = profileScopeOf(actor, { isOwnFollower });
    const among = { userSet, profileScope, without: ADMINISTRATOR_NAME };
    if (page.countOnly) {
      const count = await storage.users.count({ ...among, where: page.query.where });
      return { count, objects: [], rows: [], more: false, end: null };
    }
    const found = await search(page, {
      list: (wanted) => storage.users.list({ ...wanted, ...among }),
      summarize: (wanted) => storage.users.summarize({ ...wanted, ...among }),
      source: (user) => userSource(seenBy(profileScope, user)),
      keys: (order, user) => userSortValues(order, seenBy(profileScope, user)),
      texts: ({ sections }) => Object.values(sections),
    });
    return { ...found, count: null, objects: found.objects?.map((user) => seenBy(profileScope, user)) ?? null };
  }

  /**
   * Returns the id of the user whose followers or followed users are listed. A user who blocks the caller counts as
   * unknown.
   */
  async function subjectOf(actor: Actor, username: string | null): Promise<string> {
    if (username === null) return requireUser(actor).id;
    requireSignedIn(actor);
    return (await storage.users.view(userKey(username), blockableViewer(actor)))?.id ?? NOBODY;
  }

  return {
    /** Returns all users, as seen by the caller. @throws `auth.required`, `criteria.invalid` */
    async all(actor: Actor, page: UserPage): Promise<UserPageResult> {
      requireSignedIn(actor);
      return list(actor, { kind: 'all' }, page);
    },

    /** Returns all users, for administrators. @throws `auth.required`, `admin.required`, `criteria.invalid` */
    async allAsAdmin(actor: Actor, page: UserPage): Promise<UserPageResult> {
      requireAdmin(actor);
      return list(actor, { kind: 'all' }, page);
    },

    /**
     * Returns the users followed by the caller, or by the given user; empty for an unknown user.
     *
     * @throws `auth.required`, `criteria.invalid`
     */
    async following(actor: Actor, username: string | null, page: UserPage): Promise<UserPageResult> {
      const of = await subjectOf(actor, username);
      return list(actor, { kind: 'following', of }, page);
    },

    /**
     * Returns the followers of the caller, or of the given user; empty for an unknown user. Callers see their own
     * followers as friends do.
     *
     * @throws `auth.required`, `criteria.invalid`
     */
    async followers(actor: Actor, username: string | null, page: UserPage): Promise<UserPageResult> {
      const of = await subjectOf(actor, username);
      return list(actor, { kind: 'followers', of }, page, of === actor.user?.id);
    },

    /** Returns the users who ask to follow the caller. @throws `auth.required`, `criteria.invalid` */
    async requests(actor: Actor, page: UserPage): Promise<UserPageResult> {
      return list(actor, { kind: 'requests', of: requireUser(actor).id }, page);
    },

    /** Returns the users whom the caller blocks. @throws `auth.required`, `criteria.invalid` */
    async blocked(actor: Actor, page: UserPage): Promise<UserPageResult> {
      return list(actor, { kind: 'blocked', of: requireUser(actor).id }, page);
    },

    /**
     * Returns a profile as seen by the caller. A user who blocks the caller counts as unknown. @throws `user.not_found`
     */
    async profile(actor: Actor, username: string): Promise<Profile> {
      const user = await storage.users.view(userKey(username), blockableViewer(actor));
      if (user === null) throw new AppError('user.not_found');
      return profileFor(actor, user);
    },

    /**
     * Returns true if the name cannot be taken because a user has it or one that looks like it, or because it is
     * reserved for another user. Users who block the caller do not count.
     *
     * @throws `auth.required`
     */
    async exists(actor: Actor, username: string): Promise<boolean> {
      requireSignedIn(actor);
      return storage.users.isTaken(userName(username), blockableViewer(actor), clock.now());
    },
  };
}
