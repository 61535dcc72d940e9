import { cpus, totalmem } from 'node:os';
import { type Comparison, type Plan, TOLERATED } from './measure/compare.ts';
import type { Saturation } from './measure/footprint.ts';
import { CONNECTIONS, GENERATOR, type Load } from './measure/load.ts';

export interface Measured extends Comparison {
  readonly database: string;
  readonly name: string;
  readonly goal: number;
}

export interface Results {
  readonly rows: readonly Measured[];
  readonly versions: readonly string[];
  readonly plan: Plan;
  readonly startMs: number;
  readonly idleMb: number | null;
  readonly saturation: Saturation | null;
}

type Cells = readonly string[];

const HEADINGS: Cells = ['Database', 'Work', 'service/s', 'bare/s', 'ratio', 'goal', 'p50/p99 ms', 'bare p50/p99 ms'];
const TEXT_COLUMNS = 2;

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);
const whole = (n: number) => Math.round(n).toLocaleString('en');
const latency = ({ p50, p99 }: Load) => `${p50}/${p99}`;

function cells({ database, name, goal, service, bare, ratio }: Measured): Cells {
  const verdict = `≥ ${goal.toFixed(2)} ${ratio >= goal ? 'met' : 'MISSED'}`;
  const throughput = [whole(service.perSecond), whole(bare.perSecond), ratio.toFixed(2)];
  return [database, name, ...throughput, verdict, latency(service), latency(bare)];
}

/** Formats a table that is readable as plain text and as Markdown. */
export function table(headings: Cells, rows: readonly Cells[], textColumns = TEXT_COLUMNS): string {
  const widths = headings.map((_, i) => Math.max(...[headings, ...rows].map((row) => row[i]?.length ?? 0)));
  const pad = (cell: string, i: number) =>
    i < textColumns ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  const line = (row: Cells) => `| ${row.map(pad).join(' | ')} |`;
  const rule = widths.map((width, i) => (i < textColumns ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(headings), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

function footprint({ startMs, idleMb, saturation }: Results): string {
  const lines = [
    `- Start: ${whole(startMs)} ms from \`npm start\` in a built tree, on a new SQLite database, to the first 200 of /health/ready`,
    `- Memory: ${idleMb === null ? 'not measured on this system' : `${whole(idleMb)} MB resident`}, idle after such a start`,
  ];
  if (saturation !== null) {
    const { seconds, first, last } = saturation;
    lines.push(
      `- Saturation: ${seconds} s of "get one" on Postgres: ${whole(first)}/s in the first third, ${whole(last)}/s in the last (${(last / first).toFixed(2)})`,
    );
  }
  return lines.join('\n');
}

/** Describes the machine and versions of the run. */
export function machine(versions: readonly string[] = []): string {
  const cores = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const programs = [`Node ${process.versions.node}`, ...versions].join(', ');
  return `${cores[0]?.model.trim()}, ${cores.length} cores, ${memory}; ${programs}.`;
}

export function report(results: Results): string {
  const { rows, versions, plan } = results;
  return `# Measured ${new Date().toISOString().slice(0, 10)}

${machine(versions)}
The load generator, the servers and the database share the machine: compare ratios, not absolute numbers of other machines.

${table(HEADINGS, rows.map(cells))}

${footprint(results)}

## What is compared

**Service** is the program as \`npm start\` runs it, with its defaults: authentication by session token, permissions,
validation, request ids, CORS and security headers, and the access log on (discarded by the system).

**Bare** is Fastify without hooks, log or authentication, which runs one statement on the same migrated schema of the
same database with the same driver settings, and splices the content as text into the same envelope. For one document
and for lists it is the service's own statement, permissions included; a create is the shortest possible insert. Reads by key on Postgres share connections in both
([ADR 7](../docs/adr/0007-connections-to-postgres.md)). Before each measurement the responses of the two are compared byte by byte (of creates: their length).
In "get one, watched or not" the service with its access log, metrics and rate limits on, called like a page of another
origin (with all CORS headers in the response), is compared with itself without them. Both confirm writes only when they are on disk: SQLite
with \`synchronous=FULL\` and one commit for all writes of one turn of the event loop, Postgres with \`fsync\` on.

${CONNECTIONS} connections of ${GENERATOR} without pipelining; ${plan.rounds} rounds of ${plan.seconds} s for each, in turn, the order changing
from round to round, each with new processes and after a warm-up. Rates and latencies are medians of the rounds, the ratio is the median of the ratios. A round in
which other programs, or other machines of the host, took more than ${TOLERATED} cores was repeated, whatever its result:
${sum(rows.map(({ repeated }) => repeated))} rounds; ${sum(rows.map(({ disturbed }) => disturbed))} of ${rows.length * plan.rounds} counted rounds were disturbed nevertheless.
Run it again with \`npm run bench\`, and save the results with \`npm run bench -- --write\`.
`;
}
