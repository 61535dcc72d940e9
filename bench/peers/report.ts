import { CONNECTIONS, GENERATOR } from '../measure/load.ts';
import { machine, table } from '../report.ts';
import { type Cell, type Plan, type Summary, summary, TOLERATED } from './cell.ts';
import { verdicts } from './goals.ts';
import type { Peer, Sizes } from './peer.ts';
import { type Row, START } from './rows.ts';

/** A column: a peer and its results by row name. */
export interface Column {
  readonly peer: Peer;
  readonly version: string;
  readonly cells: ReadonlyMap<string, Cell>;
  /** Median start time in milliseconds; null: not measured. */
  readonly startMs: number | null;
}

export interface Results {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly plan: Plan;
  readonly sizes: Sizes;
  readonly seconds: number;
}

const NONE = '–';
const whole = (n: number) => Math.round(n).toLocaleString('en');
const short = (n: number) => (n >= 100 ? whole(n) : String(Number(n.toPrecision(2))));

function cellText(cell: Cell | undefined, text: (found: Summary) => string): string {
  if (cell === undefined) return NONE;
  if (cell.failure !== null) return 'FAILED';
  const found = summary(cell);
  return found === null ? NONE : text(found);
}

/** Returns a table with one line per row and one column per peer. */
function grid({ columns, rows, sizes }: Results, text: (found: Summary) => string): string[][] {
  return rows.map((row) => [row.title(sizes), ...columns.map(({ cells }) => cellText(cells.get(row.name), text))]);
}

const mark = ({ disturbed }: Summary) => (disturbed > 0 ? ' ~' : '');

/** Returns a table whose first column is text. */
const figures = (results: Results, rows: string[][]) =>
  table(['Work', ...results.columns.map(({ peer }) => peer.title)], rows, 1);

function rates(results: Results): string {
  const rows = grid(results, (found) => `${whole(found.perSecond)}${mark(found)}`);
  const starts = results.columns.map(({ startMs }) => (startMs === null ? NONE : whole(startMs)));
  return figures(results, [...rows, [START.title, ...starts]]);
}

const latencies = (results: Results) =>
  figures(
    results,
    grid(results, ({ p50, p99 }) => `${short(p50)}/${short(p99)} (${(p99 / p50).toFixed(1)})`),
  );

const processor = (results: Results) =>
  figures(
    results,
    grid(results, ({ cpu }) => (cpu === null ? NONE : String(Number(cpu.toPrecision(2))))),
  );

const isOurs = ({ peer }: Column) => peer.name.startsWith('ours-');

const ratio = (mine: Column, other: Column, { name }: Row) => {
  const [own, theirs] = [mine, other].map(({ cells }) => cells.get(name));
  return cellText(own, ({ perSecond }) => cellText(theirs, (found) => (perSecond / found.perSecond).toFixed(2)));
};

/** Returns the ratios of Baobab's throughput to that of each other program. */
function ratios({ columns, rows, sizes }: Results): string {
  const pairs = columns
    .filter(isOurs)
    .flatMap((mine) => columns.filter((other) => !isOurs(other)).map((other) => ({ mine, other })));
  const headings = pairs.map(({ mine, other }) => `${mine.peer.title} : ${other.peer.title}`);
  return table(
    ['Work', ...headings],
    rows.map((row) => [row.title(sizes), ...pairs.map(({ mine, other }) => ratio(mine, other, row))]),
    1,
  );
}

/** Names of the rows that tell most, of which the first table shows the ratio to PocketBase. */
const HEADLINE = ['get', 'newest', 'create', 'upload'];

/** Returns a table of a few rows against PocketBase; empty if one of the two is not measured. */
function headline({ columns, rows, sizes }: Results): string {
  const [mine, theirs] = ['ours-sqlite', 'pocketbase'].map((one) => columns.find(({ peer }) => peer.name === one));
  if (mine === undefined || theirs === undefined) return '';
  const rate = ({ cells }: Column, { name }: Row) =>
    cellText(cells.get(name), (found) => `${whole(found.perSecond)}${mark(found)}`);
  const lines = rows
    .filter(({ name }) => HEADLINE.includes(name))
    .map((row) => [row.title(sizes), rate(mine, row), rate(theirs, row), ratio(mine, theirs, row)]);
  const starts = [mine, theirs].map(({ startMs }) => startMs ?? Number.NaN);
  const [own = Number.NaN, other = Number.NaN] = starts;
  lines.push([START.title, ...starts.map(whole), (own / other).toFixed(2)]);
  return `${table(['Work per second', 'Baobab, SQLite', 'PocketBase', 'Ratio'], lines, 1)}

Baobab runs as one process on SQLite. Its writes are on disk before they are acknowledged; those of PocketBase are not, by
its defaults. The cold start is a time: less is better.
`;
}

function failures({ columns, rows, sizes }: Results): string {
  const lines = columns.flatMap(({ peer, cells }) =>
    rows.flatMap((row) => {
      const failure = cells.get(row.name)?.failure ?? null;
      return failure === null
        ? []
        : [`- ${peer.title}, ${row.title(sizes)}: ${failure.replaceAll('\n', ' ').slice(0, 300)}`];
    }),
  );
  return lines.length === 0 ? '' : `\n## Failed\n\n${lines.join('\n')}\n`;
}

const configurations = ({ columns }: Results) =>
  columns.map(({ peer, version }) => `- **${peer.title}** (${version}): ${peer.configured}.`).join('\n');

export function peersReport(results: Results): string {
  const { columns, plan, sizes, seconds } = results;
  const cells = columns.flatMap((column) => [...column.cells.values()]);
  const repeated = cells.reduce((sum, cell) => sum + cell.repeated, 0);
  const disturbed = cells.reduce((sum, cell) => sum + (summary(cell)?.disturbed ?? 0), 0);
  return `# Performance compared with PocketBase, Parse Server and bare Fastify

Measured ${new Date().toISOString().slice(0, 10)} on ${machine()}
The load generator, the servers and the databases share the machine: compare ratios, not absolute numbers of other machines.

${headline(results)}
## Units of work per second

${rates(results)}

## Ratios of these rates

${ratios(results)}

## Latency: p50/p99 in milliseconds, and p99 ÷ p50

${latencies(results)}

## Processor time for one unit of work, in milliseconds

All processes of the server, and of its database if it has one.

${processor(results)}

## Goals

${verdicts(results)}
${failures(results)}
## What is compared

Documents have 1 KB. Half of each collection is the caller's, the other half belongs to another user: a list shows the
caller's newest 20. A total is the exact number of the caller's documents, in the answer of the list or, where a program
has no such answer, in that of a second request. A value of the indexed field and of the field without index is in one
document of 50, and lists ask for the 50 values in turn. "80 % reads, 20 % writes" gets documents and creates and updates them in turn. An upload is 1 MiB of text; the download is the
same. The first answer of a cold start is a document for a caller with a session, on the filled database.

${configurations(results)}

${CONNECTIONS} connections of ${GENERATOR} without pipelining, ${plan.rounds} rounds of ${plan.seconds} s after a warm-up of ${plan.warmUpSeconds} s, each round with new
processes, the programs alternating. Figures are medians of the rounds. Before and after each load a sample of the answers is compared with what is
stored: status, content, rows and their order, total, bytes; documents that were acknowledged are counted. A cell with a wrong or failed
answer is FAILED. A load during which other programs, or other machines of the host, took more than ${TOLERATED} cores was repeated, at most
${plan.repeats} times: ${repeated} were; ${disturbed} of ${cells.reduce((sum, { samples }) => sum + samples.length, 0)} counted loads were disturbed nevertheless (\`~\`). The collections had ${whole(sizes.few)}
and ${whole(sizes.many)} documents. TrailBase is not here: npm has only its client, and nothing here builds its program from Rust.
The run took ${Math.round(seconds / 60)} minutes. Run it again with \`npm run bench -- peers\`.
`;
}
