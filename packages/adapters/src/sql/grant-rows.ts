import type { Grant } from '@baobab/core';
import type { SqlExecutor, SqlValue } from './executor.ts';

/** Maximum number of grants that one statement stores. */
const GRANTS_AT_ONCE = 50;
/** Maximum number of grants for which one statement each is faster than one statement for many. */
const FEW = 4;

/** Rows `principal`, `rights`, from alternating parameters starting at ?2, padded with null. */
export const GRANT_ROWS = Array.from(
  { length: GRANTS_AT_ONCE },
  (_, i) => `select cast(?${2 * i + 2} as text) as principal, cast(?${2 * i + 3} as bigint) as rights`,
).join(' union all ');

/** Statements that store grants. ?1 document or file, ?2 principal, ?3 rights; `many` uses `GRANT_ROWS`. */
export interface GrantStatements {
  readonly one: string;
  readonly many: string;
}

/** Stores grants. Each principal may occur only once. */
export async function addGrants(
  target: SqlExecutor,
  { one, many }: GrantStatements,
  id: string,
  grants: readonly Grant[],
): Promise<void> {
  if (grants.length <= FEW) {
    for (const { principal, rights } of grants) await target.change(one, [id, principal, rights]);
    return;
  }
  for (let at = 0; at < grants.length; at += GRANTS_AT_ONCE) {
    const page = grants.slice(at, at + GRANTS_AT_ONCE);
    const values: SqlValue[] = page.flatMap(({ principal, rights }) => [principal, rights]);
    await target.change(many, [id, ...values]);
  }
}
