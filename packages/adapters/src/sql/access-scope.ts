import type { AccessScope } from '@baobab/core';
import type { SqlValue } from './executor.ts';

/** A caller has at most four principals: their own, two built-in roles, and the role they were given. */
export function scopeParams({ owner, principals }: AccessScope): SqlValue[] {
  if (principals.length > 4) throw new Error('a caller has at most four principals');
  const [a = '', b = '', c = '', d = ''] = principals;
  return [owner, a, b, c, d];
}
