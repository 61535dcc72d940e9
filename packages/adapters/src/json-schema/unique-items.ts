import { type JsonValue, sortedJson } from '@baobab/core';

/** True if all elements are different, in time proportional to their length. */
export function areUnique(elements: readonly JsonValue[]): boolean {
  const scalars = new Set<JsonValue>();
  const texts = new Set<string>();
  for (const element of elements) {
    if (typeof element === 'object' && element !== null) texts.add(sortedJson(element));
    else scalars.add(element);
  }
  return scalars.size + texts.size === elements.length;
}
