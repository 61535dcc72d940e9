import type { Path } from '@baobab/core';

/** Returns a copy with other paths than those of documents. Elements of arrays keep theirs. */
export function withPaths<T>(value: T, next: () => Path): T {
  if (Array.isArray(value)) return value.map((part) => withPaths(part, next)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => {
    if (name === 'path' && part !== null) return [name, next()];
    if (name === 'groupBy') return [name, part.map(next)];
    return [name, 'kind' in value && value.kind === 'some' && name === 'condition' ? part : withPaths(part, next)];
  });
  return Object.fromEntries(entries);
}

/** Returns a function that cycles through the paths. */
export function cycle(paths: readonly Path[]): () => Path {
  let at = 0;
  return () => paths[at++ % paths.length] ?? ['id'];
}
