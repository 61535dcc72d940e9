import { isObject, type JsonObject } from './json.ts';

/** Types that the field builder offers. `other`: a schema that it cannot express, which stays unchanged. */
export const BUILT_TYPES = [
  'text',
  'number',
  'integer',
  'boolean',
  'date',
  'datetime',
  'object',
  'list',
  'other',
] as const;
export type BuiltType = (typeof BUILT_TYPES)[number];

/** A member of a collection's documents. */
export interface BuiltField {
  /** Identifies the field while it is edited. */
  readonly key: number;
  readonly name: string;
  readonly type: BuiltType;
  readonly isRequired: boolean;
  /** Schema of an existing member, which survives renaming; absent for a new field. */
  readonly schema?: unknown;
}

const SCHEMAS: Readonly<Record<Exclude<BuiltType, 'other'>, JsonObject>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  object: { type: 'object' },
  list: { type: 'array' },
};

/** Returns the type that a schema of a member begins with. */
function typeOf(schema: unknown): BuiltType {
  if (!isObject(schema)) return 'other';
  const { type, format } = schema;
  const matches = (Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[]).filter((one) => SCHEMAS[one].type === type);
  return matches.find((one) => SCHEMAS[one].format === format) ?? matches[0] ?? 'other';
}

/** Returns the members that a schema describes. */
export function builtFieldsOf(schema: JsonObject | null): BuiltField[] {
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(properties).map(([name, member], key) => ({
    key,
    name,
    type: typeOf(member),
    isRequired: required.includes(name),
    schema: member,
  }));
}

/**
 * Returns a schema with these members. A member whose type is unchanged keeps its constraints, and the rest of `before`
 * is kept.
 */
export function schemaOf(fields: readonly BuiltField[], before: JsonObject | null): JsonObject {
  const properties = fields.map(({ name, type, schema }) => {
    const isSame = schema !== undefined && typeOf(schema) === type;
    return [name, isSame || type === 'other' ? (schema ?? {}) : SCHEMAS[type]] as const;
  });
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { ...before, type: 'object', properties: Object.fromEntries(properties), required };
}
