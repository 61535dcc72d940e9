import nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * Compile cache. It is next to the bundle, because write access to it is write access to the program. In a read-only
 * folder, nothing is cached.
 */
const COMPILED = join(import.meta.dirname, '.compiled');

/** Runs an entry of the bundle, which `npm run build` creates from the sources. */
export async function launch(entry: 'program' | 'commands'): Promise<void> {
  // Missing in versions of Node that the entry refuses with a message.
  nodeModule.enableCompileCache?.(COMPILED);
  await import(`./bundle/${entry}.js`);
}
