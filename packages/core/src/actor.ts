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

/** On whose behalf a use case runs. */
export interface Actor {
  /** `null` for anonymous callers. */
  readonly user: UserIdentity | null;
  /** The session that the request came with; `null` with Basic credentials. */
  readonly sessionId: string | null;
  readonly isAdmin: boolean;
  /** Administrators and BackOffice users: they have every right on every document and file. */
  readonly isPrivileged: boolean;
  /** Every principal that a grant to this actor can name. */
  readonly principals: readonly Principal[];
}

export interface SignedInActor extends Actor {
  readonly user: UserIdentity;
}

export const ANONYMOUS: Actor = Object.freeze({
  user: null,
  sessionId: null,
  isAdmin: false,
  isPrivileged: false,
  principals: Object.freeze([rolePrincipal(ROLES.anonymous)]),
});

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
  const roles = new Set([ROLES.registered, ROLES.anonymous, user.role].map(rolePrincipal));
  return Object.freeze({
    user,
    sessionId,
    isAdmin: isAdministrator(user.role),
    isPrivileged: isAdministrator(user.role) || isBackOffice(user.role),
    principals: Object.freeze([userPrincipal(user.id), ...roles, ...groups.map(groupPrincipal)]),
  });
}

/** @throws `auth.required` for anonymous callers */
export function requireUser(actor: Actor): UserIdentity {
  if (actor.user === null) throw new AppError('auth.required');
  return actor.user;
}

/** @throws `auth.required` for anonymous callers, `admin.required` for users who are not administrators */
export function requireAdmin(actor: Actor): UserIdentity {
  const user = requireUser(actor);
  if (!actor.isAdmin) throw new AppError('admin.required');
  return user;
}

/** The id of the viewer who does not see users that block them; null for administrators and anonymous callers, who see all. */
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
