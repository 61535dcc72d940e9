import { type Summary, summary } from './cell.ts';
import type { Column, Results } from './report.ts';

/** Goal for the ratio of Baobab to PocketBase. */
interface Goal {
  readonly row: string;
  readonly ours: string;
  readonly ratio: number;
}

const RATIOS: readonly Goal[] = [
  { row: 'total-many', ours: 'ours-sqlite', ratio: 5 },
  { row: 'total-many', ours: 'ours-postgres', ratio: 5 },
  { row: 'scanned', ours: 'ours-sqlite', ratio: 3 },
  { row: 'scanned', ours: 'ours-postgres', ratio: 1 },
  { row: 'indexed', ours: 'ours-sqlite', ratio: 3 },
  { row: 'indexed', ours: 'ours-postgres', ratio: 3 },
];
/** Reasons why other programs are faster in a row: a guarantee of Baobab or a limit of the platform. By row name. */
const LIMITS: Readonly<Record<string, string>> = {
  upload:
    'An upload is hashed, and it is on the disk before it is acknowledged: the file and its folder are synced. PocketBase ' +
    'and the folder adapter of Parse Server neither hash nor sync.',
  download:
    'Node has no `sendfile`, by which PocketBase lets the kernel copy a file to the socket. Here each byte passes through ' +
    'the process, on one core.',
};

/** Ratio of p99 to p50. */
const TAIL = 8;

function found({ cells }: Column, row: string): Summary | null {
  const cell = cells.get(row);
  return cell === undefined ? null : summary(cell);
}

function ratioLine({ columns, rows, sizes }: Results, goal: Goal): string[] {
  const mine = columns.find(({ peer }) => peer.name === goal.ours);
  const theirs = columns.find(({ peer }) => peer.name === 'pocketbase');
  const row = rows.find(({ name }) => name === goal.row);
  if (mine === undefined || theirs === undefined || row === undefined) return [];
  const [own, other] = [found(mine, goal.row), found(theirs, goal.row)];
  const ratio = own === null || other === null ? Number.NaN : own.perSecond / other.perSecond;
  const verdict = ratio >= goal.ratio ? 'met' : 'MISSED';
  const title = `${row.title(sizes)}: ${mine.peer.title}`;
  return [`- ${title}, at least ${goal.ratio} times PocketBase: ${ratio.toFixed(2)}, ${verdict}`];
}

/** Returns the rows in which another program is faster, except bare Fastify. */
function behindIn({ columns, rows }: Results, mine: Column) {
  const others = columns.filter(({ peer }) => !/^(?:ours|bare)-/.test(peer.name));
  return rows.filter(({ name }) => {
    const own = found(mine, name)?.perSecond ?? 0;
    return others.some((other) => (found(other, name)?.perSecond ?? 0) > own);
  });
}

function firstLine(results: Results, mine: Column): string {
  const { sizes } = results;
  const behind = behindIn(results, mine);
  const list = behind.map((row) => row.title(sizes)).join('; ');
  return `- ${mine.peer.title}, first in every row: ${behind.length === 0 ? 'met' : `MISSED in ${list}`}`;
}

function tailLine({ rows, sizes }: Results, column: Column): string {
  const slow = rows.flatMap((row) => {
    const cell = found(column, row.name);
    const ratio = cell === null ? 0 : cell.p99 / cell.p50;
    return ratio > TAIL ? [`${row.title(sizes)} (${ratio.toFixed(1)})`] : [];
  });
  const verdict = slow.length === 0 ? 'met' : `MISSED in ${slow.join('; ')}`;
  return `- ${column.peer.title}, every p99 at most ${TAIL} times its p50: ${verdict}`;
}

/** Returns the reasons for all rows in which Baobab is slower. */
function limitLines(results: Results, ours: readonly Column[]): string[] {
  const behind = new Set(ours.flatMap((column) => behindIn(results, column)));
  return [...behind].flatMap((row) => {
    const limit = LIMITS[row.name];
    return limit === undefined ? [] : [`- Why not first in ${row.title(results.sizes)}: ${limit}`];
  });
}

export function verdicts(results: Results): string {
  const ours = results.columns.filter(({ peer }) => peer.name.startsWith('ours-'));
  const lines = [
    ...ours.map((column) => firstLine(results, column)),
    ...limitLines(results, ours),
    ...RATIOS.flatMap((goal) => ratioLine(results, goal)),
    ...ours.map((column) => tailLine(results, column)),
  ];
  return lines.join('\n');
}
