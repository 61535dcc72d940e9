/**
 * A spread collection stores its documents in several hidden collections, its slices, each placed on a separate shard;
 * its own row has no documents. A slice has the name of its collection. Its key is the key of the collection, a
 * character that never occurs in names, and a number with a random part that cannot be guessed. See ADR 10.
 */

/** Separator between the key of a collection and the rest of a slice's key. */
const SEPARATOR = '/';
/** Next character: the keys of slices are between the key with the separator and the key with this character. */
const AFTER_SEPARATOR = '0';

/** Returns the key of a slice. */
export const sliceKey = (key: string, at: number, id: string) =>
  `${key}${SEPARATOR}${String(at).padStart(3, '0')}-${id}`;

/** Returns an SQL expression for the key of a collection, where `column` may be the key of a slice. */
export const keyOf = (column: string) => `split_part(${column}, '${SEPARATOR}', 1)`;
/** Returns an SQL condition: the key `column` is that of a collection, not of a slice. */
export const isNoSlice = (column: string) => `position('${SEPARATOR}' in ${column}) = 0`;
/** Returns an SQL condition: `column` is the key of a slice of the collection with this key. Both are expressions. */
export const isSliceOf = (column: string, key: string) =>
  `${column} > ${key} || '${SEPARATOR}' and ${column} < ${key} || '${AFTER_SEPARATOR}'`;
