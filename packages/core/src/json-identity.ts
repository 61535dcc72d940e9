import type { JsonValue } from './json-text.ts';

/** Returns the same JSON text for equal values: with the members of objects sorted by name. */
export function sortedJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  let text = '';
  for (const name of Object.keys(value).sort()) {
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${sortedJson(value[name] as JsonValue)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}
