import type { JsonValue } from '@baobab/core';

/** Returns JSON text with sorted members, the same for equal values. */
function canonical(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join(',')}}`;
}

/** True if all elements are different, in time proportional to their length. */
export function areUnique(elements: readonly JsonValue[]): boolean {
  const seen = new Set<string>();
  for (const element of elements) {
    const text = canonical(element);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}
