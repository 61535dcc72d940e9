import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Found by the name of this package, because the bundle has this code in another folder. */
const SERVER = fileURLToPath(new URL('.', import.meta.resolve('@baobab/server/package.json')));

/** Where a clone has its sources; the published package has the build only. */
const SOURCES = join(SERVER, '../console');

/** The folder of the built console. In a clone it may not be there yet. */
export const findConsole = (): string =>
  existsSync(join(SOURCES, 'package.json')) ? join(SOURCES, 'dist/site') : join(SERVER, 'dist/console');
