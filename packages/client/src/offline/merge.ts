import { changed } from './operators.ts';
import { contentOf } from './records.ts';
import type { OnConflict } from './types.ts';

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/**
 * A ready-made `onConflict`. Takes the members that the user changed from the local document, and all others from the
 * server. A member removed on either side stays removed. If the document itself was removed on either side, the
 * server's state wins.
 */
export const mergeFields: OnConflict = (local, remote, { base, changes = {} }) => {
  if (local === null || remote === null) return 'theirs';
  const [mine, theirs, before] = [contentOf(local), contentOf(remote), contentOf(base ?? {})];
  const names = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
  function merged(name: string): unknown {
    const change = changes[name];
    if (change !== undefined) return changed(theirs[name], change);
    return isEqual(mine[name], before[name]) ? theirs[name] : mine[name];
  }
  return Object.fromEntries(
    Array.from(names, (name) => [name, merged(name)] as const).filter(([, value]) => value !== undefined),
  );
};
