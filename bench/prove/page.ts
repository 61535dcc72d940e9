import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { machine, table } from '../report.ts';

type Cells = readonly string[];

const FOLDER = new URL('../../docs/proof/', import.meta.url);

/** A page in `docs/proof`. */
export interface Page {
  /** File name, without extension. */
  readonly name: string;
  readonly title: string;
  /** Headings of the table; the first column names the row. */
  readonly headings: Cells;
  /** Order of the rows. Rows that a run did not produce are kept. */
  readonly order: readonly string[];
  /** Text after the table. */
  readonly text: string;
}

export const whole = (n: number) => Math.round(n).toLocaleString('en');
export const today = () => new Date().toISOString().slice(0, 10);

/** Returns the command of this run. */
export const command = () => {
  const [, program = '', ...options] = process.argv;
  const name = /([a-z]+)\.ts$/.exec(program)?.[1] ?? '';
  return `npm run prove -- ${[name, ...options].join(' ')}`;
};

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function keptRows(path: string): Cells[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [first = ''] = text.split('\n## ');
  const lines = first.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Prints a page; with `write`, saves it. Rows of earlier runs are kept. */
export function showPage({ name, title, headings, order, text }: Page, rows: readonly Cells[], write: boolean): void {
  const path = fileURLToPath(new URL(`${name}.md`, FOLDER));
  const byName = new Map([...keptRows(path), ...rows].map((row) => [row[0] ?? '', row]));
  const shown = order.flatMap((one) => [byName.get(one) ?? []].filter((row) => row.length > 0));
  const page = `# ${title}\n\n${table(headings, shown)}\n\n${machine()}\n\n${text.trim()}\n`;
  process.stdout.write(page);
  if (!write) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path, page);
}
