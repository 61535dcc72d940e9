import type { InputProblem, JsonObject } from '@baobab/core';
import { isJsonObject } from '@baobab/core';
import { FORMATS } from './formats.ts';
import { nodesOf, type SchemaNode, step } from './nodes.ts';
import { patternProblem } from './patterns.ts';
import { resolveReferences } from './references.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** Asserted keywords. Other keywords are annotations. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  `$schema $id $anchor $comment $dynamicAnchor $dynamicRef $ref $defs definitions type enum const multipleOf maximum exclusiveMaximum minimum
  exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties
  minProperties required dependentRequired format title description default deprecated readOnly writeOnly examples
  contentEncoding contentMediaType contentSchema additionalProperties contains else if items not propertyNames then
  unevaluatedItems unevaluatedProperties allOf anyOf oneOf prefixItems dependencies dependentSchemas patternProperties
  properties`.split(/\s+/),
);

function* patternProblems({ path, schema: { pattern, patternProperties } }: SchemaNode): Generator<InputProblem> {
  const patterns = typeof pattern === 'string' ? [[`${path}/pattern`, pattern] as const] : [];
  const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  for (const [at, text] of [
    ...patterns,
    ...names.map((name) => [`${path}/patternProperties${step(name)}`, name] as const),
  ]) {
    const message = patternProblem(text);
    if (message !== null) yield { path: at, message };
  }
}

function* problemsOf(node: SchemaNode): Generator<InputProblem> {
  const { path, schema } = node;
  const { format, $id, $schema } = schema;
  if ($id !== undefined && path !== '') yield { path: `${path}/$id`, message: '$id is allowed only at the top' };
  if (typeof $schema === 'string' && $schema.replace(/#$/, '') !== DRAFT) {
    yield { path: `${path}/$schema`, message: `only ${DRAFT} is known` };
  }
  if (typeof format === 'string' && !FORMATS.some((known) => known === format)) {
    yield { path: `${path}/format`, message: `unknown format "${format}": use ${FORMATS.join(', ')}` };
  }
  yield* patternProblems(node);
}

/**
 * Returns the problems of a valid schema: unknown formats, external references, and parts without a bound on their
 * cost.
 */
export function inspect(schema: JsonObject): InputProblem[] {
  const nodes = nodesOf(schema);
  if (nodes.problems.length > 0) return [...nodes.problems];
  return [...nodes.all.flatMap((node) => [...problemsOf(node)]), ...resolveReferences(nodes).problems];
}
