import type { Collation } from './collations.ts';
import type { FullTextSearch } from './full-text/matching.ts';
import type { SearchText } from './full-text/search-text.ts';

/** A step into a value: a member of an object by name, or an element of an array by index (from 0). */
export type PathStep = string | number;

/** Path to a value. The first step is always a name. */
export type Path = readonly [string, ...PathStep[]];

/** A value that can be compared and sorted. In a comparison anything else counts as absent. */
export type Scalar = string | number | boolean;

/**
 * A value that is part of the query. An untyped parameter is a text, and also the number or boolean that it spells
 * (`5`, `true`).
 */
export interface Constant {
  readonly kind: 'constant';
  readonly value: Scalar;
  readonly untyped: boolean;
  /** Set in rules until `bindCaller` inserts the values of the caller. */
  readonly caller?: CallerName;
}

/** Names of the caller in rules: `caller.id` and so on. The last two are lists. */
export type CallerName = 'id' | 'name' | 'roles' | 'groups';

export type Method = 'toLowerCase' | 'toUpperCase' | 'length' | 'size';

/** An expression with a value for each object. */
export type Operand =
  | Constant
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'call'; readonly method: Method; readonly of: Operand }
  /** Distance in kilometres on the surface of the earth between two points, each latitude and longitude in degrees. */
  | { readonly kind: 'distance'; readonly of: readonly [Operand, Operand, Operand, Operand] };

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/**
 * A filter: true or false for each object, with no third value. `not in`, `between`, `is not null` and so on are
 * composed of these.
 */
export type Condition =
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'in'; readonly operand: Operand; readonly values: readonly Constant[] }
  /** `pattern`: `%` stands for any text, `_` for one character. A backslash escapes these two and itself. */
  | { readonly kind: 'like'; readonly operand: Operand; readonly pattern: string }
  | { readonly kind: 'null'; readonly operand: Operand }
  /** The array has an element equal to the value. */
  | { readonly kind: 'contains'; readonly operand: Operand; readonly value: Constant }
  /** The array has an object that matches the condition. Paths in the condition begin at that object. */
  | { readonly kind: 'some'; readonly operand: Operand; readonly condition: Condition }
  | { readonly kind: 'containsText'; readonly operand: Operand; readonly text: string }
  /** A full-text search. Only in filters of documents, as one of the conditions that must all be true. */
  | { readonly kind: 'fullText'; readonly search: FullTextSearch }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition };

/** A value by which an index sorts: the value at a path, or the text there in lower case. */
export type IndexedPath = Path | { readonly lower: Path };

/** Absent values first, then booleans, numbers, texts by code point, then non-scalars; reversed if descending. */
export interface OrderKey {
  readonly path: Path;
  readonly descending: boolean;
  /** Sorts by the text in lower case. Values of other types then count as absent. */
  readonly method?: 'toLowerCase';
  /** Sorts texts by the rules of this language instead of by code point. */
  readonly collation?: Collation;
  /** Sorts by the score of this search instead of the value at the path. */
  readonly score?: FullTextSearch;
}

export type AggregateName = 'count' | 'sum' | 'avg' | 'min' | 'max';

/** `path: null` counts objects; otherwise aggregates the values at the path. */
export interface Aggregate {
  readonly kind: 'aggregate';
  readonly name: AggregateName;
  readonly path: Path | null;
  /** Name of the result member. */
  readonly as: string;
}

export interface Field {
  readonly kind: 'field';
  readonly operand: Operand;
  readonly as: string;
}

/** The part of a field around the hits of the search, see `SnippetPart`. */
export interface Snippet {
  readonly kind: 'snippet';
  readonly path: Path;
  readonly as: string;
}

export type Projection = readonly (Aggregate | Field | Snippet)[];

/** A filter and an order. */
interface Criteria {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
}

/** Criteria with the requested projection and grouping. */
export interface Query extends Criteria {
  /** Null for whole objects. */
  readonly fields: Projection | null;
  readonly groupBy: readonly Path[];
  /** Absent without a full-text search. Its score is `_score`. */
  readonly search?: SearchText;
}

/** Sort value of a value; null if it is absent. Values that are not scalars are all equal. */
export type SortValue = Scalar | null | { readonly rank: 'other' };

/** Cursor of a page: the sort values and the id of its last object. */
export interface ListPosition {
  readonly keys: readonly SortValue[];
  readonly id: string;
}
