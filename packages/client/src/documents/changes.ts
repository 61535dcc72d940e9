import { memberName } from '../query/paths.ts';

const OPERATOR = Symbol('operator');
declare const FIELD: unique symbol;

/** A change that the server computes from the current value of a field. `V` is the type of the field. */
export interface FieldChange<V> {
  readonly [OPERATOR]: readonly [operator: string, operand: unknown];
  toJSON(): never;
  /** Only for the compiler. */
  readonly [FIELD]?: V;
}

type ChangeOf<V> = V extends number
  ? FieldChange<number>
  : V extends readonly (infer E)[]
    ? FieldChange<readonly E[]>
    : V extends undefined
      ? FieldChange<undefined>
      : never;

/** New values of members, and changes that the server computes, such as `increment(1)`. */
export type Patch<C> = { readonly [K in keyof C]?: C[K] | ChangeOf<C[K]> };

/**
 * Refuses members of a patch that are undefined. They would change nothing, although they read like `remove()`. Members
 * that the patch may lack are accepted.
 */
export type Defined<C, P> = {
  readonly [K in keyof P]: K extends keyof C
    ? unknown extends P[K]
      ? unknown
      : undefined extends P[K]
        ? P extends Required<Pick<P, K>>
          ? never
          : unknown
        : unknown
    : never;
};

/** Changes of members, by name. */
export type Changes = { readonly [member: string]: readonly [operator: string, operand: unknown] };

const change = <V>(operator: string, operand?: unknown): FieldChange<V> => ({
  [OPERATOR]: [operator, operand],
  // Elsewhere it would be sent as an empty object.
  toJSON() {
    throw new TypeError(`${operator}() is only for members of update`);
  },
});

/** Values of which literals are preserved, such as those of a union of texts. */
type Elements<P> = readonly (P | object | null | undefined)[];
type Primitive = string | number | boolean;

/** Adds to a number; a missing one becomes `by`. Concurrent increments all count. */
export const increment = (by = 1) => change<number>('increment', by);
/** Lowers a number to `most` if it is larger or missing. */
export const min = (most: number) => change<number>('min', most);
/** Raises a number to `least` if it is smaller or missing. */
export const max = (least: number) => change<number>('max', least);
/** Adds elements at the end of a list. Elements that others append at the same time are kept. */
export const append = <P extends Primitive, L extends Elements<P>>(...values: L) => change<L>('append', values);
/** Adds the elements that a list does not contain yet. */
export const addToSet = <P extends Primitive, L extends Elements<P>>(...values: L) => change<L>('addToSet', values);
/** Removes elements from a list, wherever they occur. */
export const removeFrom = <P extends Primitive, L extends Elements<P>>(...values: L) => change<L>('removeFrom', values);
/** Removes an optional member. */
export const remove = () => change<undefined>('remove');

const isChange = (value: unknown): value is FieldChange<unknown> =>
  typeof value === 'object' && value !== null && OPERATOR in value;

/** Splits a patch into the members that it sets, and its changes. */
export function partsOf(patch: object): { readonly content: Record<string, unknown>; readonly changes: Changes } {
  // Without a prototype, `__proto__` is a name like any other.
  const content: Record<string, unknown> = Object.create(null);
  const changes: Record<string, Changes[string]> = Object.create(null);
  for (const [name, value] of Object.entries(patch)) {
    if (isChange(value)) changes[name] = value[OPERATOR];
    else if (value !== undefined) content[name] = value;
  }
  return { content, changes };
}

/** Returns the patch that consists of these parts. */
export const patchOf = (content: object, changes: Changes = {}): object =>
  Object.assign(
    Object.create(null),
    content,
    ...Object.entries(changes).map(([name, [operator, operand]]) => ({ [name]: change(operator, operand) })),
  );

/** The operators of a request with these changes; null if there are none. */
export function operatorsOf(patch: object): object | null {
  const operators: Record<string, unknown> = {};
  const removed: string[] = [];
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const [operator, operand] = isChange(value) ? value[OPERATOR] : ['set', value];
    if (operator === 'remove') removed.push(memberName(name));
    // Without a prototype, `__proto__` is a name like any other.
    else operators[operator] = Object.assign(Object.create(null), operators[operator], { [memberName(name)]: operand });
  }
  if (removed.length > 0) operators.remove = removed;
  return Object.keys(operators).length > 0 ? operators : null;
}
