import {
  ACTIONS,
  type Action,
  type Grant,
  type GranteeKind,
  groupPrincipal,
  type Principal,
  RIGHTS,
  roleKey,
  rolePrincipal,
  userPrincipal,
} from './access.ts';
import { type Actor, blockableViewer } from './actor.ts';
import { AppError, type ErrorCode } from './errors.ts';
import { contentPointer } from './json-pointer.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from './json-text.ts';
import { userKey } from './names/names.ts';
import type { Stores } from './ports/storage/storage.ts';
import { isUuid } from './wire.ts';

/** Recipient of a grant as sent by clients: a user or role by name, or a group by id. */
export interface Grantee {
  readonly kind: GranteeKind;
  readonly name: string;
}

const MISSING: Readonly<Record<GranteeKind, ErrorCode>> = {
  user: 'user.not_found',
  role: 'role.not_found',
  group: 'group.not_found',
};

/** @throws `grant.action_unknown` */
export function parseAction(text: string, input: string | null = null): Action {
  const action = ACTIONS.find((known) => known === text);
  if (action === undefined)
    throw new AppError('grant.action_unknown', { detail: `"${text}"`, ...(input !== null && { input }) });
  return action;
}

/** Returns the principal of a group of the caller; for administrators, of any group. Null if there is none. */
async function findGroup(stores: Stores, actor: Actor, id: string): Promise<Principal | null> {
  if (!isUuid(id)) return null;
  const principal = groupPrincipal(id);
  if (actor.principals.includes(principal)) return principal;
  return actor.isAdmin && (await stores.groups.find(id.toLowerCase(), null)) !== null ? principal : null;
}

/** Returns the principal of a user; null if there is none, or the user blocks the viewer. */
async function findUser(stores: Stores, name: string, viewer: string | null): Promise<Principal | null> {
  const key = userKey(name);
  const id = (await stores.users.identify([key], viewer)).get(key);
  return id === undefined ? null : userPrincipal(id);
}

/** Returns the principal of a user, role or group; null if there is none that the caller can grant to. */
async function findPrincipal(stores: Stores, actor: Actor, { kind, name }: Grantee): Promise<Principal | null> {
  if (kind === 'group') return findGroup(stores, actor, name);
  if (kind === 'user') return findUser(stores, name, blockableViewer(actor));
  const role = await stores.roles.findByKey(roleKey(name));
  return role === null ? null : rolePrincipal(role.name);
}

/** @throws `user.not_found`, `role.not_found`, `group.not_found` for groups that the caller is not in */
export async function requireGrantee(stores: Stores, actor: Actor, grantee: Grantee): Promise<Principal> {
  const principal = await findPrincipal(stores, actor, grantee);
  if (principal === null) throw new AppError(MISSING[grantee.kind]);
  return principal;
}

/**
 * Returns a principal to which the caller cannot grant (any more): a group that they are not in, a user who blocks
 * them.
 */
async function findHidden(stores: Stores, { kind, name }: Grantee): Promise<Principal | null> {
  if (kind === 'user') return findUser(stores, name, null);
  return kind === 'group' && isUuid(name) ? groupPrincipal(name) : null;
}

/**
 * Revokes from a grantee. Groups that the caller has left and users who block the caller are accepted too, but only if
 * they have the grant. Otherwise callers could find out which groups exist, and who blocks them.
 *
 * @param revoke revokes from a principal
 * @throws as `requireGrantee`
 */
export async function revokeFrom<Result extends string>(
  { stores, actor, grantee }: { readonly stores: Stores; readonly actor: Actor; readonly grantee: Grantee },
  revoke: (principal: Principal) => Promise<Result>,
): Promise<Result> {
  const known = await findPrincipal(stores, actor, grantee);
  if (known !== null) return revoke(known);
  const hidden = await findHidden(stores, grantee);
  const result = hidden === null ? null : await revoke(hidden);
  if (result !== 'revoked') throw new AppError(MISSING[grantee.kind]);
  return result;
}

/** Maximum number of names in the grants of one request. Clients that grant to more users should use a role. */
const MAX_GRANTS = 1000;

/** Number of names still allowed in the grants of a request. The operations of a batch share one allowance. */
export interface GrantAllowance {
  /** @throws `grant.too_many` if fewer than `names` are left */
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

/** A right to be granted to a user, role or group; `input` is its place in the body. */
export type WantedGrant = Grantee & { readonly action: Action; readonly input: string };

/** Lists of grantees in an access list, with their kinds. */
const LISTS: ReadonlyArray<readonly [list: string, kind: GranteeKind]> = [
  ['users', 'user'],
  ['roles', 'role'],
  ['groups', 'group'],
];

/** @throws `input.array_expected`, `input.invalid` */
function parseNames(value: JsonValue | undefined, member: string, input: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new AppError('input.array_expected', { detail: member, input });
  if (!value.every((name) => typeof name === 'string')) {
    throw new AppError('input.invalid', { detail: `"${member}" must contain only names`, input });
  }
  return value;
}

/** @throws `grant.action_unknown`, `input.array_expected`, `input.invalid` */
function parseAccessList({ value }: ParsedJson, at: string): WantedGrant[] {
  if (!isJsonObject(value))
    throw new AppError('input.invalid', { detail: 'an object of permissions is expected', input: at });
  return Object.entries(value).flatMap(([member, lists]) => {
    const input = `${at}${contentPointer([member])}`;
    const action = parseAction(member, input);
    if (!isJsonObject(lists)) {
      throw new AppError('input.invalid', {
        detail: `"${member}" must be an object with "users", "roles" and "groups"`,
        input,
      });
    }
    return LISTS.flatMap(([list, kind]) => {
      const names = Object.hasOwn(lists, list) ? lists[list] : [];
      return parseNames(names, `${member}.${list}`, `${input}/${list}`).map(
        (name, index): WantedGrant => ({ kind, name, action, input: `${input}/${list}/${index}` }),
      );
    });
  });
}

const UNKNOWN: Readonly<Record<GranteeKind, ErrorCode>> = {
  user: 'grant.user_unknown',
  role: 'grant.role_unknown',
  group: 'grant.group_unknown',
};

const keyOf = ({ kind, name }: Grantee) =>
  kind === 'user' ? userKey(name) : kind === 'role' ? roleKey(name) : name.toLowerCase();

/** Returns principals by the keys of users. Users who do not exist or block the caller are left out. */
async function findUsers(stores: Stores, actor: Actor, keys: ReadonlySet<string>): Promise<Map<string, Principal>> {
  const ids = await stores.users.identify(Array.from(keys), blockableViewer(actor));
  return new Map(Array.from(ids, ([key, id]) => [key, userPrincipal(id)]));
}

/** Returns principals by the keys of roles. Roles that do not exist are left out. */
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

/** Returns principals by the ids of groups. Those to which the caller cannot grant are left out. */
async function findGroups(stores: Stores, actor: Actor, ids: ReadonlySet<string>): Promise<Map<string, Principal>> {
  const found = new Map<string, Principal>();
  for (const id of ids) {
    const principal = await findGroup(stores, actor, id);
    if (principal === null) break;
    found.set(id, principal);
  }
  return found;
}

/** The grantor, with the remaining allowance. */
export interface GrantContext {
  readonly stores: Stores;
  readonly actor: Actor;
  readonly allowance?: GrantAllowance | undefined;
}

/**
 * Resolves names and merges the rights, so that each principal occurs once. Each name is looked up once, however often
 * it is repeated.
 *
 * @throws `grant.too_many`, `grant.user_unknown`, `grant.role_unknown`, `grant.group_unknown`
 */
export async function resolveGrants(
  { stores, actor, allowance = createGrantAllowance() }: GrantContext,
  wanted: readonly WantedGrant[],
): Promise<Grant[]> {
  allowance.take(wanted.length);
  if (wanted.length === 0) return [];
  const keys = { user: new Set<string>(), role: new Set<string>(), group: new Set<string>() };
  const keyed = wanted.map((grant) => {
    const key = keyOf(grant);
    keys[grant.kind].add(key);
    return { grant, key };
  });
  const principals = {
    user: await findUsers(stores, actor, keys.user),
    role: await findRoles(stores, keys.role),
    group: await findGroups(stores, actor, keys.group),
  };
  const rights = new Map<Principal, number>();
  for (const { grant, key } of keyed) {
    const principal = principals[grant.kind].get(key);
    if (principal === undefined) {
      throw new AppError(UNKNOWN[grant.kind], { detail: `"${grant.name}"`, input: grant.input });
    }
    rights.set(principal, (rights.get(principal) ?? 0) | RIGHTS[grant.action]);
  }
  return Array.from(rights, ([principal, bits]) => ({ principal, rights: bits }));
}

/**
 * Returns the grants of an access list:
 * `{"read":{"users":[…],"roles":[…],"groups":[…]},"update":…,"delete":…,"all":…}`. Absent rights and lists are granted
 * to nobody.
 *
 * @param at JSON Pointer to the access list in the body
 * @throws `grant.action_unknown`, `input.array_expected`, `input.invalid`, `grant.*` as `resolveGrants`
 */
export async function accessList(context: GrantContext, body: ParsedJson, at = ''): Promise<Grant[]> {
  return resolveGrants(context, parseAccessList(body, at));
}
