import {
  type AccessScope,
  type Action,
  EVERY_RIGHT,
  type Grant,
  type Principal,
  RIGHTS,
  type Rights,
} from '@baobab/core';

export type Grants = ReadonlyMap<string, Rights>;

/** The rights of an access scope: all rights on own objects, otherwise the rights of its principals. */
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
