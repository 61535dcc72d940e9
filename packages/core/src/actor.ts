import {
  type AccessScope,
  groupPrincipal,
  isAdministrator,
  isPrivileged,
  type Principal,
  type Rights,
  ROLES,
  rolePrincipal,
  userPrincipal,
} from './access.ts';
import { AppError } from './errors.ts';
import type { UserIdentity } from './ports/storage/users.ts';

/** An API key, and the administrator who created it and owns what it creates. */
export interface KeyIdentity {
  readonly id: string;
  readonly owner: UserIdentity;
}

/** The caller of a use case. */
export interface Actor {
  /** `null` for anonymous callers and for API keys. */
  readonly user: UserIdentity | null;
  /** Session of the request; `null` with Basic credentials and API keys. */
  readonly sessionId: string | null;
  /** API key of the request. Its holder is not a user, so `user` is null then. */
  readonly key: KeyIdentity | null;
  /** User name or verified address in Basic credentials. Absent without them. */
  readonly typedName?: string;
  /** Network of the client, for audit events; null or absent if unknown. */
  readonly network?: string | null;
  readonly isAdmin: boolean;
  /** True for administrators and BackOffice users, who have every right on every document and file. */
  readonly isPrivileged: boolean;
  /** All principals through which this actor can receive grants. */
  readonly principals: readonly Principal[];
}

export interface SignedInActor extends Actor {
  readonly user: UserIdentity;
}

export interface KeyActor extends Actor {
  readonly key: KeyIdentity;
}

export const ANONYMOUS: Actor = Object.freeze({
  user: null,
  sessionId: null,
  key: null,
  isAdmin: false,
  isPrivileged: false,
  principals: Object.freeze([rolePrincipal(ROLES.anonymous)]),
});

const rightsOf = (role: string) => ({
  isAdmin: isAdministrator(role),
  isPrivileged: isPrivileged(role),
});

const rolesOf = (role: string): readonly Principal[] => [
  ...new Set([ROLES.registered, ROLES.anonymous, role].map(rolePrincipal)),
];

/**
 * Creates the actor of a user. Users also have the grants of `anonymous`; a custom role includes `registereduser`.
 *
 * @param groups ids of the user's groups
 */
export function createActor(
  user: UserIdentity,
  sessionId: string | null,
  groups: readonly string[] = [],
): SignedInActor {
  return Object.freeze({
    user,
    sessionId,
    key: null,
    ...rightsOf(user.role),
    principals: Object.freeze([userPrincipal(user.id), ...rolesOf(user.role), ...groups.map(groupPrincipal)]),
  });
}

/** Creates the actor of an API key, with the rights of its role and none of a user. */
export function createKeyActor(key: KeyIdentity, role: string): KeyActor {
  return Object.freeze({
    user: null,
    sessionId: null,
    key,
    ...rightsOf(role),
    principals: Object.freeze(rolesOf(role)),
  });
}

/** Returns true if the caller is a user or has an API key. */
export const isSignedIn = ({ user, key }: Actor) => user !== null || key !== null;

/** @throws `auth.required` for anonymous callers */
export function requireSignedIn(actor: Actor): void {
  if (!isSignedIn(actor)) throw new AppError('auth.required');
}

/**
 * Returns the owner of what the caller creates. For an API key this is the administrator who created it.
 *
 * @throws `auth.required` for anonymous callers
 */
export function requireAuthor(actor: Actor): UserIdentity {
  const author = actor.user ?? actor.key?.owner ?? null;
  if (author === null) throw new AppError('auth.required');
  return author;
}

/** @throws `auth.required` for anonymous callers, `key.user_required` for API keys */
export function requireUser(actor: Actor): UserIdentity {
  if (actor.key !== null) throw new AppError('key.user_required');
  if (actor.user === null) throw new AppError('auth.required');
  return actor.user;
}

/** @throws `auth.required` for anonymous callers, `admin.required` for callers who are not administrators */
export function requireAdmin(actor: Actor): void {
  if (actor.isAdmin) return;
  requireSignedIn(actor);
  throw new AppError('admin.required');
}

/** Stands for "no user" where a user id is needed. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the id of a viewer who does not see users that block them; null for administrators, API keys and anonymous
 * callers, who see all.
 */
export const blockableViewer = ({ user, isAdmin }: Actor): string | null => (isAdmin ? null : (user?.id ?? null));

/**
 * @param ruled rights under the rules of the addressed collection
 * @param rules see `AccessScope.rules`
 */
export function accessScopeOf(
  actor: Actor,
  followersRead: boolean,
  ruled: Rights = 0,
  rules?: AccessScope['rules'],
): AccessScope {
  return {
    everything: actor.isPrivileged,
    owner: actor.user?.id ?? null,
    principals: actor.principals,
    followed: followersRead && actor.user !== null,
    ruled,
    ...(rules !== undefined && { rules }),
  };
}
