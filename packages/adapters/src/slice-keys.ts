/**
 * A spread collection keeps its documents in several hidden collections, its slices, of which each is placed on a shard of
 * its own; its own row has no documents. A slice has the name of its collection. Its key is the key of the collection, a
 * character that no name contains, and a number with a random part that nobody can guess. See ADR 10.
 */

/** Between the key of a collection and the rest of the key of a slice. */
const SEPARATOR = '/';
/** The next character: the keys of slices are between the key with the one and the key with the other. */
const AFTER_SEPARATOR = '0';

/** A slice's key. */
export const sliceKey = (key: string, at: number, id: string) =>
  `${key}${SEPARATOR}${String(at).padStart(3, '0')}-${id}`;

/** The key of a collection, of which `column` may be the key of a slice. */
export const keyOf = (column: string) => `split_part(${column}, '${SEPARATOR}', 1)`;
/** Whether the key `column` is that of a collection, not of a slice. */
export const isNoSlice = (column: string) => `position('${SEPARATOR}' in ${column}) = 0`;
/** Whether `column` is the key of a slice of the collection with this key; both are expressions. */
export const isSliceOf = (column: string, key: string) =>
  `${column} > ${key} || '${SEPARATOR}' and ${column} < ${key} || '${AFTER_SEPARATOR}'`;
