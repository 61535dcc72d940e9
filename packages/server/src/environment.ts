import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, nearestName } from '@baobab/core';
import { type EnvEntry, parseEnvFile } from './config/env-file.ts';
import { LOWER_CASE } from './config/environment.ts';
import { FILE_SUFFIX, readValueFiles } from './config/value-files.ts';
import type { VariableSchema } from './config/variables.ts';
import { ConfigError, type Environment, VARIABLES } from './config.ts';

const KNOWN = Object.keys(VARIABLES);
const SECRETS = Object.entries<VariableSchema>(VARIABLES).flatMap(([name, { writeOnly }]) => (writeOnly ? [name] : []));
const FILE = '.env';
/** Prefix that users may expect. */
const OUR_PREFIX = 'BAOBAB_';
/** Amazon's client reads further variables with this prefix. */
const FAMILIES_OF_OTHERS: ReadonlySet<string> = new Set(['AWS_']);

interface EnvFile {
  readonly path: string;
  /** Variables that the file set, excluding those already in the environment. */
  readonly variables: readonly string[];
}

export interface UnknownVariable {
  readonly variable: string;
  /** Variable that was probably meant. */
  readonly nearest: string;
}

/** Findings about the environment, in addition to the configuration. */
export interface EnvironmentReport {
  /** Null without a file. */
  readonly file: EnvFile | null;
  readonly unknown: readonly UnknownVariable[];
  /** Source of each known variable that is set. */
  readonly sources: ReadonlyMap<string, string>;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

/** True for variables that other programs also read in lower case. */
const isInLowerCase = (name: string) => name === name.toLowerCase() && LOWER_CASE.has(name.toUpperCase());

/** Returns the variable that a variable sets: itself, or the one whose file it names. */
const setBy = (name: string): string => {
  const base = name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : name;
  return KNOWN.includes(base) ? base : name;
};

function readEnvFile(path: string): readonly EnvEntry[] | null {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    // Python's virtual environments are folders with this name.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EISDIR') return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${path} cannot be read; make it readable to this user, or remove it (${reason})`]);
  }
  return parseEnvFile(bytes, path);
}

/** Adds the variables of the file that the environment does not set, directly or by a file, and returns them. */
function addEntries(env: Record<string, string | undefined>, entries: readonly EnvEntry[]): readonly EnvEntry[] {
  const given = new Set(Object.keys(env).map(setBy));
  const added = entries.filter(({ name }) => env[name] === undefined && !given.has(setBy(name)));
  for (const { name, value } of added) env[name] = value;
  return added;
}

/** True for Kubernetes service variables, which begin with the name of the service. */
const isOfKubernetes = (value: string | undefined) => /^(?:tcp|udp):\/\//.test(value ?? '');

/** Returns the maximum edit distance. Short names have many similar names with other meanings. */
const mistakesIn = (name: string) => (name.length <= 5 ? 1 : name.length <= 12 ? 2 : 3);

function meantBy(name: string, value: string | undefined): string | null {
  const isPrefixed = name.startsWith(OUR_PREFIX) && !isOfKubernetes(value);
  return nearestName(isPrefixed ? name.slice(OUR_PREFIX.length) : name, KNOWN, mistakesIn);
}

/** Prefixes of secrets. An unknown variable `<prefix>…_FILE` is an error that must not go unnoticed. */
const PREFIXES_OF_SECRETS: ReadonlySet<string> = new Set(
  SECRETS.map((name) => name.slice(0, name.indexOf('_') + 1)).filter((prefix) => !FAMILIES_OF_OTHERS.has(prefix)),
);

/** Returns the variable that was meant by one that names a file, or null if it is not ours. */
function fileMeantBy(name: string): string | null {
  if (!name.toUpperCase().endsWith(FILE_SUFFIX)) return null;
  const base = name.slice(0, -FILE_SUFFIX.length);
  const own = base.startsWith(OUR_PREFIX) ? base.slice(OUR_PREFIX.length) : base;
  const isOfFamily = PREFIXES_OF_SECRETS.has(base.slice(0, base.indexOf('_') + 1));
  const near = nearestName(own, SECRETS, isOfFamily ? () => Number.POSITIVE_INFINITY : mistakesIn);
  return near === null ? null : `${near}${FILE_SUFFIX}`;
}

/** Returns unknown variables with names similar to ours. */
export function unknownVariables(env: Environment): UnknownVariable[] {
  return Object.keys(env).flatMap((variable) => {
    if (KNOWN.includes(setBy(variable)) || isInLowerCase(variable)) return [];
    const nearest = meantBy(variable, env[variable]);
    return nearest === null ? [] : [{ variable, nearest }];
  });
}

/** @throws `ConfigError` for unknown variables that appear to name the file of a secret */
function refuseUnknownFiles(env: Environment): void {
  const problems = Object.keys(env).flatMap((variable) => {
    const nearest = KNOWN.includes(setBy(variable)) ? null : fileMeantBy(variable);
    return nearest === null ? [] : [`${variable} is unknown and has no effect; did you mean ${nearest}?`];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

/**
 * Completes the environment: adds the variables of the folder's `.env` file, unless already set, then the values of
 * files named by variables such as `SECRET_KEY_FILE`. Reports variables with misspelled names.
 *
 * @throws `ConfigError` if a file cannot be read or is invalid
 */
export function completeEnvironment(env: Record<string, string | undefined>, folder: string): EnvironmentReport {
  const path = join(folder, FILE);
  const entries = readEnvFile(path);
  const sources = new Map(KNOWN.filter((name) => (env[name] ?? '') !== '').map((name) => [name, 'environment']));
  const added = addEntries(env, entries ?? []);
  for (const { name, value, line } of added) {
    if (value !== '' && KNOWN.includes(name)) sources.set(name, `${FILE}, line ${line}`);
  }
  refuseUnknownFiles(env);
  for (const [name, file] of readValueFiles(env, KNOWN, folder)) sources.set(name, file);
  const file = entries === null ? null : { path, variables: added.map(({ name }) => name) };
  return { file, unknown: unknownVariables(env), sources };
}

/** Logs names only, because values may be secret. */
export function logEnvironment({ file, unknown }: EnvironmentReport, logger: Logger): void {
  if (file !== null) logger.info({ file: file.path, variables: file.variables }, 'environment file read');
  for (const one of unknown) logger.warn(one, 'unknown environment variable ignored; the nearest known name is shown');
}
