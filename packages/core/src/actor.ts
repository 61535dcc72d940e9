import {
  type AccessScope,
  groupPrincipal,
  type Principal,
  type Rights,
  rolePrincipal,
  userPrincipal,
} from './access.ts';
import { AppError } from './errors.ts';
import type { UserIdentity } from './ports/storage/users.ts';
import { isAdministrator, isBackOffice, ROLES } from './roles/roles.ts';

/** A server key, and the administrator who made it and owns what it creates. */
export interface KeyIdentity {
  readonly id: string;
  readonly owner: UserIdentity;
}

/** On whose behalf a use case runs. */
export interface Actor {
  /** `null` for anonymous callers and for server keys. */
  readonly user: UserIdentity | null;
  /** The session that the request came with; `null` with Basic credentials and server keys. */
  readonly sessionId: string | null;
  /** The server key that the request came with. Its holder is no user, so `user` is null then. */
  readonly key: KeyIdentity | null;
  /** What Basic credentials named the user by: the name, or a verified address. Absent without them. */
  readonly typedName?: string;
  /** The network of the client, for audit events; null or absent where it is not known. */
  readonly network?: string | null;
  readonly isAdmin: boolean;
  /** Administrators and BackOffice users: they have every right on every document and file. */
  readonly isPrivileged: boolean;
  /** Every principal that a grant to this actor can name. */
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
  isPrivileged: isAdministrator(role) || isBackOffice(role),
});

const rolesOf = (role: string): readonly Principal[] => [
  ...new Set([ROLES.registered, ROLES.anonymous, role].map(rolePrincipal)),
];

/**
 * Users also get what `anonymous` is granted; a custom role includes `registereduser`.
 *
 * @param groups the ids of the groups that the user is in
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

/** The holder of a server key, with the rights of its role and none of a user. */
export function createKeyActor(key: KeyIdentity, role: string): KeyActor {
  return Object.freeze({
    user: null,
    sessionId: null,
    key,
    ...rightsOf(role),
    principals: Object.freeze(rolesOf(role)),
  });
}

/** Whether the caller is known: a user, or the holder of a server key. */
export const isSignedIn = ({ user, key }: Actor) => user !== null || key !== null;

/** @throws `auth.required` for anonymous callers */
export function requireSignedIn(actor: Actor): void {
  if (!isSignedIn(actor)) throw new AppError('auth.required');
}

/**
 * The user who owns what the caller creates: for a server key the administrator who made it.
 *
 * @throws `auth.required` for anonymous callers
 */
export function requireAuthor(actor: Actor): UserIdentity {
  const author = actor.user ?? actor.key?.owner ?? null;
  if (author === null) throw new AppError('auth.required');
  return author;
}

/** @throws `auth.required` for anonymous callers, `key.user_required` for server keys */
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

/** Stands for "no user" where the id of one is needed. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * The id of the viewer who does not see users that block them; null for administrators, server keys and anonymous
 * callers, who see all.
 */
export const blockableViewer = ({ user, isAdmin }: Actor): string | null => (isAdmin ? null : (user?.id ?? null));

/** @param ruled rights by the rules of the addressed collection */
export function accessScopeOf(actor: Actor, followersRead: boolean, ruled: Rights = 0): AccessScope {
  return {
    everything: actor.isPrivileged,
    owner: actor.user?.id ?? null,
    principals: actor.principals,
    followed: followersRead && actor.user !== null,
    ruled,
  };
}
