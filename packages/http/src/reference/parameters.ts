import { ACTIONS, SETTING_SECTIONS } from '@baobab/core';
import type { Json, Parameter } from './document.ts';

/**
 * Query parameters that change the shape of a list's elements to rows of the named members, or to a number. Client
 * generators cannot express a response whose type depends on a parameter, so these are left out of the descriptions.
 */
export const RESHAPING: ReadonlySet<string> = new Set(['count', 'fields', 'groupBy']);

/** Aliases of described parameters, for clients written for BaasBox. */
export const ALIASES: ReadonlySet<string> = new Set(['params[]', 'recordPerPage']);

export const isDescribed = ({ name, in: place }: Pick<Parameter, 'name' | 'in'>) =>
  place !== 'query' || !(RESHAPING.has(name) || ALIASES.has(name));

const from = (minimum: number): Json => ({ type: 'integer', minimum });
const oneOf = (values: readonly string[]): Json => ({ type: 'string', enum: values });

/**
 * Types of parameters, by location and name. All parameters are text on the wire, and the validating schemas reflect
 * that. The handlers check further, with their own statuses.
 */
const SHAPES: Readonly<Record<string, Json>> = {
  'path.action': oneOf(ACTIONS),
  'path.height': from(1),
  'path.os': oneOf(['android', 'ios']),
  'path.section': oneOf(Object.keys(SETTING_SECTIONS)),
  'path.sizeId': from(1),
  'path.width': from(1),
  'query.collection': { type: 'array', items: { type: 'string' } },
  'query.download': { type: 'boolean' },
  'query.limit': { type: 'integer', minimum: 1, maximum: 1000 },
  'query.page': from(0),
  'query.params': { type: 'array', items: { type: 'string' } },
  'query.recordsPerPage': from(1),
  'query.sizeId': from(0),
  'query.skip': from(0),
  'query.total': { type: 'boolean' },
  'query.withAcl': { type: 'boolean' },
};

/** Returns the schema of a parameter as clients should see it. */
export function shapeOf({ name, in: place, schema }: Parameter): Json | undefined {
  return structuredClone(SHAPES[`${place}.${name}`]) ?? schema;
}

/** Converts a parameter as sent to the JSON that its schema describes. */
export function typedExample(text: string, schema: Json | undefined): Json {
  const { type } = (schema ?? {}) as { type?: Json };
  if (type === 'integer' || type === 'boolean') return JSON.parse(text) as Json;
  return type === 'array' ? [text] : text;
}
