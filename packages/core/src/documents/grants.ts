import { ACTIONS, type Action, type Grant, type Principal, RIGHTS, rolePrincipal, userPrincipal } from '../access.ts';
import { AppError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { roleKey } from '../roles/roles.ts';
import { userKey } from '../users/names.ts';

/** To whom a permission is given, as a client names it. */
export interface Grantee {
  readonly kind: 'user' | 'role';
  readonly name: string;
}

/** @throws `grant.action_unknown` */
export function parseAction(text: string): Action {
  const action = ACTIONS.find((known) => known === text);
  if (action === undefined) throw new AppError('grant.action_unknown', { detail: `"${text}"` });
  return action;
}

/** Resolves to null when there is no such user or role. */
export async function findPrincipal(stores: Stores, { kind, name }: Grantee): Promise<Principal | null> {
  if (kind === 'user') {
    const user = await stores.users.findByKey(userKey(name));
    return user === null ? null : userPrincipal(user.id);
  }
  const role = await stores.roles.findByKey(roleKey(name));
  return role === null ? null : rolePrincipal(role.name);
}

const INITIAL_GRANTS: Readonly<Record<string, Action>> = {
  _allowRead: 'read',
  _allowUpdate: 'update',
  _allowDelete: 'delete',
  _allow: 'all',
};

/** A client that grants to more than this at once wants a role. */
const MAX_INITIAL_GRANTS = 1000;

function parseGrantee(entry: JsonValue): Grantee {
  if (!isJsonObject(entry) || typeof entry.name !== 'string') throw new AppError('grant.invalid');
  return { kind: entry.isrole === true ? 'role' : 'user', name: entry.name };
}

/** @throws `input.array_expected`, `grant.invalid` */
function parseGrants(members: JsonObject): Array<Grantee & { action: Action }> {
  const wanted: Array<Grantee & { action: Action }> = [];
  for (const [member, action] of Object.entries(INITIAL_GRANTS)) {
    if (!Object.hasOwn(members, member)) continue;
    const entries = members[member];
    if (!Array.isArray(entries)) throw new AppError('input.array_expected', { detail: member });
    for (const entry of entries) wanted.push({ ...parseGrantee(entry), action });
  }
  if (wanted.length > MAX_INITIAL_GRANTS) {
    throw new AppError('grant.invalid', { detail: `at most ${MAX_INITIAL_GRANTS} at once` });
  }
  return wanted;
}

/** @throws `grant.user_unknown`, `grant.role_unknown` */
async function requirePrincipal(stores: Stores, grantee: Grantee): Promise<Principal> {
  const principal = await findPrincipal(stores, grantee);
  if (principal !== null) return principal;
  const code = grantee.kind === 'user' ? 'grant.user_unknown' : 'grant.role_unknown';
  throw new AppError(code, { detail: `"${grantee.name}"` });
}

/**
 * The grants that a new document asks for in `_allowRead`, `_allowUpdate`, `_allowDelete` and `_allow`: arrays of
 * `{"name","isrole"}`.
 *
 * @throws `input.array_expected`, `grant.invalid`, `grant.user_unknown`, `grant.role_unknown`
 */
export async function initialGrants(stores: Stores, { value }: ParsedJson): Promise<Grant[]> {
  if (!isJsonObject(value)) return [];
  const rights = new Map<Principal, number>();
  for (const { action, ...grantee } of parseGrants(value)) {
    const principal = await requirePrincipal(stores, grantee);
    rights.set(principal, (rights.get(principal) ?? 0) | RIGHTS[action]);
  }
  return Array.from(rights, ([principal, bits]) => ({ principal, rights: bits }));
}
