import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns a file of the repository as text. */
export const readDocument = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** Returns the paths of the project's documents, relative to its root. */
export const allDocuments = () =>
  [
    '.',
    'docs',
    'docs/adr',
    'docs/contributing',
    'docs/proof',
    'docs/recipes',
    'docs/coming-from',
    'examples/shopping-lists',
    'examples/task-board',
  ].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, '../..', folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );

/** Cells of a table row, as written. */
export type Row = readonly string[];

/**
 * Returns all rows of all tables below the heading `section` (by default, in the whole text), without heads and rules.
 */
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

/** Returns the texts between backticks. */
export const codesIn = (cell: string) => Array.from(cell.matchAll(/`([^`]*)`/g), ([, code = '']) => code);

/** Formats a value like tables in the documents. */
export const asCode = (value: string) => (value === '' ? '' : `\`${value}\``);
