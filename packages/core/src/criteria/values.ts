import { isJsonObject, type JsonObject, type JsonValue } from '../json-text.ts';
import type { Path, Scalar } from './syntax.ts';

/** Value of a name: undefined if it is absent. Null always counts as absent. */
export type Value = JsonValue | undefined;

/** Returns the value of a name in an object. */
export type Resolve = (name: string) => Value;

/** Resolves names to the members of an object. `__proto__` is a name like any other. */
export function resolverOf(object: JsonObject): Resolve {
  return (name) => (Object.hasOwn(object, name) ? object[name] : undefined);
}

/** Returns the value at a path. */
export function valueAt([first, ...steps]: Path, resolve: Resolve): Value {
  let value = resolve(first);
  for (const step of steps) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    if (value === undefined || value === null) return undefined;
  }
  return value ?? undefined;
}

/** Returns the value if it is a scalar; null otherwise. */
export function scalarOf(value: Value): Scalar | null {
  return typeof value === 'object' || value === undefined ? null : value;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the number that a text spells in JSON; null if it is not a number, or beyond the range of a double. */
export function numberOf(text: string): number | null {
  if (!NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}
