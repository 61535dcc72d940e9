import type { InputProblem, JsonObject, JsonValue } from '@baobab/core';
import { isJsonObject } from '@baobab/core';

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const SEVERAL = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const NAMED = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

/** Keywords whose schemas apply to the same value. */
const IN_PLACE = new Set(['allOf', 'anyOf', 'dependencies', 'dependentSchemas', 'else', 'if', 'not', 'oneOf', 'then']);

/** Maximum nesting of schemas. */
const MAX_DEPTH = 64;

/** Object in a schema that is itself a schema. */
export interface SchemaNode {
  /** A JSON Pointer. */
  readonly path: string;
  readonly schema: JsonObject;
  /** Nested schemas that apply to the same value. */
  readonly inPlace: readonly SchemaNode[];
}

/** Returns a name as one step of a JSON Pointer. */
export const step = (name: string | number) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

export interface SchemaNodes {
  readonly root: SchemaNode;
  readonly all: readonly SchemaNode[];
  readonly problems: readonly InputProblem[];
}

/** Returns the schemas in the value of a keyword, with their paths. */
function childrenOf(keyword: string, value: JsonValue, path: string): Array<readonly [JsonObject, string]> {
  let found: Array<readonly [JsonValue, string]> = [];
  if (ONE.has(keyword)) found = [[value, path]];
  else if (SEVERAL.has(keyword) && Array.isArray(value)) found = value.map((one, at) => [one, path + step(at)]);
  else if (NAMED.has(keyword) && isJsonObject(value)) {
    found = Object.entries(value).map(([name, one]) => [one, path + step(name)]);
  }
  return found.flatMap(([child, at]) => (isJsonObject(child) ? [[child, at] as const] : []));
}

/** Returns all schemas in a schema. Values that are not schemas where one is expected are left to the meta-schema. */
export function nodesOf(schema: JsonObject): SchemaNodes {
  const all: SchemaNode[] = [];
  const problems: InputProblem[] = [];

  function visit(at: JsonObject, path: string, depth: number): SchemaNode {
    const inPlace: SchemaNode[] = [];
    const node: SchemaNode = { path, schema: at, inPlace };
    all.push(node);
    if (depth > MAX_DEPTH) {
      problems.push({ path, message: `schemas must not be nested deeper than ${MAX_DEPTH} levels` });
      return node;
    }
    for (const [keyword, value] of Object.entries(at)) {
      for (const [child, childPath] of childrenOf(keyword, value, path + step(keyword))) {
        const visited = visit(child, childPath, depth + 1);
        if (IN_PLACE.has(keyword)) inPlace.push(visited);
      }
    }
    return node;
  }

  return { root: visit(schema, '', 0), all, problems };
}
