import type { Actor } from '../actor.ts';
import { AppError } from '../errors.ts';
import { isAdministrator } from '../roles/roles.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';

/** Checks the role that a user has at the moment of the change. @throws `auth.fresh_login_required` */
export type RoleCheck = (role: string) => void;

/**
 * Protects administrators, and the role itself, from server keys and stolen sessions: these could keep what they may do, or
 * lock the administrators out. To be called before a change of a user, outside its transaction.
 *
 * @param roles the roles of the user before and after the change
 * @returns the check for inside the transaction: the user may have become an administrator in between
 * @throws `key.user_required` for server keys, the errors of `FreshLogin.ensure`
 */
export async function guardAdministrators(
  freshLogin: FreshLogin,
  { actor, presence, roles }: { readonly actor: Actor; readonly presence: Presence; readonly roles: readonly string[] },
): Promise<RoleCheck> {
  if (roles.some(isAdministrator)) {
    if (actor.key !== null) throw new AppError('key.user_required');
    await freshLogin.ensure(actor, presence);
    return () => undefined;
  }
  return (role) => {
    if (isAdministrator(role)) throw new AppError('auth.fresh_login_required');
  };
}
