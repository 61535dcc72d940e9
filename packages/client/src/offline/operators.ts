import type { Changes } from '../documents/changes.ts';
import type { Content } from './records.ts';

type Compute = (value: unknown, operand: unknown) => unknown;
type List = readonly unknown[];

const isIn = (list: List, one: unknown) => list.some((other) => JSON.stringify(other) === JSON.stringify(one));

/** Missing numbers become the operand. The server refuses operators that do not fit the value. */
const onNumber =
  (compute: (value: number, operand: number) => number): Compute =>
  (value, operand) =>
    typeof value === 'number' ? compute(value, operand as number) : (value ?? operand);

const onList =
  (compute: (list: List, values: List) => List): Compute =>
  (value = [], operand) =>
    Array.isArray(value) ? compute(value, operand as List) : value;

const OPERATORS: Readonly<Record<string, Compute>> = {
  remove: () => undefined,
  increment: onNumber((value, by) => value + by),
  min: onNumber(Math.min),
  max: onNumber(Math.max),
  append: onList((list, values) => [...list, ...values]),
  addToSet: onList((list, values) => {
    const all = [...list];
    for (const one of values) if (!isIn(all, one)) all.push(one);
    return all;
  }),
  removeFrom: onList((list, values) => list.filter((one) => !isIn(values, one))),
};

/** Returns the value after a change, as the server computes it; undefined if it is removed. */
export const changed = (value: unknown, [operator, operand]: Changes[string]): unknown =>
  OPERATORS[operator]?.(value, operand);

/** Returns a document after changes. */
export function withChanges<D extends Content>(document: D, changes: Changes = {}): D {
  const entries = Object.entries(changes).map(([name, change]) => [name, changed(document[name], change)]);
  const result = { ...document, ...Object.fromEntries(entries) };
  for (const [name, value] of entries) if (value === undefined) delete result[name as string];
  return result;
}

/** True if repeating a change would count it twice. */
export const isCounting = (changes: Changes = {}) =>
  Object.values(changes).some(([operator]) => operator === 'increment' || operator === 'append');
