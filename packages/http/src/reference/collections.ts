import { isJsonObject, type JsonValue, type JsonObject as SchemaObject } from '@baobab/core';
import type { Json, JsonObject, OpenApi, Operation } from './document.ts';

export interface DescribedCollection {
  readonly name: string;
  /** Null without a schema. */
  readonly schema: SchemaObject | null;
}

/** Paths of documents with the collection as a parameter. */
const GENERIC = ['/document/{collection}', '/document/{collection}/count', '/document/{collection}/{id}'] as const;
const GENERIC_DOCUMENT = '#/components/schemas/Document';
const MEDIA = 'application/json';

/** JSON Schema keywords that contain data instead of schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

const step = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const componentOf = (name: string) => `#/components/schemas/${name}`;

/** Returns the JSON Pointers of all anchors in a schema. */
function anchorsIn(value: JsonValue, path = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) return found;
  if (isJsonObject(value) && typeof value.$anchor === 'string') found.set(value.$anchor, path);
  for (const [name, child] of Object.entries(value)) anchorsIn(child, path + step(name), found);
  return found;
}

/**
 * Converts a schema to a component. Its references are rewritten to point to the component, because it is no longer a
 * separate document.
 */
function asComponent(schema: SchemaObject, name: string): SchemaObject {
  const anchors = anchorsIn(schema);

  function reference(to: string): string {
    const fragment = to.slice(1);
    const pointer = fragment === '' || fragment.startsWith('/') ? fragment : (anchors.get(fragment) ?? '');
    return componentOf(name) + pointer;
  }

  function moved(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map(moved);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).filter(([member]) => member !== '$anchor');
    return Object.fromEntries(
      members.map(([member, child]) => {
        if (member === '$ref' && typeof child === 'string') return [member, reference(child)];
        return [member, DATA.has(member) ? child : moved(child)];
      }),
    );
  }

  const { $id: _, $schema: __, ...rest } = schema;
  return moved(rest) as SchemaObject;
}

/** Returns the schema of a document as callers receive it: the content and the server's own fields. */
function documentSchema(content: SchemaObject, generic: JsonObject): Json {
  const { additionalProperties: _, unevaluatedProperties: __, required = [], properties = {}, ...rest } = content;
  const owned = generic.required as readonly Json[] | undefined;
  return {
    ...rest,
    type: 'object',
    properties: { ...(generic.properties as JsonObject), ...(isJsonObject(properties) ? properties : {}) },
    required: [...(owned ?? []), ...(Array.isArray(required) ? required : [])],
  };
}

/** Replaces each reference to the generic document. */
function withDocument<T>(value: T, component: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(`"${GENERIC_DOCUMENT}"`, JSON.stringify(componentOf(component))));
}

/** Specializes an operation of the generic paths for one collection. */
function operationFor(
  operation: Operation,
  name: string,
  components: { content: string; document: string },
): Operation {
  const { requestBody, parameters = [], ...rest } = withDocument(operation, components.document);
  for (const response of Object.values(rest.responses)) {
    if ('content' in response) for (const media of Object.values(response.content ?? {})) delete media.example;
  }
  return {
    ...rest,
    operationId: `${operation.operationId}_${name.replaceAll('-', '__')}`,
    tags: [name],
    parameters: parameters.filter((parameter) => !(parameter.in === 'path' && parameter.name === 'collection')),
    ...(requestBody && {
      requestBody: { required: true, content: { [MEDIA]: { schema: { $ref: componentOf(components.content) } } } },
    }),
  };
}

/** Adds the paths and schemas of the app's collections to the document, next to the generic ones. */
export function describeCollections(document: OpenApi, collections: readonly DescribedCollection[]): OpenApi {
  const { schemas } = document.components;
  const generic = (schemas.Document ?? {}) as JsonObject;
  const described: OpenApi = {
    ...document,
    tags: [...document.tags],
    paths: { ...document.paths },
    components: { ...document.components, schemas: { ...schemas } },
  };
  for (const { name, schema } of collections) {
    const components = { content: `${name}.content`, document: `${name}.document` };
    const content = schema === null ? { type: 'object' } : asComponent(schema, components.content);
    described.components.schemas[components.content] = content as Json;
    described.components.schemas[components.document] = documentSchema(content, generic);
    described.tags = [...described.tags, { name, description: `Documents of the collection ${name}` }];
    for (const path of GENERIC) {
      const operations = Object.entries(document.paths[path] ?? {});
      described.paths[path.replace('{collection}', name)] = Object.fromEntries(
        operations.map(([method, operation]) => [method, operationFor(operation, name, components)]),
      );
    }
  }
  return described;
}
