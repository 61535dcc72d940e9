import type { JsonObject } from '../json-text.ts';
import type { Condition, Path, Scalar } from './syntax.ts';
import { resolverOf, type Value, valueAt } from './values.ts';

const isScalar = (value: Value): value is Scalar => value !== null && value !== undefined && typeof value !== 'object';

/**
 * Returns the values of a content in a unique index; null if it has none, or not at all paths. Such documents never
 * collide.
 *
 * @param content JSON text of an object
 */
export function uniqueValues(content: string, paths: readonly Path[]): readonly Scalar[] | null {
  const resolve = resolverOf(JSON.parse(content) as JsonObject);
  const values = paths.map((path) => valueAt(path, resolve));
  return values.every(isScalar) ? values : null;
}

/** Returns the filter for documents with these values. */
export function haveValues(paths: readonly Path[], values: readonly Scalar[]): Condition {
  const conditions = paths.map((path, at): Condition => {
    const value = values[at] ?? false;
    const right = { kind: 'constant', value, untyped: false } as const;
    return { kind: 'compare', operator: '=', left: { kind: 'path', path }, right };
  });
  const [first, ...others] = conditions;
  return first !== undefined && others.length === 0 ? first : { kind: 'and', conditions };
}
