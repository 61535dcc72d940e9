import { isJsonObject, type JsonObject, type JsonValue } from '@baobab/core';

const UNKNOWN = 'unknown';

export interface SchemaTypesOptions {
  readonly schema: JsonObject;
  /** Type name of the whole schema. */
  readonly name: string;
  /** Returns a new name for a text. */
  newName(text: string): string;
}

const comment = (text: string, indent: string) =>
  `${indent}/** ${text.replaceAll('*/', '* /').replace(/\s*\n\s*/g, ' ')} */\n`;

const pointerOf = (reference: string) => decodeURIComponent(reference.slice(1));

/** Returns the value at a JSON Pointer. */
function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<JsonValue | undefined>((value, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) return value[Number(name)];
    return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, root);
}

/** Returns the schema with this anchor at any depth. */
function anchored(value: JsonValue, anchor: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isJsonObject(value) && value.$anchor === anchor) return value;
  for (const child of Object.values(value)) {
    const found = anchored(child, anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the type of exactly this value. */
function literal(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${literal(member)};`)
    .join(' ')} }`;
}

const joined = (types: readonly string[], operator: '|' | '&') => {
  const different = Array.from(new Set(types));
  return different.length === 1
    ? (different[0] ?? UNKNOWN)
    : different.map((type) => `(${type})`).join(` ${operator} `);
};
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

/**
 * Returns TypeScript declarations for a JSON Schema, with the type of the whole schema first. Constraints that
 * TypeScript cannot express (patterns, ranges, conditions) are left out.
 */
export function schemaTypes({ schema: root, name, newName }: SchemaTypesOptions): string[] {
  /** Names by pointer. Names that are referenced but not yet declared are `waiting`. */
  const names = new Map<string, string>([['', name]]);
  const waiting: string[] = [];

  function nameOf(reference: string): string {
    const pointer = pointerOf(reference);
    let known = names.get(pointer);
    if (known === undefined) {
      known = newName(`${name} ${pointer.split('/').at(-1)}`);
      names.set(pointer, known);
      waiting.push(pointer);
    }
    return known;
  }

  function objectType(schema: JsonObject, indent: string): string {
    const properties = objectOf(schema.properties);
    const required = new Set(listOf(schema.required).filter((one) => typeof one === 'string'));
    const inner = `${indent}  `;
    const members = Object.entries(properties).map(([member, value]) => {
      const described =
        isJsonObject(value) && typeof value.description === 'string' ? comment(value.description, inner) : '';
      return `${described}${inner}${JSON.stringify(member)}${required.has(member) ? '' : '?'}: ${typeOf(value, inner)};\n`;
    });
    for (const member of required) {
      if (!Object.hasOwn(properties, member)) members.push(`${inner}${JSON.stringify(member)}: unknown;\n`);
    }
    const { additionalProperties: others, patternProperties } = schema;
    if (others !== false || patternProperties !== undefined) {
      const isAlone = members.length === 0 && patternProperties === undefined && others !== undefined;
      members.push(`${inner}[name: string]: ${isAlone ? typeOf(others, inner) : UNKNOWN};\n`);
    }
    return `{\n${members.join('')}${indent}}`;
  }

  function arrayType({ items, prefixItems, minItems }: JsonObject, indent: string): string {
    const first = listOf(prefixItems);
    if (first.length === 0) return `(${items === undefined ? UNKNOWN : typeOf(items, indent)})[]`;
    const needed = typeof minItems === 'number' ? minItems : 0;
    const places = first.map((one, at) => `(${typeOf(one, indent)})${at < needed ? '' : '?'}`);
    const rest = items === false ? [] : [`...(${items === undefined ? UNKNOWN : typeOf(items, indent)})[]`];
    return `[${[...places, ...rest].join(', ')}]`;
  }

  function ofKind(kind: string, schema: JsonObject, indent: string): string {
    if (kind === 'object') return objectType(schema, indent);
    if (kind === 'array') return arrayType(schema, indent);
    return kind === 'integer' ? 'number' : kind;
  }

  /** Returns the type by the keyword `type`, or without it by the keywords for objects and arrays. */
  function byKind(schema: JsonObject, indent: string): string[] {
    const { type } = schema;
    const kinds = (typeof type === 'string' ? [type] : listOf(type)).filter((kind) => typeof kind === 'string');
    if (kinds.length > 0)
      return [
        joined(
          kinds.map((kind) => ofKind(kind, schema, indent)),
          '|',
        ),
      ];
    if (schema.properties !== undefined || schema.required !== undefined) return [objectType(schema, indent)];
    return schema.items !== undefined || schema.prefixItems !== undefined ? [arrayType(schema, indent)] : [];
  }

  function parts(schema: JsonObject, indent: string): string[] {
    if (schema.const !== undefined) return [literal(schema.const)];
    if (schema.enum !== undefined) return [joined(listOf(schema.enum).map(literal), '|')];
    const types = byKind(schema, indent);
    if (typeof schema.$ref === 'string') types.push(nameOf(schema.$ref));
    for (const one of listOf(schema.allOf)) types.push(typeOf(one, indent));
    for (const choices of [listOf(schema.anyOf), listOf(schema.oneOf)]) {
      if (choices.length > 0)
        types.push(
          joined(
            choices.map((one) => typeOf(one, indent)),
            '|',
          ),
        );
    }
    return types;
  }

  function typeOf(schema: JsonValue, indent: string): string {
    if (schema === false) return 'never';
    if (!isJsonObject(schema)) return UNKNOWN;
    const types = parts(schema, indent).filter((type) => type !== UNKNOWN);
    return types.length === 0 ? UNKNOWN : joined(types, '&');
  }

  function declaration(typeName: string, schema: JsonValue): string {
    const description = isJsonObject(schema) ? (schema.description ?? schema.title) : undefined;
    const described = typeof description === 'string' ? comment(description, '') : '';
    return `${described}export type ${typeName} = ${typeOf(schema, '')};\n`;
  }

  const declarations = [declaration(name, root)];
  for (let pointer = waiting.shift(); pointer !== undefined; pointer = waiting.shift()) {
    const isAnchor = pointer !== '' && !pointer.startsWith('/');
    const schema = isAnchor ? anchored(root, pointer) : valueAt(root, pointer);
    declarations.push(declaration(names.get(pointer) ?? '', schema ?? true));
  }
  return declarations;
}
