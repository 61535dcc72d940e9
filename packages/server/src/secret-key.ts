import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'secret.key';

/** Where a generated key is kept. */
export const keyFileIn = (dataDir: string) => join(dataDir, FILE);

/**
 * The secret key in `dataDir`. When there is none it is generated and written, readable by its owner only.
 *
 * @throws Error when the file does not hold a key
 */
export function loadSecretKey(dataDir: string): string {
  const path = keyFileIn(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // Fails when the file exists: of two processes that start at the same time one writes, and both read.
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const key = readFileSync(path, 'utf8').trim();
  if (key.length < 32)
    throw new Error(`${path} does not hold a secret key; restore it from a backup or set SECRET_KEY`);
  return key;
}
