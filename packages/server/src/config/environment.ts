import { FORMATS } from './formats.ts';
import { type Form, VARIABLES, type Values, type Variable, type VariableSchema } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadEnvironment {
  /** Values of all variables; invalid variables have their defaults. */
  readonly values: Values;
  /** One line per invalid variable. */
  readonly problems: readonly string[];
}

const SCHEMAS: readonly (readonly [string, VariableSchema])[] = Object.entries(VARIABLES);

/** `Number` would also convert " 80", "1e3" and "0x50". */
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

function isValid(value: string | number, form: Form): boolean {
  if ('anyOf' in form) return form.anyOf.some((one) => isValid(value, one));
  if ('enum' in form) return form.enum.includes(String(value));
  if (form.type === 'integer') return typeof value === 'number' && value >= form.minimum && value <= form.maximum;
  return form.format === undefined || FORMATS[form.format].validate(String(value));
}

/** Never repeats the value: it may be the content of the wrong file, or a secret in the wrong variable. */
function describeProblem(name: string, text: string, schema: VariableSchema): string {
  const trimmed = text.trim();
  const isPadded = trimmed !== text && isValid(toValue(trimmed, schema), schema);
  return `${name} must be ${expected(schema)}${isPadded ? '; remove the white space around its value' : ''}`;
}

/** Variables that other programs also read in lower case. */
export const LOWER_CASE: ReadonlySet<string> = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] satisfies Variable[]);

/** Returns the text of a variable; empty if absent. */
export const textOf = (env: Environment, name: string): string =>
  env[name] || (LOWER_CASE.has(name) && env[name.toLowerCase()]) || '';

/** Validates and converts the known variables of `env`. An empty variable counts as absent. */
export function readEnvironment(env: Environment): ReadEnvironment {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, schema] of SCHEMAS) {
    const text = textOf(env, name);
    const value = toValue(text, schema);
    const isUsable = text !== '' && isValid(value, schema);
    values[name] = isUsable ? value : schema.default;
    if (text !== '' && !isUsable) problems.push(describeProblem(name, text, schema));
  }
  return { values: values as unknown as Values, problems };
}
