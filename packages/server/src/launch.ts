import nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * Where the compiled code of the last process is kept: beside the bundle, because write access to it is write access to
 * the program. Where that folder is read-only, nothing is kept.
 */
const COMPILED = join(import.meta.dirname, '.compiled');

/** Runs an entry of the bundle, which `npm run build` makes of the sources. */
export async function launch(entry: 'program' | 'commands'): Promise<void> {
  // Missing in versions of Node that the entry refuses with a message.
  nodeModule.enableCompileCache?.(COMPILED);
  await import(`./bundle/${entry}.js`);
}
