import { ConfigError } from './config.ts';

/** Oldest supported Node, determined by its built-in SQLite. As in `engines` of the manifests. */
const LEAST_NODE = [22, 16] as const;

/** Called before anything that an older Node lacks is loaded. @throws `ConfigError` */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new ConfigError([
    `Node ${version} is too old: install Node ${LEAST_NODE.join('.')} or newer; in a clone, "npm start" fetches it`,
  ]);
}
