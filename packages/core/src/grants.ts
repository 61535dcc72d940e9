import { ACTIONS, type Action, type Grant, type Principal, RIGHTS, rolePrincipal, userPrincipal } from './access.ts';
import { AppError } from './errors.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from './json-text.ts';
import type { Stores } from './ports/storage/storage.ts';
import { roleKey } from './roles/roles.ts';
import { userKey } from './users/names.ts';

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

/** @throws `user.not_found`, `role.not_found` */
export async function requireGrantee(stores: Stores, grantee: Grantee): Promise<Principal> {
  const principal = await findPrincipal(stores, grantee);
  if (principal === null) throw new AppError(grantee.kind === 'user' ? 'user.not_found' : 'role.not_found');
  return principal;
}

/** A client that grants to more than this at once wants a role. */
const MAX_GRANTS = 1000;

/** A right that somebody is to have. */
export type WantedGrant = Grantee & { readonly action: Action };

/** `read.users` as a JSON Pointer. */
const pointerTo = (member: string) => `/${member.replaceAll('.', '/')}`;

/** @throws `input.array_expected`, `input.invalid` */
function parseNames(value: JsonValue | undefined, member: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new AppError('input.array_expected', { detail: member, input: pointerTo(member) });
  if (!value.every((name) => typeof name === 'string')) {
    throw new AppError('input.invalid', {
      detail: `${member} holds something else than names`,
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
        detail: `${member} is an object with "users" and "roles"`,
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

/** @throws `grant.user_unknown`, `grant.role_unknown` */
async function requirePrincipal(stores: Stores, grantee: Grantee): Promise<Principal> {
  const principal = await findPrincipal(stores, grantee);
  if (principal !== null) return principal;
  const code = grantee.kind === 'user' ? 'grant.user_unknown' : 'grant.role_unknown';
  throw new AppError(code, { detail: `"${grantee.name}"` });
}

/** Each principal once. @throws `grant.invalid` when there are too many, `grant.user_unknown`, `grant.role_unknown` */
export async function resolveGrants(stores: Stores, wanted: readonly WantedGrant[]): Promise<Grant[]> {
  if (wanted.length > MAX_GRANTS) throw new AppError('grant.invalid', { detail: `at most ${MAX_GRANTS} at once` });
  const rights = new Map<Principal, number>();
  for (const { action, ...grantee } of wanted) {
    const principal = await requirePrincipal(stores, grantee);
    rights.set(principal, (rights.get(principal) ?? 0) | RIGHTS[action]);
  }
  return Array.from(rights, ([principal, bits]) => ({ principal, rights: bits }));
}

/**
 * The grants of a whole list: `{"read":{"users":[…],"roles":[…]},"update":…,"delete":…,"all":…}`. What is absent is
 * granted to nobody.
 *
 * @throws `grant.action_unknown`, `input.array_expected`, `input.invalid`, `grant.*` as `resolveGrants`
 */
export async function accessList(stores: Stores, body: ParsedJson): Promise<Grant[]> {
  return resolveGrants(stores, parseAccessList(body));
}
