import { type Actor, blockableViewer, NOBODY, requireAdmin, requireSignedIn, requireUser } from '../actor.ts';
import { userSortValues, userSource } from '../criteria/names.ts';
import { type SearchPage, type SearchResult, search } from '../criteria/search.ts';
import type { Query } from '../criteria/syntax.ts';
import { AppError } from '../errors.ts';
import { userKey, userName } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserSet } from '../ports/storage/users.ts';
import { ADMINISTRATOR_NAME } from './administrator.ts';
import { type Profile, profileFor, profileScopeOf, seenBy } from './profiles.ts';

/** A list of users that the caller may read. */
export interface SearchableUsers {
  count(query: Pick<Query, 'where'>): Promise<number>;
  /** @throws `criteria.invalid` */
  search(page: SearchPage): Promise<SearchResult<Profile>>;
}

export type UserLists = ReturnType<typeof createUserLists>;

/** Lists of users. They exclude the built-in administrator and users who block the caller. */
export function createUserLists({ storage, clock }: { readonly storage: Storage; readonly clock: Clock }) {
  function list(actor: Actor, userSet: UserSet, isOwnFollower = false): SearchableUsers {
    const profileScope = profileScopeOf(actor, { isOwnFollower });
    const among = { userSet, profileScope, without: ADMINISTRATOR_NAME };
    return {
      count: ({ where }) => storage.users.count({ ...among, where }),
      async search(page) {
        const found = await search(page, {
          list: (wanted) => storage.users.list({ ...wanted, ...among }),
          summarize: (wanted) => storage.users.summarize({ ...wanted, ...among }),
          source: (user) => userSource(seenBy(profileScope, user)),
          keys: (order, user) => userSortValues(order, seenBy(profileScope, user)),
          texts: ({ sections }) => Object.values(sections),
        });
        return { ...found, objects: found.objects?.map((user) => seenBy(profileScope, user)) ?? null };
      },
    };
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
    /** Returns all users, as seen by the caller. @throws `auth.required` */
    all(actor: Actor): SearchableUsers {
      requireSignedIn(actor);
      return list(actor, { kind: 'all' });
    },

    /** Returns all users, for administrators. @throws `auth.required`, `admin.required` */
    allAsAdmin(actor: Actor): SearchableUsers {
      requireAdmin(actor);
      return list(actor, { kind: 'all' });
    },

    /**
     * Returns the users followed by the caller, or by the given user; empty for an unknown user.
     *
     * @throws `auth.required`
     */
    async following(actor: Actor, username: string | null): Promise<SearchableUsers> {
      const of = await subjectOf(actor, username);
      return list(actor, { kind: 'following', of });
    },

    /**
     * Returns the followers of the caller, or of the given user; empty for an unknown user. Callers see their own
     * followers as friends do.
     *
     * @throws `auth.required`
     */
    async followers(actor: Actor, username: string | null): Promise<SearchableUsers> {
      const of = await subjectOf(actor, username);
      return list(actor, { kind: 'followers', of }, of === actor.user?.id);
    },

    /** Returns the users who ask to follow the caller. @throws `auth.required` */
    requests(actor: Actor): SearchableUsers {
      return list(actor, { kind: 'requests', of: requireUser(actor).id });
    },

    /** Returns the users whom the caller blocks. @throws `auth.required` */
    blocked(actor: Actor): SearchableUsers {
      return list(actor, { kind: 'blocked', of: requireUser(actor).id });
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
