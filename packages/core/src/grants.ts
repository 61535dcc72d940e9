import { ACTIONS, type Action, type Grant, type Principal, RIGHTS, rolePrincipal, userPrincipal } from './access.ts';
import { AppError } from './errors.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from './json-text.ts';
import { userKey } from './names/names.ts';
import type { Stores } from './ports/storage/storage.ts';
import { roleKey } from './roles/roles.ts';

/** The user or role to whom a right is granted, by name, as clients send it. */
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

/** The principal of a user or role; null when there is none of this name. */
async function findPrincipal(stores: Stores, { kind, name }: Grantee): Promise<Principal | null> {
  if (kind === 'user') {
    const user = await stores.users.findByKey(userKey(name));
    return user === null ? null : userPrincipal(user.id);
  }
  const role = await stores.roles.findByKey(roleKey(name));
  return role === null ? null : rolePrincipal(role.name);
}

/** @throws `user.not_found`, `role.not_found` */
export async function requireGrantee(stores: Stores, grantee: Grantee): Promise<Principal> {
  const principal = await findPrincipal(stores, grantee);
  if (principal === null) throw new AppError(grantee.kind === 'user' ? 'user.not_found' : 'role.not_found');
  return principal;
}

/** Maximum number of names in the grants of one request: clients that grant to more users should use a role. */
const MAX_GRANTS = 1000;

/** The number of names that the grants of a request may still contain; the operations of a batch share one allowance. */
export interface GrantAllowance {
  /** @throws `grant.too_many` when fewer than `names` are left */
  take(names: number): void;
}

export function createGrantAllowance(): GrantAllowance {
  let left = MAX_GRANTS;
  return {
    take(names) {
      if (names > left) throw new AppError('grant.too_many');
      left -= names;
    },
  };
}

/** A right to be granted to a user or role. */
export type WantedGrant = Grantee & { readonly action: Action };

/** `read.users` as a JSON Pointer (RFC 6901). */
const pointerTo = (member: string) => `/${member.replaceAll('.', '/')}`;

/** @throws `input.array_expected`, `input.invalid` */
function parseNames(value: JsonValue | undefined, member: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new AppError('input.array_expected', { detail: member, input: pointerTo(member) });
  if (!value.every((name) => typeof name === 'string')) {
    throw new AppError('input.invalid', {
      detail: `"${member}" must contain only names`,
      input: pointerTo(member),
    });
  }
  return value;
}

/** @throws `grant.action_unknown`, `input.array_expected`, `input.invalid` */
function parseAccessList({ value }: ParsedJson): WantedGrant[] {
  if (!isJsonObject(value))
    throw new AppError('input.invalid', { detail: 'an object of permissions is expected', input: '' });
  return Object.entries(value).flatMap(([member, lists]) => {
    const action = parseAction(member);
    if (!isJsonObject(lists)) {
      throw new AppError('input.invalid', {
        detail: `"${member}" must be an object with "users" and "roles"`,
        input: pointerTo(member),
      });
    }
    const users = parseNames(Object.hasOwn(lists, 'users') ? lists.users : [], `${member}.users`);
    const roles = parseNames(Object.hasOwn(lists, 'roles') ? lists.roles : [], `${member}.roles`);
    return [
      ...users.map((name) => ({ kind: 'user', name, action }) as const),
      ...roles.map((name) => ({ kind: 'role', name, action }) as const),
    ];
  });
}

const unknown = ({ kind, name }: Grantee) =>
  new AppError(kind === 'user' ? 'grant.user_unknown' : 'grant.role_unknown', { detail: `"${name}"` });

/** Principals by the keys of users; users who do not exist are left out. */
async function findUsers(stores: Stores, keys: ReadonlySet<string>): Promise<Map<string, Principal>> {
  const ids = await stores.users.identify(Array.from(keys), null);
  return new Map(Array.from(ids, ([key, id]) => [key, userPrincipal(id)]));
}

/** Principals by the keys of roles; roles that do not exist are left out. */
async function findRoles(stores: Stores, keys: ReadonlySet<string>): Promise<Map<string, Principal>> {
  const found = new Map<string, Principal>();
  for (const key of keys) {
    const role = await stores.roles.findByKey(key);
    // The first unknown role makes the request fail, so the others need no look-up.
    if (role === null) break;
    found.set(key, rolePrincipal(role.name));
  }
  return found;
}

/**
 * Merges the rights so that each principal occurs once. Each name is looked up once, however often it is repeated.
 *
 * @throws `grant.too_many`, `grant.user_unknown`, `grant.role_unknown`
 */
export async function resolveGrants(
  stores: Stores,
  wanted: readonly WantedGrant[],
  allowance: GrantAllowance = createGrantAllowance(),
): Promise<Grant[]> {
  allowance.take(wanted.length);
  if (wanted.length === 0) return [];
  const keys = { user: new Set<string>(), role: new Set<string>() };
  const keyed = wanted.map((grant) => {
    const key = grant.kind === 'user' ? userKey(grant.name) : roleKey(grant.name);
    keys[grant.kind].add(key);
    return { grant, key };
  });
  const users = await findUsers(stores, keys.user);
  const roles = await findRoles(stores, keys.role);
  const rights = new Map<Principal, number>();
  for (const { grant, key } of keyed) {
    const principal = (grant.kind === 'user' ? users : roles).get(key);
    if (principal === undefined) throw unknown(grant);
    rights.set(principal, (rights.get(principal) ?? 0) | RIGHTS[grant.action]);
  }
  return Array.from(rights, ([principal, bits]) => ({ principal, rights: bits }));
}

/**
 * The grants of an access list: `{"read":{"users":[…],"roles":[…]},"update":…,"delete":…,"all":…}`. Rights and lists
 * that are absent are granted to nobody.
 *
 * @throws `grant.action_unknown`, `input.array_expected`, `input.invalid`, `grant.*` as `resolveGrants`
 */
export async function accessList(stores: Stores, body: ParsedJson, allowance?: GrantAllowance): Promise<Grant[]> {
  return resolveGrants(stores, parseAccessList(body), allowance);
}
