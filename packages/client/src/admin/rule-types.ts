import type { RulesChange } from '../admin-wire.ts';
import type { PathOf } from '../query/types.ts';

/** Compile-time checks of the names in rules. They check paths, not the grammar, which the server does. */

/** Reason why a rule does not compile. Developers see the name of this type in the error. */
interface InvalidRule<Why extends string> {
  readonly invalid: Why;
}

/** Replaces texts in quotes by a number. */
type Unquoted<S extends string> = S extends `${infer A}'${string}'${infer B}` ? Unquoted<`${A}0${B}`> : S;
type Without<S extends string, Sign extends string> = S extends `${infer A}${Sign}${infer B}`
  ? Without<`${A} ${B}`, Sign>
  : S;
/** Replaces everything that separates words by spaces. */
type Spaced<S extends string> = Without<
  Without<Without<Without<Without<Without<Unquoted<S>, '('>, ')'>, ','>, '='>, '<'>,
  '>'
>;

type Method = 'size' | 'length' | 'toLowerCase' | 'toUpperCase';

type IsPath<T, P extends string> = P extends PathOf<T> | `${string}\`${string}`
  ? true
  : P extends `${infer Q}.${Method}` | `${infer Q}]`
    ? IsPath<T, Q>
    : false;
type NoPath<T, P extends string> = IsPath<T, P> extends true ? never : P;

type Keyword = 'and' | 'or' | 'not' | 'in' | 'is' | 'null' | 'like' | 'between' | 'contains' | 'containstext';
type NoName = '' | '!' | '[' | ']' | '[]' | Keyword | 'true' | 'false' | 'date' | 'distance' | `caller.${string}`;

/** The word of a condition, if it is no field. */
type WrongInCondition<T, W extends string> = W extends `[${infer R}`
  ? WrongInCondition<T, R>
  : Lowercase<W> extends NoName | `${number}` | `${number}]` | `caller.${string}]`
    ? never
    : NoPath<T, W>;

/** The path of a word of a check, if there is no such field. */
type WrongInCheck<T, W extends string> = W extends `${'' | '['}${'old' | 'new'}.${infer P}` ? NoPath<T, P> : never;

type WrongWords<T, S extends string, Bad extends string = never> = S extends `${infer W} ${infer R}`
  ? WrongWords<T, R, Bad | WrongInCondition<T, W>>
  : Bad | WrongInCondition<T, S>;

type WrongOfCheck<T, S extends string, Bad extends string = never> = S extends `changed ${infer W} ${infer R}`
  ? WrongOfCheck<T, R, Bad | NoPath<T, W>>
  : S extends `${infer W} ${infer R}`
    ? WrongOfCheck<T, R, Bad | WrongInCheck<T, W>>
    : Bad | WrongInCheck<T, S>;

/** Names in parentheses after `contains` are relative to the elements of a list, and not checked. */
type Condition<T, S extends string> = string extends S
  ? S
  : S extends `${string}contains (${string}`
    ? S
    : Result<S, WrongWords<T, Spaced<S>>>;
type Check<T, S extends string> = string extends S ? S : Result<S, WrongOfCheck<T, Spaced<S>>>;
type Result<S extends string, Bad extends string> = [Bad] extends [never] ? S : InvalidRule<`"${Bad}" is no field`>;

type Items<T, L> = {
  readonly [I in keyof L]: L[I] extends { readonly if: infer S extends string }
    ? Omit<L[I], 'if'> & { readonly if: Condition<T, S> }
    : L[I];
};
type Checks<T, C> = { readonly [K in keyof C]: C[K] extends string ? Check<T, C[K]> : C[K] };
type Parent<T, P> = P extends string
  ? Field<T, P>
  : P extends { readonly field: infer F extends string }
    ? Omit<P, 'field'> & { readonly field: Field<T, F> }
    : P;
type Field<T, F extends string> = string extends F ? F : F extends PathOf<T> ? F : InvalidRule<`"${F}" is no field`>;

/** Rules of documents of this type. Names of other fields in conditions, checks and `parent` do not compile. */
export type RulesOf<T, R extends RulesChange> = {
  readonly [K in keyof R]: K extends 'create' | 'read' | 'update' | 'delete'
    ? Items<T, R[K]>
    : K extends 'check'
      ? Checks<T, R[K]>
      : K extends 'parent'
        ? Parent<T, R[K]>
        : R[K];
};
