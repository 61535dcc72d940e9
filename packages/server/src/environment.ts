import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Logger, nearestName } from '@baobab/core';
import { ConfigError, type Environment, VARIABLES } from './config.ts';

const KNOWN = Object.keys(VARIABLES);
const FILE = '.env';
/** A prefix that people expect. */
const OUR_PREFIX = 'BAOBAB_';
/** Amazon's client reads more variables than ours. */
const FAMILIES_OF_OTHERS: ReadonlySet<string> = new Set(['AWS_']);

/** The prefixes that several of our variables share, such as `MAX_`. */
const FAMILIES: ReadonlySet<string> = new Set(
  KNOWN.map((name) => name.slice(0, name.indexOf('_') + 1)).filter(
    (prefix, at, all) => prefix !== '' && all.indexOf(prefix) !== at && !FAMILIES_OF_OTHERS.has(prefix),
  ),
);

interface EnvFile {
  readonly path: string;
  /** The variables that it set. Those that the environment had already are not among them. */
  readonly variables: readonly string[];
}

export interface UnknownVariable {
  readonly variable: string;
  /** The variable that was probably meant. */
  readonly nearest: string;
}

/** What the program found in its environment besides the configuration. */
export interface EnvironmentReport {
  /** Null: there is no such file. */
  readonly file: EnvFile | null;
  readonly unknown: readonly UnknownVariable[];
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

function readEnvFile(env: Record<string, string | undefined>, folder: string): EnvFile | null {
  const path = join(folder, FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // Python's virtual environments are folders of this name.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EISDIR') return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${path} cannot be read; make it readable to this user, or remove it (${reason})`]);
  }
  const variables: string[] = [];
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (env[name] !== undefined) continue;
    env[name] = value;
    variables.push(name);
  }
  return { path, variables };
}

/** Kubernetes describes each service to its containers by variables that begin with the name of the service. */
const isOfKubernetes = (value: string | undefined) => /^(?:tcp|udp):\/\//.test(value ?? '');

/** Short names have many neighbors that mean something else. */
const mistakesIn = (name: string) => (name.length <= 5 ? 1 : name.length <= 12 ? 2 : 3);

function meantBy(name: string, value: string | undefined, isInFile: boolean): string | null {
  const near = nearestName(name, KNOWN, mistakesIn);
  if (near !== null) return near;
  if (name.startsWith(OUR_PREFIX) && !isOfKubernetes(value))
    return nearestName(name.slice(OUR_PREFIX.length), KNOWN, mistakesIn);
  // In the environment, the same prefixes may belong to other programs.
  const family = name.slice(0, name.indexOf('_') + 1);
  if (!isInFile || !FAMILIES.has(family)) return null;
  const members = KNOWN.filter((known) => known.startsWith(family));
  return nearestName(name, members, () => Number.POSITIVE_INFINITY);
}

/** Variables that are not ours but look like one of ours. */
export function unknownVariables(env: Environment, file: EnvFile | null): UnknownVariable[] {
  return Object.keys(env).flatMap((variable) => {
    if (KNOWN.includes(variable)) return [];
    const nearest = meantBy(variable, env[variable], file?.variables.includes(variable) === true);
    return nearest === null ? [] : [{ variable, nearest }];
  });
}

/**
 * Adds the variables of `.env` in a folder to the environment, which wins over the file, and looks for variables with
 * misspelled names.
 *
 * @throws `ConfigError` when the file cannot be read
 */
export function completeEnvironment(env: Record<string, string | undefined>, folder: string): EnvironmentReport {
  const file = readEnvFile(env, folder);
  return { file, unknown: unknownVariables(env, file) };
}

/** Logs names only: values may be secrets. */
export function logEnvironment({ file, unknown }: EnvironmentReport, logger: Logger): void {
  if (file !== null) logger.info({ file: file.path, variables: file.variables }, 'environment file read');
  for (const one of unknown) logger.warn(one, 'unknown environment variable ignored; the nearest known name is shown');
}
