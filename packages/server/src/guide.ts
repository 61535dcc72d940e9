import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where `npm run docs` builds the guide in a clone. */
const BUILT = join(import.meta.dirname, '../../../docs/.vitepress/dist');

/** The folder of the guide; null when it was not built. */
export const findGuide = (): string | null => (existsSync(join(BUILT, 'index.html')) ? BUILT : null);
