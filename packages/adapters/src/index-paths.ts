import type { Path } from '@baobab/core';

/**
 * Returns the paths of an index as text, which identifies it within its collection: one path as a JSON array of its
 * steps, several in an object. Programs that support only indexes on one path cannot mistake the second form for the
 * first.
 */
export const textOfPaths = (paths: readonly Path[]): string =>
  JSON.stringify(paths.length === 1 ? paths[0] : { paths });

export function pathsOfText(text: string): readonly Path[] {
  const stored = JSON.parse(text) as Path | { readonly paths: readonly Path[] };
  return 'paths' in stored ? stored.paths : [stored];
}
