import { isObject, type JsonObject } from './json.ts';
import { ownOf } from './own.ts';

/** Maximum number and length of the paths in a patch that the server accepts. */
const MOST_PATHS = 100;
const LONGEST_PATH = 2000;

/** A request body that changes single places of a document. */
export interface PlacePatch {
  readonly set?: JsonObject;
  readonly remove?: readonly string[];
}

const hasSameLength = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) && a.length === b.length;

/** Returns true if two values are the same JSON. The order of members does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (hasSameLength(a, b)) return (a as unknown[]).every((one, index) => isSame(one, (b as unknown[])[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(ownOf(a, name), ownOf(b, name)))
  );
}

/** Returns the changes from `before` to `mine`, applied to `theirs`. Where both have changed a value, `mine` remains. */
export function merged(before: JsonObject, mine: JsonObject, theirs: JsonObject): JsonObject {
  const names = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
  const members = Array.from(names, (name) => {
    const [old, own, other] = [ownOf(before, name), ownOf(mine, name), ownOf(theirs, name)];
    if (isSame(own, old)) return [name, other] as const;
    const isNested = isObject(own) && isObject(other);
    return [name, isNested ? merged(isObject(old) ? old : {}, own, other) : own] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/**
 * Returns the patch that changes one content to another. Only values that differ are in it, so that the server keeps
 * all others as stored. Null: no patch can express the changes.
 */
export function patchOf(before: JsonObject, after: JsonObject): PlacePatch | null {
  const set: [path: string, value: unknown][] = [];
  const remove: string[] = [];
  let isPossible = true;

  function compare(path: string, old: unknown, value: unknown): void {
    if (isSame(old, value)) return;
    if (isObject(old) && isObject(value)) compareMembers(`${path}.`, old, value);
    else if (hasSameLength(old, value)) compareElements(path, old as unknown[], value as unknown[]);
    else if (value === undefined) remove.push(path);
    else set.push([path, value]);
  }

  function compareElements(path: string, old: readonly unknown[], value: readonly unknown[]): void {
    for (const [index, one] of value.entries()) compare(`${path}[${index}]`, old[index], one);
  }

  function compareMembers(prefix: string, old: JsonObject, value: JsonObject): void {
    for (const name of new Set([...Object.keys(old), ...Object.keys(value)])) {
      const [one, other] = [ownOf(old, name), ownOf(value, name)];
      // Paths cannot name it.
      if (name.includes('/') && !isSame(one, other)) isPossible = false;
      compare(`${prefix}\`${name.replaceAll('`', '``')}\``, one, other);
    }
  }

  compareMembers('', before, after);
  const paths = [...set.map(([path]) => path), ...remove];
  if (!isPossible || paths.length > MOST_PATHS || paths.some((path) => path.length > LONGEST_PATH)) return null;
  return {
    ...(set.length > 0 && { set: Object.fromEntries(set) }),
    ...(remove.length > 0 && { remove }),
  };
}
