import { createRequire } from 'node:module';
import {
  type CompiledSchema,
  type InputProblem,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_PROBLEMS,
  type SchemaCompilation,
  type SchemaCompiler,
} from '@baobab/core';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { boundedFormats } from './formats.ts';
import { inspect, KEYWORDS } from './inspect.ts';
import { nodesOf } from './nodes.ts';
import { patternEngine } from './patterns.ts';
import { toProblem } from './problems.ts';
import { anchorsOf, REFERENCES } from './references.ts';
import { areUnique } from './unique-items.ts';

const require = createRequire(import.meta.url);
/** Loaded when the first schema is compiled, because most servers have none. */
const load = (): typeof import('ajv/dist/2020.js') => require('ajv/dist/2020.js');

/**
 * Length above which values are checked only up to their first problem, because they could have very many. Characters.
 */
const MAX_SEARCHED = 65_536;
/** Maximum references followed while a value is checked: a constant, plus some per character. */
const FOLLOWED = 10_000;
const FOLLOWED_PER_CHARACTER = 4;

/** Counts followed references. Recursive schemas with alternatives could follow exponentially many. */
const COUNTER = 'x-follow';
const EXHAUSTED = new Error('too many references were followed');
const NONE: readonly InputProblem[] = Object.freeze([]);
const TOO_COMPLEX: readonly InputProblem[] = [{ path: '', message: 'is too deeply nested to be checked' }];

/** Ajv does not follow dynamic anchors by `$ref`, so references become pointers. */
const ANCHORS: ReadonlySet<string> = new Set(['$anchor', '$dynamicAnchor']);

/** Returns a JSON Pointer as a reference. */
const fragmentOf = (path: string) => `#${path.split('/').map(encodeURIComponent).join('/')}`;

/**
 * Returns the schema that ajv compiles: with a counter before each reference, and without annotations, some of which
 * have a meaning for ajv.
 */
function compiledForm(schema: JsonObject): JsonObject {
  const copy: JsonObject = structuredClone(schema);
  delete copy.$id;
  delete copy.$schema;
  const { all } = nodesOf(copy);
  const anchors = anchorsOf(all);
  for (const { schema: node } of all) {
    const conditions = REFERENCES.flatMap((keyword) => {
      const $ref = node[keyword];
      delete node[keyword];
      if (typeof $ref !== 'string') return [];
      const path = anchors.get($ref.slice(1))?.path;
      return [{ [COUNTER]: true }, { $ref: path === undefined ? $ref : fragmentOf(path) }];
    });
    for (const keyword of Object.keys(node)) if (!KEYWORDS.has(keyword) || ANCHORS.has(keyword)) delete node[keyword];
    if (conditions.length > 0) node.allOf = [...(Array.isArray(node.allOf) ? node.allOf : []), ...conditions];
  }
  return copy;
}

/** Creates a check of values, up to the first problem or for all problems. */
function createCheck(schema: JsonObject, allErrors: boolean) {
  const { Ajv2020: Ajv } = load();
  let left = 0;
  const ajv: Ajv2020 = new Ajv({
    // The strict mode refuses valid schemas, such as `prefixItems` without `minItems` or `then` without `if`.
    strict: false,
    // 19.99 is a multiple of 0.01.
    multipleOfPrecision: 8,
    allErrors,
    // Otherwise `toString` would be a member of every object.
    ownProperties: true,
    // The schema is already validated.
    meta: false,
    validateSchema: false,
    logger: false,
    formats: boundedFormats(),
    code: { regExp: patternEngine },
  });
  ajv.addKeyword({
    keyword: COUNTER,
    schemaType: 'boolean',
    errors: false,
    validate: () => {
      if (--left < 0) throw EXHAUSTED;
      return true;
    },
  });
  // Ajv's own implementation compares each pair of elements.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (wanted: boolean, elements: readonly JsonValue[]) => !wanted || areUnique(elements),
  });
  const validate = ajv.compile(schema);

  return (value: JsonValue, length: number): readonly InputProblem[] => {
    left = FOLLOWED + FOLLOWED_PER_CHARACTER * length;
    try {
      if (validate(value)) return NONE;
    } catch (error) {
      if (error === EXHAUSTED) return TOO_COMPLEX;
      throw error;
    }
    const problems = (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(toProblem);
    validate.errors = null;
    return problems;
  };
}

function createCompiled(schema: JsonObject): CompiledSchema {
  const counting = compiledForm(schema);
  const first = createCheck(counting, false);
  let every: ReturnType<typeof createCheck> | null = null;
  return {
    check(value, length) {
      const problems = first(value, length);
      if (problems.length === 0 || length > MAX_SEARCHED) return problems;
      every ??= createCheck(counting, true);
      const all = every(value, length);
      return all === TOO_COMPLEX ? problems : all;
    },
  };
}

export function createSchemaCompiler(): SchemaCompiler {
  /** Validates schemas. */
  let meta: Ajv2020 | null = null;

  function formProblems(schema: JsonObject): InputProblem[] {
    if (meta === null) {
      const { Ajv2020: Ajv } = load();
      meta = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
    }
    const { $id: _, $schema: __, ...rest } = schema;
    return meta.validateSchema(rest) === true ? [] : (meta.errors ?? []).map(toProblem);
  }

  return {
    compile(schema): SchemaCompilation {
      if (!isJsonObject(schema)) return { problems: [{ path: '', message: 'a JSON object is expected' }] };
      const problems = [...formProblems(schema), ...inspect(schema)];
      if (problems.length > 0) return { problems: problems.slice(0, MAX_PROBLEMS) };
      try {
        return { schema: createCompiled(schema) };
      } catch (error) {
        return { problems: [{ path: '', message: error instanceof Error ? error.message : String(error) }] };
      }
    },
  };
}
