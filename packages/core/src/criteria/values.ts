import { isJsonObject, type JsonObject, type JsonValue } from '../json-text.ts';
import type { Constant, Path, Scalar } from './syntax.ts';

/** The value of a name: undefined when it is absent. Null counts as absent everywhere. */
export type Value = JsonValue | undefined;

/** The values of an object by name. */
export type Resolve = (name: string) => Value;

/** The members of an object by name; `__proto__` is a name like any other. */
export function resolverOf(object: JsonObject): Resolve {
  return (name) => (Object.hasOwn(object, name) ? object[name] : undefined);
}

/** The value at a path. */
export function valueAt([first, ...steps]: Path, resolve: Resolve): Value {
  let value = resolve(first);
  for (const step of steps) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    if (value === undefined || value === null) return undefined;
  }
  return value ?? undefined;
}

/** The value if it is a scalar; null otherwise. */
export function scalarOf(value: Value): Scalar | null {
  return typeof value === 'object' || value === undefined ? null : value;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The number that a text spells in JSON; null when it spells none, or one beyond the range of a double. */
export function numberOf(text: string): number | null {
  if (!NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** The scalars that a constant may mean: itself, and for a parameter also the number or boolean that it spells. */
export function meaningsOf({ value, untyped }: Constant): readonly Scalar[] {
  if (!untyped || typeof value !== 'string') return [value];
  if (value === 'true' || value === 'false') return [value, value === 'true'];
  const number = numberOf(value);
  return number === null ? [value] : [value, number];
}
