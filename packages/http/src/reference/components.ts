import { isJsonObject } from '@baobab/core';
import type { Json, JsonObject, OpenApi } from './document.ts';

/** Keywords whose members are values, not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'example', 'examples']);

/**
 * Moves every schema with a `title` to the components under that name, and replaces it with a reference.
 *
 * @throws Error if two different schemas have the same title
 */
export function shareTitled(document: OpenApi): void {
  const shared = new Map<string, string>();
  const { schemas } = document.components;

  function share(title: string, schema: JsonObject): Json {
    const text = JSON.stringify(schema);
    const before = shared.get(title);
    if (before !== undefined && before !== text) {
      throw new Error(`two schemas have the title ${title}: rename one of them, or let routes share one schema`);
    }
    shared.set(title, text);
    schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  }

  function visit(value: Json): Json {
    if (Array.isArray(value)) return value.map(visit);
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([key, inner]): [string, Json] => [
      key,
      VALUES.has(key) ? inner : visit(inner),
    ]);
    const { title, ...schema } = Object.fromEntries(entries);
    if (title === undefined) return schema;
    return typeof title === 'string' ? share(title, schema) : { title, ...schema };
  }

  for (const [path, item] of Object.entries(document.paths)) {
    document.paths[path] = visit(item as unknown as Json) as unknown as typeof item;
  }
  document.components.schemas = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
