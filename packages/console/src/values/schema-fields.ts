import { isKept, isObject, type JsonObject, parseJson } from './json.ts';
import { breakOf, shownText, withBreaksOf } from './lines.ts';
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

/** Returns true for the dates that a date input shows. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text && text >= '0001';
}

function shownAs(kind: FieldKind, text: string): string | null {
  if (kind === 'date') return isDay(text) ? text : null;
  return breakOf(text) === null ? null : shownText(text);
}

/** Type of an input. */
type InputType = Pick<SchemaField, 'kind'> & Partial<Pick<SchemaField, 'choices'>>;

/**
 * Returns the input text for a value, as the browser returns it; null if an input of this kind would show another value
 * and JSON is needed.
 */
export function inputText({ kind, choices }: InputType, value: unknown): string | null {
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
      return isChoice(value) && choices?.includes(value) !== false ? JSON.stringify(value) : null;
    default:
      return typeof value === 'string' ? shownAs(kind, value) : null;
  }
}

const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;

function readNumber(text: string, isInteger: boolean): Read {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) return { problem: 'number' };
  if (isInteger && !Number.isSafeInteger(value)) return { problem: 'integer' };
  return isKept(text.trim()) ? { value } : { problem: 'digits' };
}

export type Read = { readonly value: unknown } | { readonly problem: 'number' | 'integer' | 'digits' | 'json' };

/**
 * Parses an input; undefined: the content has no such member.
 *
 * @param stored the value that the input showed first. The same text means this value again: an empty text may stand for
 *   a missing one
 */
export function readInput(type: InputType, text: string, stored?: unknown): Read {
  const { kind } = type;
  if (text === inputText(type, stored)) return { value: stored };
  if (text === '') return { value: undefined };
  if (kind === 'text') return { value: typeof stored === 'string' ? withBreaksOf(stored, text) : text };
  if (kind === 'date') return { value: text };
  if (kind === 'number' || kind === 'integer') return readNumber(text, kind === 'integer');
  try {
    return { value: parseJson(text) };
  } catch {
    return { problem: 'json' };
  }
}

/** Returns the content with one member changed, in its position. */
export function withMember(content: JsonObject, name: string, value: unknown): JsonObject {
  if (value !== undefined) return { ...content, [name]: value };
  return Object.fromEntries(Object.entries(content).filter(([other]) => other !== name));
}
