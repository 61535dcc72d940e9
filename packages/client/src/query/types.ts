import type { DocumentFields } from '../wire.ts';

/** Compile-time checks of paths and filters in queries. */

type Scalar = string | number | boolean | null | undefined;

/** Names of members, except those of an index signature. */
type NamesOf<T> = keyof {
  [K in keyof T as string extends K ? never : number extends K ? never : symbol extends K ? never : K]: T[K];
} &
  string;

/** Maximum depth of checked paths. */
type Deep = 4;
type Less = [never, 0, 1, 2, 3];

/** Paths below the path of a value. */
type Below<T, D extends number> = [D] extends [never]
  ? never
  : unknown extends T
    ? `.${string}` | `[${number}]${string}`
    : T extends Scalar
      ? never
      : T extends readonly (infer E)[]
        ? `[${number}]` | `[${number}]${Below<E, Less[D]>}`
        : [NamesOf<T>] extends [never]
          ? `.${string}`
          : `.${Members<T, D>}`;

type Members<T, D extends number> = {
  [K in NamesOf<T>]: K | `${K}${Below<T[K], Less[D]>}`;
}[NamesOf<T>];

/** True if a type declares no members except those that the server adds. */
type IsUnknown<T> = string extends keyof T
  ? [Exclude<NamesOf<T>, keyof DocumentFields>] extends [never]
    ? true
    : false
  : false;

/** Paths such as `author.name` or `tags[0]`. Any string if the members are unknown. */
export type PathOf<T> = IsUnknown<T> extends true ? string : T extends unknown ? Members<T, Deep> : never;

/** Paths that rows can be sorted by. */
export type SortOf<T> = PathOf<T> | `${PathOf<T>}.toLowerCase()`;

/** Languages by whose rules the server can sort texts. */
export type Collation =
  | ('ca' | 'cs' | 'da' | 'de' | 'en' | 'es' | 'et' | 'fi' | 'fr' | 'hr' | 'hu' | 'is')
  | ('it' | 'lt' | 'nb' | 'nl' | 'pl' | 'pt' | 'ro' | 'sk' | 'sl' | 'sv' | 'tr');

type Present<V> = unknown extends V ? unknown : NonNullable<V>;
type Member<T, K extends string> = T extends unknown ? (K extends keyof T ? Present<T[K]> : unknown) : never;
type Element<T> = T extends readonly (infer E)[] ? Present<E> : unknown;

/** Type of the value at a path; unknown if it cannot be determined. */
export type ValueAt<T, P extends string> = P extends `${infer A}[${string}]${infer R}`
  ? A extends `${infer H}.${infer B}`
    ? ValueAt<Member<T, H>, P extends `${H}.${infer Q}` ? Q : B>
    : R extends ''
      ? Element<Member<T, A>>
      : R extends `.${infer Q}`
        ? ValueAt<Element<Member<T, A>>, Q>
        : unknown
  : P extends `${infer H}.${infer R}`
    ? ValueAt<Member<T, H>, R>
    : Member<T, P>;

/** A filter parameter. */
export type Param = string | number | boolean | Date;

type Times = '_creation_date' | '_update_date' | 'signUpDate';

/** Type that the value at a path can be compared with. */
type Operand<T, P extends string> = P extends Times
  ? string | Date
  : unknown extends ValueAt<T, P>
    ? Param
    : Extract<ValueAt<T, P>, Scalar>;

type Elements<V> = unknown extends V ? Param : V extends readonly (infer E)[] ? Extract<E, Scalar> : never;

type Comparison = '=' | '<>' | '!=' | '<' | '<=' | '>' | '>=';
type Match = 'like' | 'not like' | 'containsText';
type Membership = 'in' | 'not in';
type Presence = 'is null' | 'is not null';

/** Operators of filters on one field. */
export type Operator = Comparison | Match | Membership | Presence | 'between' | 'contains';

/** Type of an operator's value; `never` for operators without a value. */
export type OperandOf<T, P extends string, O extends Operator> = O extends Presence
  ? never
  : O extends Match
    ? string
    : O extends Membership
      ? readonly Operand<T, P>[]
      : O extends 'between'
        ? readonly [Operand<T, P>, Operand<T, P>]
        : O extends 'contains'
          ? Elements<ValueAt<T, P>>
          : Operand<T, P>;

/** Reason why a filter does not compile. Developers see the name of this type in the error. */
interface InvalidCondition<Why extends string> {
  readonly invalid: Why;
}

/** Keywords are written in lower or in upper case. */
type Either<S extends string> = S | Uppercase<S>;

type WithoutOpening<S extends string> = S extends `(${infer R}` | ` ${infer R}` ? WithoutOpening<R> : S;
type WithoutClosing<S extends string> = S extends `)${infer R}` ? WithoutClosing<R> : S;

/** Result of a method called on the value of a path, or on the result of another method; `never` if it has none. */
type Called<T, P extends string, M extends string, On, Result> = P extends `${infer Q}.${M}()`
  ? Q extends PathOf<T>
    ? unknown extends ValueAt<T, Q>
      ? Result
      : [Extract<ValueAt<T, Q>, On>] extends [never]
        ? never
        : Result
    : [Extract<MethodResult<T, Q>, On>] extends [never]
      ? never
      : Result
  : never;

type MethodResult<T, P extends string> =
  | Called<T, P, 'toLowerCase' | 'toUpperCase', string, string>
  | Called<T, P, 'length', string, number>
  | Called<T, P, 'size', readonly unknown[], number>;

/** Parameters of a filter that begins with a path. */
type Terms<T, S extends string, A extends readonly unknown[]> =
  WithoutOpening<S> extends `${Either<'not'>} ${infer R}`
    ? Terms<T, R, A>
    : WithoutOpening<S> extends `${infer P} ${infer R}`
      ? P extends PathOf<T>
        ? Compared<T, P, Operand<T, P>, Elements<ValueAt<T, P>>, R, A>
        : [MethodResult<T, P>] extends [never]
          ? [InvalidCondition<`"${P}" is no field`>]
          : Compared<T, P, MethodResult<T, P>, never, R, A>
      : [InvalidCondition<'expected a field, an operator and ?'>];

/** @typeParam V what the left side is compared with. @typeParam E what it contains */
type Compared<T, P extends string, V, E, R extends string, A extends readonly unknown[]> = R extends
  | `between ? and ?${infer N}`
  | `BETWEEN ? AND ?${infer N}`
  ? Rest<T, N, [...A, V, V]>
  : R extends `${Comparison} ?${infer N}`
    ? Rest<T, N, [...A, V]>
    : R extends `${Either<Presence>}${infer N}`
      ? Rest<T, N, A>
      : R extends `${Either<Match>} ?${infer N}`
        ? Rest<T, N, [...A, string]>
        : R extends `${Either<Membership>} ?${infer N}`
          ? Rest<T, N, [...A, readonly V[]]>
          : R extends `${Either<'contains'>} ?${infer N}`
            ? Rest<T, N, [...A, E]>
            : [
                InvalidCondition<`unknown operator after "${P}", or a value in the text: write ? and pass the value after it`>,
              ];

type Rest<T, S extends string, A extends readonly unknown[]> =
  WithoutClosing<S> extends infer R
    ? R extends ''
      ? A
      : R extends ` ${Either<'and' | 'or'>} ${infer N}`
        ? Terms<T, N, A>
        : [InvalidCondition<'expected "and" or "or"'>]
    : never;

/** Text of a filter. Editors suggest the fields that it can begin with. */
export type Condition<T> = PathOf<T> | (string & {});

/**
 * Parameters of a filter: one for each `?`, of the type of the field that it is compared with. A text unknown at
 * compile time accepts no parameters, because it might contain user input.
 */
export type ParamsOf<T, C extends string> = string extends C
  ? [InvalidCondition<'the condition must be a literal text'>]
  : Terms<T, C, []> extends infer P extends readonly unknown[]
    ? P
    : never;

type Totals = 'sum' | 'avg';
type Extremes = 'min' | 'max';

/** Aggregates of rows. */
export type Aggregate<T> = 'count(*)' | `${'count' | Totals | Extremes}(${PathOf<T>})`;

/** Type of an aggregate's value. */
export type Aggregated<T, A> = A extends `count(${string})`
  ? number
  : A extends `sum(${string})`
    ? number
    : A extends `avg(${string})`
      ? number | null
      : A extends `${Extremes}(${infer P})`
        ? ValueAt<T, P> | null
        : never;

/** Rows with these paths as their members. */
export type Selected<T, P extends string> = { readonly [K in P]: ValueAt<T, K> | null };
