/** Maximum length of one part of a query, in code points. */
export const MAX_QUERY_LENGTH = 4096;
/** Maximum number of names, values and conditions in one part of a query. */
export const MAX_QUERY_NODES = 100;
/** Maximum length of the text after `like` and `containsText`, in code points. Bounds the time of a comparison. */
export const MAX_PATTERN_LENGTH = 256;
/** Maximum nesting of conditions, parentheses and calls. */
export const MAX_QUERY_LEVELS = 32;
/** Maximum number of elements in a list parameter. */
export const MAX_LIST_LENGTH = 1000;
/** Maximum number of steps in a path, because nothing is nested deeper. */
export const MAX_PATH_STEPS = 200;
/** Maximum number of names in `orderBy`, `groupBy` or `expand`. */
export const MAX_KEYS = 16;
