import { type Grant, type GranteeKind, type NamedGrant, parsePrincipal } from '@baobab/core';
import { NAMES, NAMES_AT_ONCE } from './document-statements.ts';
import type { SqlExecutor } from './executor.ts';

async function namesOf(
  executor: SqlExecutor,
  kind: GranteeKind,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let at = 0; at < keys.length; at += NAMES_AT_ONCE) {
    const page = keys.slice(at, at + NAMES_AT_ONCE);
    const rows = await executor.read<{ key: string; name: string }>(NAMES[kind], page);
    for (const { key, name } of rows) names.set(key, name);
  }
  return names;
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
