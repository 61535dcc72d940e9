import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Resolved by package name, because the bundle has this code in another folder. */
const PACKAGES = fileURLToPath(new URL('..', import.meta.resolve('@baobab/server/package.json')));

/** Output folder of `npm run docs` in a clone. */
const BUILT = join(PACKAGES, '../docs/.vitepress/dist');

/** Returns the folder of the guide, or null if it is not built. */
export const findGuide = (): string | null => (existsSync(join(BUILT, 'index.html')) ? BUILT : null);
