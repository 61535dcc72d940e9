import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Resolved by package name, because the bundle has this code in another folder. */
const SERVER = fileURLToPath(new URL('.', import.meta.resolve('@baobab/server/package.json')));

/** Location of the sources in a clone; the published package contains the build only. */
const SOURCES = join(SERVER, '../console');

/** Returns the folder of the built console. In a clone, it may not exist yet. */
export const findConsole = (): string =>
  existsSync(join(SOURCES, 'package.json')) ? join(SOURCES, 'dist/site') : join(SERVER, 'dist/console');
