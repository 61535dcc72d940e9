import type { IndexedPath } from '@baobab/core';

/**
 * Returns the paths of an index as text, which identifies it within its collection: one path as a JSON array of its
 * steps (or an object with the path of a text in lower case), several in an object. Programs that support only indexes on one path cannot mistake the second form for the
 * first.
 */
export const textOfPaths = (paths: readonly IndexedPath[]): string =>
  JSON.stringify(paths.length === 1 ? paths[0] : { paths });

export function pathsOfText(text: string): readonly IndexedPath[] {
  const stored = JSON.parse(text) as IndexedPath | { readonly paths: readonly IndexedPath[] };
  return 'paths' in stored ? stored.paths : [stored];
}
