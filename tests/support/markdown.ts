import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the repository as text. */
export const readDocument = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** The documents of the project, from its root. */
export const allDocuments = () =>
  ['.', 'docs', 'docs/adr', 'docs/proof', 'docs/recipes', 'docs/coming-from', 'examples/shopping-lists'].flatMap(
    (folder) =>
      readdirSync(join(import.meta.dirname, '../..', folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => join(folder, name)),
  );

/** The cells of a table row, as they are written. */
export type Row = readonly string[];

/** All rows of all tables below the heading `section` (of the whole text without one), without heads and rules. */
export function tableRows(markdown: string, section?: string): Row[] {
  const lines = (section === undefined ? markdown : sectionOf(markdown, section)).split('\n');
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
}

const isRule = (line: string) => /^\|(?: ?-+:? ?\|)+$/.test(line);

function sectionOf(markdown: string, title: string): string {
  const [, ...sections] = markdown.split(/^## /m);
  const found = sections.find((one) => one.startsWith(`${title}\n`));
  if (found === undefined) throw new Error(`there is no section "${title}"`);
  return found;
}

/** The texts between backticks. */
export const codesIn = (cell: string) => Array.from(cell.matchAll(/`([^`]*)`/g), ([, code = '']) => code);

/** A value as tables in the documents show it. */
export const asCode = (value: string) => (value === '' ? '' : `\`${value}\``);
