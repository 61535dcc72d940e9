import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Found by the name of this package, because the bundle has this code in another folder. */
const PACKAGES = fileURLToPath(new URL('..', import.meta.resolve('@baobab/server/package.json')));

/** Where `npm run docs` builds the guide in a clone. */
const BUILT = join(PACKAGES, '../docs/.vitepress/dist');

/** The folder of the guide; null when it was not built. */
export const findGuide = (): string | null => (existsSync(join(BUILT, 'index.html')) ? BUILT : null);
