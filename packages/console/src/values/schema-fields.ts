import type { JsonObject } from './json.ts';
import { ownOf } from './own.ts';

/** Kind of form input. `object`: nested fields. `json`: edited as JSON, because the schema is not simple. */
type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'date' | 'object' | 'json';

/** Nested objects have fields of their own up to this depth. */
const DEPTH = 4;

/** A content member described by the schema. */
export interface SchemaField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly title: string;
  readonly about: string | null;
  readonly isRequired: boolean;
  /** Values of a `choice`. */
  readonly choices: readonly (string | number)[];
  /** Members of an `object`. */
  readonly fields: readonly SchemaField[];
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isChoice = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const KINDS: Readonly<Record<string, FieldKind>> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
};

function kindOf({ type, format, enum: values, $ref }: JsonObject): FieldKind {
  if ($ref !== undefined) return 'json';
  if (Array.isArray(values)) return values.length > 0 && values.every(isChoice) ? 'choice' : 'json';
  if (type === 'string' && format === 'date') return 'date';
  return (typeof type === 'string' ? ownOf(KINDS, type) : undefined) ?? 'json';
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the members that a schema describes, in its order; empty if no form can be created for it. */
export function fieldsOf(schema: JsonObject | null, depth = DEPTH): SchemaField[] {
  const properties = schema?.properties;
  if (!isObject(properties) || depth === 0) return [];
  const required: readonly unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) => {
    const described = isObject(property) ? property : {};
    const fields = described.type === 'object' && described.$ref === undefined ? fieldsOf(described, depth - 1) : [];
    const kind = fields.length > 0 ? 'object' : kindOf(described);
    const choices = kind === 'choice' && Array.isArray(described.enum) ? described.enum.filter(isChoice) : [];
    return {
      name,
      kind,
      title: textOf(described.title) ?? name,
      about: textOf(described.description),
      isRequired: required.includes(name),
      choices,
      fields,
    };
  });
}

/** Escapes a name for a JSON Pointer. */
const pointerPart = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

export const pointerOf = (parent: string, { name }: Pick<SchemaField, 'name'>): string => parent + pointerPart(name);

/** Returns the JSON Pointers of fields and of their members. */
export const pointersOf = (fields: readonly SchemaField[], parent = ''): string[] =>
  fields.flatMap((field) => {
    const pointer = pointerOf(parent, field);
    return field.kind === 'object' ? pointersOf(field.fields, pointer) : [pointer];
  });

/** Returns the paths of a schema's simple members, in the query language. */
export function pathsIn(schema: JsonObject | null, prefix = '', depth = 3): string[] {
  const properties = schema?.properties;
  if (!isObject(properties) || depth === 0) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    return [path, ...(isObject(property) ? pathsIn(property, `${path}.`, depth - 1) : [])];
  });
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isDay = (text: string) => DAY.test(text) && new Date(text).toJSON()?.startsWith(text) === true;

/** Returns true if an input keeps a text unchanged: text areas convert `\r\n`, and date inputs show valid days only. */
const isKept = (kind: FieldKind, text: string) => (kind === 'date' ? text === '' || isDay(text) : !text.includes('\r'));

/**
 * Returns the input text for a value; null if the input cannot show it exactly and JSON is needed: an edit would change
 * more than what was typed.
 */
export function inputText({ kind, choices }: Pick<SchemaField, 'kind' | 'choices'>, value: unknown): string | null {
  if (value === undefined) return '';
  switch (kind) {
    case 'json':
    case 'object':
      return JSON.stringify(value, null, 2);
    case 'number':
    case 'integer':
      return typeof value === 'number' ? String(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : null;
    case 'choice':
      // `1` and `"1"` are different values.
      return isChoice(value) && choices.includes(value) ? JSON.stringify(value) : null;
    default:
      return typeof value === 'string' && isKept(kind, value) ? value : null;
  }
}

export type Read = { readonly value: unknown } | { readonly problem: 'number' | 'integer' | 'json' };

/** Parses an input; undefined: the content has no such member. */
export function readInput({ kind }: Pick<SchemaField, 'kind'>, text: string): Read {
  if (text === '') return { value: undefined };
  if (kind === 'text' || kind === 'date') return { value: text };
  if (kind === 'number' || kind === 'integer') {
    const value = Number(text);
    if (!Number.isFinite(value)) return { problem: 'number' };
    return kind === 'integer' && !Number.isSafeInteger(value) ? { problem: 'integer' } : { value };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'json' };
  }
}

/** Returns the content with one member changed, in its position. */
export function withMember(content: JsonObject, name: string, value: unknown): JsonObject {
  if (value !== undefined) return { ...content, [name]: value };
  return Object.fromEntries(Object.entries(content).filter(([other]) => other !== name));
}
