// Measures transfers from SQLite to Postgres and back, and the effect of backups on concurrent writes. `--write` saves
// the results to TRANSFER.md; `--only=transfer`, `sqlite` or `postgres` measures a part.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BackupPlan, measureBackups } from './measure/backups.ts';
import { runCommand } from './measure/command.ts';
import { createRandom } from './measure/crowd.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { fill } from './measure/insert.ts';
import { sendOnce } from './measure/load.ts';
import { startService } from './measure/processes.ts';
import { fillShelf } from './measure/shelf.ts';
import { machine, table } from './report.ts';

const DOCUMENTS = 200_000;
const USERS = 20_000;
const FOLLOWS = 50_000;
const GRANTS = 20_000;
const LEAST_PER_SECOND = 10_000;
const BACKUP: BackupPlan = {
  documents: 100_000,
  owners: 5_000,
  files: 40,
  fileBytes: 1_000_000,
  writesPerSecond: 500,
  rounds: 3,
  warmUpMs: 12_000,
  windowMs: 30_000,
  afterMs: 4_000,
};
const MOST_SLOWER = 1.3;
const ACCESS = { APP_CODE: 'bench', ADMIN_PASSWORD: 'bench', SECRET_KEY: 'the same key for all of this benchmark' };
const RESULTS = new URL('TRANSFER.md', import.meta.url);

const { values: options } = parseArgs({
  options: { write: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);
const whole = (n: number) => Math.round(n).toLocaleString('en');
const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));

/** Creates a database with data of every kind. */
async function makeSource(url: string): Promise<void> {
  const service = await startService({ DATABASE_URL: url, DATA_DIR: folder, ...ACCESS });
  try {
    const headers = { 'x-service-appcode': ACCESS.APP_CODE, 'content-type': 'application/json' };
    const enter = async (path: string, username: string) => {
      const body = JSON.stringify({ username, password: 'bench' });
      const answer = await sendOnce(service.url, { method: 'POST', path, headers, body });
      return (JSON.parse(answer) as { data: { id: string; 'X-BB-SESSION': string } }).data;
    };
    const admin = { 'x-bb-session': (await enter('/login', 'admin'))['X-BB-SESSION'] };
    await sendOnce(service.url, { method: 'POST', path: '/admin/collection/posts', headers: admin });
    const owner = await enter('/user', 'owner');
    await fillShelf(url, { documents: DOCUMENTS, owners: USERS }, owner.id);
    await fill(url, async (insert) => {
      const random = createRandom(3);
      const rows = await read(url, 'select id, collection from documents limit 20000');
      const users = (await read(url, 'select id from users')).map(([id]) => String(id));
      const somebody = () => users[random(users.length)] as string;
      await insert(
        'document_grants',
        ['document', 'collection', 'principal', 'rights'],
        rows.slice(0, GRANTS).map(([id = '', collection = '']) => [id, collection, `u:${somebody()}`, 1]),
      );
      const pairs = new Map<string, [string, string]>();
      while (pairs.size < FOLLOWS) {
        const [a, b] = [somebody(), somebody()];
        pairs.set(a + b, [a, b]);
      }
      await insert('follows', ['follower', 'followed'], [...pairs.values()]);
    });
  } finally {
    await service.stop();
  }
}

async function read(url: string, sql: string): Promise<string[][]> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows.map((row) => Object.values(row).map(String));
}

type Row = readonly [work: string, figures: string, goal: string];

const verdict = (isMet: boolean, goal: string) => `${goal} ${isMet ? 'met' : 'MISSED'}`;

async function measureTransfers(): Promise<Row[]> {
  const [sqlite, postgres] = [await startSqlite(), await startDurablePostgres()];
  const rows: Row[] = [];
  try {
    progress('creating a database');
    await makeSource(sqlite.url);
    const back = `sqlite:${join(folder, 'back.db')}`;
    for (const [name, from, to] of [
      ['Transfer, SQLite to Postgres', sqlite.url, postgres.url],
      ['Transfer, Postgres to SQLite', postgres.url, back],
    ] as const) {
      const args = ['transfer', '--from', from, '--to', to];
      const { output, seconds } = await runCommand(args, { ...ACCESS, DATA_DIR: folder });
      const copied = JSON.parse(output) as { rows: Record<string, number> };
      const total = Object.values(copied.rows).reduce((sum, n) => sum + n, 0);
      const perSecond = (copied.rows.documents ?? 0) / seconds;
      const figures = `${whole(total)} rows in ${seconds.toFixed(1)} s: ${whole(perSecond)} documents/s`;
      const goal = `≥ ${whole(LEAST_PER_SECOND)}/s`;
      rows.push([name, figures, verdict(perSecond >= LEAST_PER_SECOND, goal)]);
    }
    return rows;
  } finally {
    await sqlite.stop();
    await postgres.stop();
  }
}

async function measureBackup(database: Database): Promise<Row[]> {
  try {
    const figures = await measureBackups(database, folder, ACCESS, BACKUP, progress);
    const { without, during, after, seconds, bytes } = figures;
    const ratio = during.p99 / without.p99;
    const p50 = `p50 ${without.p50.toFixed(1)} → ${during.p50.toFixed(1)} ms`;
    const p99 = `p99 ${without.p99.toFixed(1)} → ${during.p99.toFixed(1)} ms (${ratio.toFixed(2)})`;
    const speed = `${whole(bytes / 1e6)} MB in ${seconds.toFixed(0)} s`;
    const windows = `${without.windows} and ${during.windows} windows`;
    const rest = `${p50}, ${p99}, right after ${after.p99.toFixed(1)} ms; ${windows}; ${speed}`;
    return [
      [
        `Backup during ${BACKUP.writesPerSecond} creates/s, ${database.name}`,
        rest,
        verdict(ratio <= MOST_SLOWER, `≤ ${MOST_SLOWER}`),
      ],
    ];
  } finally {
    await database.stop();
  }
}

const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  transfer: measureTransfers,
  sqlite: async () => measureBackup(await startSqlite()),
  postgres: async () => measureBackup(await startDurablePostgres()),
};

/** Returns the saved results of parts that this run skips. */
function keptRows(): Row[] {
  const text = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  return lines.map(
    (line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()) as unknown as Row,
  );
}

const chosen = Object.keys(PARTS).filter((part) => options.only === '' || part === options.only);
if (chosen.length === 0) throw new Error(`--only must be one of ${Object.keys(PARTS).join(', ')}`);
const measured: Row[] = [];
try {
  for (const part of chosen) {
    for (const row of (await PARTS[part]?.()) ?? []) {
      progress(row.join(' | '));
      measured.push(row);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const names = new Set(measured.map(([name]) => name));
const rows = [...keptRows().filter(([name]) => !names.has(name)), ...measured].sort(([a], [b]) => (a < b ? 1 : -1));

const { documents, owners, files, fileBytes, writesPerSecond, rounds, windowMs, afterMs } = BACKUP;
const text = `# Moving and backing up, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${table(['Work', 'Figures', 'goal'], rows)}

## Transfers

${whole(DOCUMENTS)} documents of 900 bytes, ${whole(USERS)} users, ${whole(FOLLOWS)} follow relations, ${whole(GRANTS)} grants, live sessions. The time is that of the
whole command: starting, copying, and reading both sides again to compare them.

## Backups

${whole(documents)} documents of 900 bytes, ${whole(owners)} users, ${files} files of ${fileBytes / 1e6} MB. One user creates ${writesPerSecond} documents a second, one every
${1_000 / writesPerSecond} ms, whether or not the last one has been answered. The latency of a create is counted from the moment when it was due, so
creates that wait behind a slow one are counted too. The load never pauses; meanwhile, windows of ${windowMs / 1_000} s without a backup
and windows from a backup's first moment to its last follow each other, up to ${rounds} of each. Figures are medians of the windows;
"right after" are the ${afterMs / 1_000} s after a backup. A window in which unrelated programs used more than a tenth
of a core is discarded, whatever its result; the number of counted windows is given. \`baobab backup\` runs with its defaults in a session of its own, as a timer of
the system would start it, on the same disk and the same two cores as the service, the load and the database. Each archive is then
restored into an empty store, which verifies its checksums, and has to hold every file and every document that had been
confirmed before it began. If a backup or a create fails, the measurement fails.

Run it again with \`npm run bench -- transfer\`, or a part of it with \`--only=transfer\`, \`sqlite\` or \`postgres\`; \`--write\` saves it.
`;
process.stdout.write(text);
if (options.write) writeFileSync(RESULTS, text);
