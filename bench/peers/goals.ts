import { type Summary, summary } from './cell.ts';
import type { Column, Results } from './report.ts';

/** A goal for the ratio of one of ours to PocketBase. */
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
/** Of p99 to p50. */
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

/** The best of the others in a row, bare Fastify apart. */
function firstLine({ columns, rows, sizes }: Results, mine: Column): string {
  const others = columns.filter(({ peer }) => !/^(?:ours|bare)-/.test(peer.name));
  const behind = rows.filter(({ name }) => {
    const own = found(mine, name)?.perSecond ?? 0;
    return others.some((other) => (found(other, name)?.perSecond ?? 0) > own);
  });
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

export function verdicts(results: Results): string {
  const ours = results.columns.filter(({ peer }) => peer.name.startsWith('ours-'));
  const lines = [
    ...ours.map((column) => firstLine(results, column)),
    ...RATIOS.flatMap((goal) => ratioLine(results, goal)),
    ...ours.map((column) => tailLine(results, column)),
  ];
  return lines.join('\n');
}
