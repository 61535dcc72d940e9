import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { decodeText } from './env-file.ts';

/** Suffix of variables whose value is the path of a file with the actual value. */
export const FILE_SUFFIX = '_FILE';

/**
 * Returns the value in a file, without its final line break. A path that cannot be read may be the value itself, in the
 * wrong variable, so messages do not repeat it.
 *
 * @throws `ConfigError` if there is none
 */
function readValue(variable: string, given: string, folder: string): string {
  const path = resolve(folder, given);
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const reason = isAbsolute(given) ? code : `${code}, relative to ${folder}`;
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
    try {
      env[name] = readValue(variable, given, folder);
      paths.set(name, resolve(folder, given));
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
