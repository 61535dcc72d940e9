import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { decodeText } from './env-file.ts';

/** Suffix of variables whose value is the path of a file with the actual value. */
export const FILE_SUFFIX = '_FILE';

/** Returns the value in a file, without its final line break. @throws `ConfigError` if there is none */
function readValue(variable: string, path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${variable}: the file cannot be read; correct the path or its permissions (${reason})`]);
  }
  const value = decodeText(bytes, `${variable}: ${path}`).replace(/\r?\n$/, '');
  if (value === '') throw new ConfigError([`${variable}: ${path} is empty; write the value into it`]);
  return value;
}

/**
 * Replaces each variable `<name>_FILE` of the environment with the variable `<name>` and the content of the file, as
 * Docker and Kubernetes provide secrets.
 *
 * @param folder base of relative paths
 * @returns file paths of the variables read from files
 * @throws `ConfigError` with one line for each variable that has two values, or whose file has none
 */
export function readValueFiles(
  env: Record<string, string | undefined>,
  names: readonly string[],
  folder: string,
): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  const problems: string[] = [];
  for (const name of names) {
    const variable = `${name}${FILE_SUFFIX}`;
    const given = env[variable] ?? '';
    if (given === '') continue;
    if ((env[name] ?? '') !== '') {
      problems.push(`${name} and ${variable} are both set; unset one of them`);
      continue;
    }
    const path = resolve(folder, given);
    try {
      env[name] = readValue(variable, path);
      paths.set(name, path);
      // Worker processes inherit the value, so only one may remain.
      delete env[variable];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return paths;
}
