import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAVIGATION } from './navigation.ts';
import { pagesOf, ROOT, textOf, titleOf } from './pages.ts';

/** Returns the first sentence of a page, as text without links; empty if there is none before the first section. */
function summaryOf(page: string): string {
  const [introduction = ''] = textOf(page)
    .replace(/^# .+$/m, '')
    .split(/^## /m);
  const paragraph = introduction.split(/\n{2,}/).find((block) => /^[\p{L}[`*]/u.test(block.trim())) ?? '';
  const text = paragraph
    .trim()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ');
  return /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? text.replace(/:$/, '.');
}

function lineOf(page: string): string {
  const summary = summaryOf(page);
  return `- [${titleOf(page)}](${page})${summary === '' ? '' : `: ${summary}`}`;
}

/**
 * Writes the pages for language models into the folder of the built guide: `llms.txt` (https://llmstxt.org), the pages
 * to which it links, as Markdown, and `llms-full.txt` with all of them.
 */
export function writeForModels(folder: string, { title, description }: { title: string; description: string }): void {
  const sections = NAVIGATION.map((group) => `## ${group.text}\n\n${pagesOf(group).map(lineOf).join('\n')}\n`);
  writeFileSync(join(folder, 'llms.txt'), [`# ${title}\n`, `> ${description}\n`, ...sections].join('\n'));
  const pages = NAVIGATION.flatMap(pagesOf);
  for (const page of pages) cpSync(join(ROOT, page), join(folder, page));
  writeFileSync(join(folder, 'llms-full.txt'), pages.map((page) => `<!-- ${page} -->\n\n${textOf(page)}`).join('\n'));
}
