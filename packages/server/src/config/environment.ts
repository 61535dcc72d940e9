import { FORMATS } from './formats.ts';
import { validator } from './validator.ts';
import { type Form, VARIABLES, type Values, type Variable, type VariableSchema } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadEnvironment {
  /** Values of all variables; invalid variables have their defaults. */
  readonly values: Values;
  /** One line per invalid variable. */
  readonly problems: readonly string[];
}

const SCHEMAS: readonly (readonly [string, VariableSchema])[] = Object.entries(VARIABLES);

/** `Number` would also convert " 80", "1e3" and "0x50", and so would ajv's `coerceTypes`. */
const DIGITS = /^[0-9]{1,15}$/;

const acceptsIntegers = (form: Form): boolean =>
  'anyOf' in form ? form.anyOf.some(acceptsIntegers) : form.type === 'integer';

/** Converts digits to a number if the schema expects one; other text is unchanged. */
const toValue = (text: string, form: Form) => (DIGITS.test(text) && acceptsIntegers(form) ? Number(text) : text);

function expected(form: Form): string {
  if ('anyOf' in form) return form.anyOf.map(expected).join(' or ');
  if ('enum' in form) return form.enum.join(' or ');
  if (form.type === 'integer') return `a whole number from ${form.minimum} to ${form.maximum}`;
  return form.format === undefined ? 'text' : FORMATS[form.format].expected;
}

const describeProblem = (name: string, text: string | undefined, schema: VariableSchema) =>
  `${name} must be ${expected(schema)}${schema.writeOnly ? '' : ` but is "${text}"`}`;

/** Returns the names of variables with invalid values. */
function invalidIn(given: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const validate = validator();
  const errors = validate(given) ? [] : (validate.errors ?? []);
  return new Set(errors.map(({ instancePath }) => instancePath.slice('/'.length)));
}

/** Variables that other programs also read in lower case. */
export const LOWER_CASE: ReadonlySet<string> = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] satisfies Variable[]);

/** Returns the text of a variable; empty if absent. */
export const textOf = (env: Environment, name: string): string =>
  env[name] || (LOWER_CASE.has(name) && env[name.toLowerCase()]) || '';

/** Validates and converts the known variables of `env`. An empty variable counts as absent. */
export function readEnvironment(env: Environment): ReadEnvironment {
  const given: Record<string, unknown> = {};
  for (const [name, schema] of SCHEMAS) {
    const text = textOf(env, name);
    if (text !== '') given[name] = toValue(text, schema);
  }
  const invalid = invalidIn(given);
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, schema] of SCHEMAS) {
    if (invalid.has(name)) problems.push(describeProblem(name, textOf(env, name), schema));
    values[name] = invalid.has(name) ? schema.default : (given[name] ?? schema.default);
  }
  return { values: values as unknown as Values, problems };
}
