import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Group, NAVIGATION } from './navigation.ts';

/** The project: the guide shows its pages where they are. */
export const ROOT = join(import.meta.dirname, '../..');

/** Returns the pages of a folder, except its index. */
export function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => `${folder}/${name}`)
    .toSorted();
}

const NAMED = new Set(NAVIGATION.flatMap(({ pages }) => pages));

/** Returns the pages of a group, with those of its folders. */
export const pagesOf = ({ pages }: Group) =>
  pages.flatMap((page) => (page.endsWith('/*') ? pagesIn(page.slice(0, -2)).filter((one) => !NAMED.has(one)) : [page]));

export const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

export function titleOf(page: string): string {
  return /^# (.+)$/m.exec(textOf(page))?.[1]?.replaceAll('`', '') ?? basename(page, '.md');
}
