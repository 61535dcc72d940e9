import { type Actor, requireAdmin, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { ListedUser, UserCircle, UserOrder } from '../ports/storage/users.ts';
import { ADMINISTRATOR_NAME } from './administrator.ts';
import { userKey } from './names.ts';
import { type Profile, profileFor } from './profiles.ts';

export interface UserPage {
  readonly order: UserOrder;
  /** Where the page before ended: an id or a key, as the order says. */
  readonly after: string | null;
  readonly skip: number;
  readonly limit: number;
  /** Whether only the number of all users in the list is wanted. */
  readonly countOnly: boolean;
}

export interface UserPageResult {
  /** How many there are, when only that was wanted. */
  readonly count: number | null;
  readonly profiles: readonly Profile[];
  /** Where the next page begins; null when this is the last one. */
  readonly next: string | null;
}

export type UserLists = ReturnType<typeof createUserLists>;

/** Lists of users. The administrator of the service is in none of them. */
export function createUserLists({ storage }: { readonly storage: Storage }) {
  const nobody: UserPageResult = { count: null, profiles: [], next: null };

  const none = ({ countOnly }: UserPage): UserPageResult => ({ ...nobody, count: countOnly ? 0 : null });

  async function list(
    actor: Actor,
    circle: UserCircle,
    page: UserPage,
    isOwnFollower = false,
  ): Promise<UserPageResult> {
    if (page.countOnly) return { ...nobody, count: await storage.users.count(circle, ADMINISTRATOR_NAME) };
    const viewer = actor.user?.id ?? null;
    const limit = page.limit + 1;
    const { order, after, skip } = page;
    const users = await storage.users.list({ order, after, skip, limit, circle, viewer, without: ADMINISTRATOR_NAME });
    const shown = users.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      count: null,
      profiles: shown.map((user) => profileFor(actor, user, { isOwnFollower })),
      next: users.length > page.limit && last !== undefined ? position(last, page.order) : null,
    };
  }

  const position = ({ id, key }: ListedUser, { by }: UserOrder) => (by === 'name' ? key : id);

  /** The id of the user in the middle of a circle; null when there is none of that name. */
  async function middle(actor: Actor, username: string | null): Promise<string | null> {
    const caller = requireUser(actor);
    if (username === null) return caller.id;
    return (await storage.users.findByKey(userKey(username)))?.id ?? null;
  }

  return {
    /** Everybody, as the caller may see them. @throws `auth.required` */
    async everybody(actor: Actor, page: UserPage): Promise<UserPageResult> {
      requireUser(actor);
      return list(actor, { kind: 'all' }, page);
    },

    /** Everybody, for administrators. @throws `auth.required`, `admin.required` */
    async everybodyAsAdmin(actor: Actor, page: UserPage): Promise<UserPageResult> {
      requireAdmin(actor);
      return list(actor, { kind: 'all' }, page);
    },

    /** Whom the caller, or the named user, follows; empty when there is no such user. @throws `auth.required` */
    async following(actor: Actor, username: string | null, page: UserPage): Promise<UserPageResult> {
      const of = await middle(actor, username);
      return of === null ? none(page) : list(actor, { kind: 'following', of }, page);
    },

    /**
     * Who follows the caller, or the named user; empty when there is no such user. The caller's own followers are
     * shown to them as friends are.
     *
     * @throws `auth.required`
     */
    async followers(actor: Actor, username: string | null, page: UserPage): Promise<UserPageResult> {
      const of = await middle(actor, username);
      return of === null ? none(page) : list(actor, { kind: 'followers', of }, page, of === actor.user?.id);
    },

    /** A profile as the caller may see it. @throws `user.not_found` */
    async profile(actor: Actor, username: string): Promise<Profile> {
      const user = await storage.users.view(userKey(username), actor.user?.id ?? null);
      if (user === null) throw new AppError('user.not_found');
      return profileFor(actor, user);
    },

    /** Whether somebody has this name. @throws `auth.required` */
    async exists(actor: Actor, username: string): Promise<boolean> {
      requireUser(actor);
      return (await storage.users.findByKey(userKey(username))) !== null;
    },
  };
}
