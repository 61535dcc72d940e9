import { type Grant, type GranteeKind, type NamedGrant, parsePrincipal } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { isThere, jsonIds, jsonRows } from '../statements/fragments.ts';
import type { Sql } from '../statements/statement.ts';

/** Rows `principal`, `rights`, from a JSON object with the rights by principal in ?2. */
export const GRANT_ROWS = '(select key as principal, cast(cast(value as text) as bigint) as rights from json_each(?2))';

/**
 * Stores grants. Each principal may occur only once.
 *
 * @param statement with `GRANT_ROWS`; ?1 document or file
 */
export async function addGrants(
  target: SqlExecutor,
  statement: Sql,
  id: string,
  grants: readonly Grant[],
): Promise<void> {
  if (grants.length === 0) return;
  const rights = Object.fromEntries(grants.map((grant) => [grant.principal, grant.rights]));
  await target.change(statement, [id, JSON.stringify(rights)]);
}

/** ?1 ids or keys as a JSON array */
const NAMES: Readonly<Record<GranteeKind, (executor: SqlExecutor) => string>> = {
  user: (executor) => `select id as key, name from users where id in ${jsonIds(executor, '?1')} and ${isThere()}`,
  role: (executor) =>
    `select role_key as key, name from roles where role_key in (select w.value from ${jsonRows(executor, '?1')} w)`,
  /** Clients identify groups by their ids. */
  group: (executor) => `select id as key, id as name from user_groups where id in ${jsonIds(executor, '?1')}`,
};

async function namesOf(
  executor: SqlExecutor,
  kind: GranteeKind,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await executor.read<{ key: string; name: string }>(NAMES[kind](executor), [JSON.stringify(keys)]);
  return new Map(rows.map(({ key, name }) => [key, name]));
}

/** Returns grants with the names of their principals, in the same order, without those to removed principals. */
export async function withNames(executor: SqlExecutor, grants: readonly Grant[]): Promise<NamedGrant[]> {
  const held = grants.map(({ principal, rights }) => ({ ...parsePrincipal(principal), rights }));
  const keysOf = (wanted: GranteeKind) => held.flatMap(({ kind, key }) => (kind === wanted ? [key] : []));
  const names = {
    user: await namesOf(executor, 'user', keysOf('user')),
    role: await namesOf(executor, 'role', keysOf('role')),
    group: await namesOf(executor, 'group', keysOf('group')),
  };
  return held.flatMap(({ kind, key, rights }) => {
    const name = names[kind].get(key);
    return name === undefined ? [] : [{ kind, name, rights }];
  });
}
