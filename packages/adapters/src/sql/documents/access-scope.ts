import { type AccessScope, AppError, type ErrorCode, type Grant, type Principal, parsePrincipal } from '@baobab/core';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { withRowLock } from '../statements/fragments.ts';

/** Number of principals of a caller in no group: the caller's own, two built-in roles, and an assigned role. */
const SLOTS = 4;

/** True if a caller has more principals than a statement has parameters for. They are then one JSON parameter. */
export const hasMany = ({ principals }: AccessScope): boolean => principals.length > SLOTS;

/** Principals are stored with their actor, so that each caller's are converted once. */
const texts = new WeakMap<readonly Principal[], string>();

/** Returns the principals as the names of a JSON object, which both databases expand with `json_each`. */
export function principalsJson(principals: readonly Principal[]): string {
  let text = texts.get(principals);
  if (text === undefined) {
    text = JSON.stringify(Object.fromEntries(principals.map((principal) => [principal, 1])));
    texts.set(principals, text);
  }
  return text;
}

/**
 * Returns the caller's id, and four parameters for the principals: one each, or all in the first as `principalsJson`.
 */
export function scopeParams({ owner, principals }: AccessScope): SqlValue[] {
  if (principals.length > SLOTS) return [owner, principalsJson(principals), null, null, null];
  const [a = '', b = '', c = '', d = ''] = principals;
  return [owner, a, b, c, d];
}

/**
 * Returns the condition that a column is one of many principals. It is an expression, so that no index is searched
 * once for each principal. The few grants on an object are read instead.
 */
export const isOneOfMany = (column: string, json: string) =>
  `(${column} || '') in (select key from json_each(${json}))`;

const HOLD = withRowLock('key share', (lock) => `select id from user_groups where id = ?1${lock}`);

/** Locks groups that are about to receive grants until the transaction ends. @throws `code` if one does not exist */
export async function holdGroups(
  transaction: SqlExecutor,
  grants: readonly Pick<Grant, 'principal'>[],
  code: ErrorCode,
): Promise<void> {
  for (const { principal } of grants) {
    const { kind, key } = parsePrincipal(principal);
    if (kind !== 'group') continue;
    if ((await transaction.read(HOLD(transaction), [key])).length === 0) throw new AppError(code);
  }
}

export const isToGroup = ({ principal }: Pick<Grant, 'principal'>): boolean => principal.startsWith('g:');
