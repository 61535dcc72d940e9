import {
  type AccessScope,
  type Action,
  AppError,
  allows,
  type ErrorCode,
  EVERY_RIGHT,
  type Grant,
  type NamedGrant,
  type Principal,
  parsePrincipal,
  REMOVED_NAME,
  type Refusal,
  RIGHTS,
  type Rights,
} from '@baobab/core';
import type { State } from './state.ts';

export type Grants = ReadonlyMap<string, Rights>;

interface Shared {
  readonly authorId: string;
  readonly grants: Grants;
}

/** Returns the rights within an access scope: all rights on the user's objects, otherwise those of the principals. */
export function rightsBy({ authorId, grants }: Shared, scope: AccessScope): Rights {
  if (scope.everything || authorId === scope.owner) return EVERY_RIGHT;
  return scope.principals.reduce<Rights>((rights, principal) => rights | (grants.get(principal) ?? 0), 0);
}

/** Merges grants, so that each principal occurs once, as in a database. */
export const grantsOf = (grants: readonly Grant[]): Grants =>
  new Map(grants.map(({ principal, rights }) => [principal, rights]));

/** @throws `code` if a group in the grants does not exist */
export function requireGroups(state: State, grants: readonly Pick<Grant, 'principal'>[], code: ErrorCode): void {
  for (const { principal } of grants) {
    const { kind, key } = parsePrincipal(principal);
    if (kind === 'group' && !state.groups.has(key)) throw new AppError(code);
  }
}

/** Returns the grants with other rights for one principal; 0 removes its grant. */
function withRights(grants: Grants, principal: string, rights: Rights): Grants {
  const changed = new Map(grants);
  if (rights === 0) changed.delete(principal);
  else changed.set(principal, rights);
  return changed;
}

/** Returns the grants in the order of their principals, without those to removed principals. */
export function namedGrants(state: State, grants: Grants = new Map()): NamedGrant[] {
  return [...grants]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([principal, rights]): NamedGrant[] => {
      const { kind, key } = parsePrincipal(principal);
      if (kind === 'group') return [{ kind, name: key, rights }];
      const name = (kind === 'user' ? state.users : state.roles).get(key)?.name ?? REMOVED_NAME;
      return name === REMOVED_NAME ? [] : [{ kind, name, rights }];
    });
}

/** The shared objects of a kind, for the operations that all kinds have. */
interface SharedKind<Address, Row extends Shared, Removed> {
  find(address: Address): Row | null;
  rightsOn(row: Row, scope: AccessScope): Rights;
  setGrants(row: Row, grants: Grants): void;
  remove(row: Row): Removed;
}

/** Creates the operations of shared objects, and `allowed` for others that depend on a right. */
export function createSharing<Address, Row extends Shared, Removed>(
  state: State,
  kind: SharedKind<Address, Row, Removed>,
) {
  /** Calls `act` with the object if the access scope allows the action. */
  function allowed<Outcome>(address: Address, scope: AccessScope, action: Action, act: (row: Row) => Outcome) {
    const row = kind.find(address);
    if (row === null) return 'missing' satisfies Refusal;
    return allows(kind.rightsOn(row, scope), action) ? act(row) : ('denied' satisfies Refusal);
  }

  const operations = {
    remove: (address: Address, scope: AccessScope) => allowed(address, scope, 'delete', kind.remove),
    grant: (address: Address, scope: AccessScope, grant: Grant) =>
      allowed(address, scope, 'all', (row) => {
        requireGroups(state, [grant], 'group.not_found');
        const rights = (row.grants.get(grant.principal) ?? 0) | grant.rights;
        kind.setGrants(row, withRights(row.grants, grant.principal, rights));
        return 'granted' as const;
      }),
    revoke: (address: Address, scope: AccessScope, { principal, action }: { principal: Principal; action: Action }) =>
      allowed(address, scope, 'all', (row) => {
        const rights = row.grants.get(principal);
        if (rights === undefined) return 'absent' as const;
        kind.setGrants(row, withRights(row.grants, principal, rights & ~RIGHTS[action]));
        return 'revoked' as const;
      }),
  };
  return { allowed, operations };
}

/** Moves all grants of a principal to another, or removes them if `to` is null. */
export function moveGrants(state: State, from: string, to: string | null): void {
  for (const table of [state.documents, state.files] as const) {
    table.updateAll(
      ({ grants }: Shared) => grants.has(from),
      ({ grants }: Shared) => {
        const left = withRights(grants, from, 0);
        return { grants: to === null ? left : withRights(left, to, grants.get(from) ?? 0) };
      },
    );
  }
}
