import { VARIABLES, type Values, type VariableDefinition } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadEnvironment {
  /** The values of all variables; a variable with a problem has its default. */
  readonly values: Values;
  /** One line for each invalid variable. */
  readonly problems: readonly string[];
}

const DEFINITIONS: readonly (readonly [string, VariableDefinition<unknown>])[] = Object.entries(VARIABLES);

function describeProblem(name: string, text: string, { expected, writeOnly }: VariableDefinition<unknown>): string {
  return `${name} must be ${expected}${writeOnly ? '' : ` but is "${text}"`}`;
}

/** Validates and converts the variables of `env` that the service knows. An empty variable counts as absent. */
export function readEnvironment(env: Environment): ReadEnvironment {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, definition] of DEFINITIONS) {
    const text = env[name] ?? '';
    const value = text === '' ? definition.default : definition.parse(text);
    if (value === null) problems.push(describeProblem(name, text, definition));
    values[name] = value ?? definition.default;
  }
  return { values: values as unknown as Values, problems };
}
