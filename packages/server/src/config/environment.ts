import { FORMATS } from './formats.ts';
import { validator } from './validator.ts';
import { type Form, VARIABLES, type Values, type Variable, type VariableSchema } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadEnvironment {
  /** The values of all variables; a variable with a problem has its default. */
  readonly values: Values;
  /** One line for each invalid variable. */
  readonly problems: readonly string[];
}

const SCHEMAS: readonly (readonly [string, VariableSchema])[] = Object.entries(VARIABLES);

/** `Number` would convert " 80", "1e3" and "0x50" too, and so would ajv's `coerceTypes`. */
const DIGITS = /^[0-9]{1,15}$/;

const acceptsIntegers = (form: Form): boolean =>
  'anyOf' in form ? form.anyOf.some(acceptsIntegers) : form.type === 'integer';

/** What the schema validates: the number that digits stand for where it expects one, otherwise the text. */
const toValue = (text: string, form: Form) => (DIGITS.test(text) && acceptsIntegers(form) ? Number(text) : text);

function expected(form: Form): string {
  if ('anyOf' in form) return form.anyOf.map(expected).join(' or ');
  if ('enum' in form) return form.enum.join(' or ');
  if (form.type === 'integer') return `a whole number from ${form.minimum} to ${form.maximum}`;
  return form.format === undefined ? 'text' : FORMATS[form.format].expected;
}

const describeProblem = (name: string, text: string | undefined, schema: VariableSchema) =>
  `${name} must be ${expected(schema)}${schema.writeOnly ? '' : ` but is "${text}"`}`;

/** The names of the variables whose values are invalid. */
function invalidIn(given: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const validate = validator();
  const errors = validate(given) ? [] : (validate.errors ?? []);
  return new Set(errors.map(({ instancePath }) => instancePath.slice('/'.length)));
}

/** Other programs read these in lower case too. */
export const LOWER_CASE: ReadonlySet<string> = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] satisfies Variable[]);

/** The text of a variable; empty when it is absent. */
export const textOf = (env: Environment, name: string): string =>
  env[name] || (LOWER_CASE.has(name) && env[name.toLowerCase()]) || '';

/** Validates and converts the variables of `env` that the service knows. An empty variable counts as absent. */
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
