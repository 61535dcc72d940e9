import { isPrivileged } from '../access.ts';
import type { Actor } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';

/** Checks the user's role at the moment of the change. @throws `auth.fresh_login_required` */
export type RoleCheck = (role: string) => void;

/**
 * Protects administrators and BackOffice users, and their roles, from API keys and stolen sessions, which could
 * otherwise outlast their removal or lock the administrators out. To be called before a change of a user, outside its transaction.
 *
 * @param roles roles of the user before and after the change
 * @returns a check for inside the transaction, because the user may have got such a role in between
 * @throws `key.user_required` for API keys, the errors of `FreshLogin.ensure`
 */
export async function guardPrivileged(
  freshLogin: FreshLogin,
  { actor, presence, roles }: { readonly actor: Actor; readonly presence: Presence; readonly roles: readonly string[] },
): Promise<RoleCheck> {
  if (roles.some(isPrivileged)) {
    if (actor.key !== null) throw new AppError('key.user_required');
    await freshLogin.ensure(actor, presence);
    return () => undefined;
  }
  return (role) => {
    if (isPrivileged(role)) throw new AppError('auth.fresh_login_required');
  };
}
