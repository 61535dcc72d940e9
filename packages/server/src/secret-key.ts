import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'secret.key';

/** Returns the path of a generated key. */
export const keyFileIn = (dataDir: string) => join(dataDir, FILE);

/**
 * Returns the secret key in `dataDir`. If there is none, it is generated and written, readable by its owner only.
 *
 * @throws Error if the file does not contain a key
 */
export function loadSecretKey(dataDir: string): string {
  const path = keyFileIn(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // Fails if the file exists: if two processes start at the same time, one writes and both read.
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const key = readFileSync(path, 'utf8').trim();
  if (key.length < 32)
    throw new Error(`${path} does not hold a secret key; restore it from a backup or set SECRET_KEY`);
  return key;
}
