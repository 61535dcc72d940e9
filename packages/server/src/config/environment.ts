import { createRequire } from 'node:module';
import { FORMATS } from './formats.ts';
import { VARIABLES, type Values, type VariableSchema } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadEnvironment {
  /** The values of all variables; a variable with a problem has its default. */
  readonly values: Values;
  /** One line for each invalid variable. */
  readonly problems: readonly string[];
}

/** Loads ajv when it is needed: the program limits the young generation of V8 before it loads large modules. */
const loadAjv = (): typeof import('ajv') => createRequire(import.meta.url)('ajv');

/** JSON Schemas of all variables. */
const SCHEMAS: Readonly<Record<string, VariableSchema<unknown>>> = VARIABLES;

/** Compiles the schema of `names` only: compiling all of them would take longer than anything else that is done here. */
function compile(names: readonly string[]) {
  const { Ajv } = loadAjv();
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: true,
    formats: FORMATS,
    // Lengths are counted in UTF-16 units, as they always were.
    unicodeRegExp: false,
    // The schema is ours, and a test compiles all of it with these checks.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
    keywords: ['expected'],
  });
  return ajv.compile({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, SCHEMAS[name]])),
  });
}

function describeProblem(name: string, value: unknown): string {
  const { expected, writeOnly } = SCHEMAS[name] ?? {};
  return `${name} must be ${expected}${writeOnly ? '' : ` but is "${value}"`}`;
}

/** Validates and converts the variables of `env` that the service knows. An empty variable counts as absent. */
export function readEnvironment(env: Environment): ReadEnvironment {
  const names = Object.keys(SCHEMAS).filter((name) => (env[name] ?? '') !== '');
  const given: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, env[name]]));
  const validate = compile(names);
  validate(given);
  const invalid = new Set(validate.errors?.map(({ instancePath }) => instancePath.slice(1)));
  return {
    values: Object.fromEntries(
      Object.entries(SCHEMAS).map(([name, schema]) => [
        name,
        given[name] === undefined || invalid.has(name) ? schema.default : given[name],
      ]),
    ) as unknown as Values,
    problems: Array.from(invalid, (name) => describeProblem(name, env[name])),
  };
}
