import {
  type AccessScope,
  type Action,
  EVERY_RIGHT,
  type Grant,
  type NamedGrant,
  type Principal,
  parsePrincipal,
  REMOVED_NAME,
  RIGHTS,
  type Rights,
} from '@baobab/core';
import type { State } from './state.ts';

export type Grants = ReadonlyMap<string, Rights>;

/** Returns the rights within an access scope: all rights on the user's objects, otherwise those of the principals. */
export function rightsBy({ authorId, grants }: { authorId: string; grants: Grants }, scope: AccessScope): Rights {
  if (scope.everything || authorId === scope.owner) return EVERY_RIGHT;
  return scope.principals.reduce<Rights>((rights, principal) => rights | (grants.get(principal) ?? 0), 0);
}

/** Merges grants, so that each principal occurs once, as in a database. */
export const grantsOf = (grants: readonly Grant[]): Grants =>
  new Map(grants.map(({ principal, rights }) => [principal, rights]));

export const withGrant = (grants: Grants, { principal, rights }: Grant): Grants =>
  new Map(grants).set(principal, (grants.get(principal) ?? 0) | rights);

export function withoutGrant(grants: Grants, { principal, action }: { principal: Principal; action: Action }): Grants {
  const left = (grants.get(principal) ?? 0) & ~RIGHTS[action];
  const changed = new Map(grants);
  if (left === 0) changed.delete(principal);
  else changed.set(principal, left);
  return changed;
}

function named(state: State, principal: Principal, rights: Rights): NamedGrant[] {
  const { kind, key } = parsePrincipal(principal);
  if (kind === 'group') return [{ kind, name: key, rights }];
  const name = (kind === 'user' ? state.users : state.roles).get(key)?.name;
  return name === undefined || name === REMOVED_NAME ? [] : [{ kind, name, rights }];
}

/** Returns the grants in the order of their principals, without those to removed principals. */
export const namedGrants = (state: State, grants: Grants = new Map()): NamedGrant[] =>
  Array.from(grants)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([principal, rights]) => named(state, principal, rights));

/**
 * Changes all grants of a principal.
 *
 * @param change sets the new grants; receives a copy without that of the principal, and the principal's rights
 */
export function changeGrants(
  state: State,
  principal: string,
  change: (grants: Map<string, Rights>, rights: Rights) => void,
): void {
  const changed = (grants: ReadonlyMap<string, Rights>) => {
    const copy = new Map(grants);
    copy.delete(principal);
    change(copy, grants.get(principal) ?? 0);
    return copy;
  };
  for (const row of state.documents.values()) {
    if (row.grants.has(principal)) state.documents.set({ ...row, grants: changed(row.grants) });
  }
  for (const row of state.files.values()) {
    if (row.grants.has(principal)) state.files.set({ ...row, grants: changed(row.grants) });
  }
}
