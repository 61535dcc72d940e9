import { ConfigError } from './config.ts';

/** The oldest Node on which the program runs: its built-in SQLite is the reason. As in `engines` of the manifests. */
const LEAST_NODE = [22, 16] as const;

/** Called before anything is loaded that an older Node lacks. @throws `ConfigError` */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new ConfigError([
    `Node ${version} is too old: install Node ${LEAST_NODE.join('.')} or newer; in a clone, "npm start" fetches it`,
  ]);
}
