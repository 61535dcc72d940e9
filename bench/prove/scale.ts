// Measures the cost of requests and commands on large data, compared with 10,000 documents. `--documents`, `--users`
// and `--grants` are the size, `--on` sqlite or postgres, `--parts` requests, removal (of a user) and archive;
// `--write` saves the results to docs/proof/scale.md. Ten million documents require about 30 GB of disk space and
// several hours.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../../tests/support/postgres-server.ts';
import { runCommand } from '../measure/command.ts';
import { command, showPage, today, whole } from './page.ts';
import { openPlace, type Place } from './place.ts';
import { fillScale, heavyDocuments, type Size } from './scale/fill.ts';
import { COLLECTION, measureWorks, startOthers, type Target, type Times } from './scale/work.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '10000000' },
    users: { type: 'string', default: '1000000' },
    grants: { type: 'string', default: '10000000' },
    on: { type: 'string', default: 'sqlite,postgres' },
    parts: { type: 'string', default: 'requests,removal,archive' },
    write: { type: 'boolean', default: false },
  },
});
const parts = options.parts.split(',');
const progress = (line: string) => process.stderr.write(`prove: ${line}\n`);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const SMALL: Size = { documents: 10_000, users: 1_000, grants: 10_000 };
const LARGE: Size = {
  documents: Number(options.documents),
  users: Number(options.users),
  grants: Number(options.grants),
};
const QUIET_MS = 5_000;
const BYTES_IN_GB = 1e9;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const latency = ({ p50, p99 }: Times) => `${p50.toFixed(1)}, ${p99.toFixed(1)} ms`;

/** Signs up a user. */
async function enter({ client, nodes, password }: Place, username: string) {
  const { body } = await client.expect('POST', `${nodes[0]?.url}/user`, { body: { username, password } });
  return { id: String(body.data.id), token: String(body.data['X-BB-SESSION']) };
}

async function declareIndex({ client, viewer }: Place): Promise<number> {
  const { address, admin } = viewer();
  const began = performance.now();
  const resource = `${address}/admin/collection/${COLLECTION}/index`;
  await client.expect('PUT', `${resource}/bin`, { token: admin });
  for (;;) {
    const { body } = await client.expect('GET', resource, { token: admin });
    if (body.data.every(({ state }: { state: string }) => state === 'ready')) return performance.now() - began;
    await pause(200);
  }
}

/** Fills a place while its server is stopped. */
async function prepare(place: Place, size: Size) {
  const { client, viewer, nodes } = place;
  const { address, admin } = viewer();
  await client.expect('POST', `${address}/admin/collection/${COLLECTION}`, { token: admin });
  const [owner, heavy, granted, follower, member] = [
    await enter(place, 'owner'),
    await enter(place, 'heavy'),
    await enter(place, 'granted'),
    await enter(place, 'follower'),
    await enter(place, 'member'),
  ];
  const [node] = nodes;
  await node?.kill();
  const people = { owner: owner.id, heavy: heavy.id, granted: granted.id, follower: follower.id, member: member.id };
  const ids = await fillScale(place.databaseUrl, size, people, progress);
  const began = performance.now();
  await node?.start();
  const start = performance.now() - began;
  const sessions = {
    admin,
    owner: owner.token,
    granted: granted.token,
    follower: follower.token,
    member: member.token,
  };
  const target: Target = { client, address, sessions, ids, documents: size.documents };
  return { target, start };
}

/** Removes the user with the most documents during concurrent reads and writes. */
async function removeHeavy({ client, viewer }: Place, target: Target) {
  const { address, admin } = viewer();
  const quiet = startOthers(target);
  await pause(QUIET_MS);
  const before = await quiet.stop();
  const others = startOthers(target);
  const began = performance.now();
  const { status, bytes } = await client.send('DELETE', `${address}/admin/user/heavy`, { token: admin });
  const took = performance.now() - began;
  const during = await others.stop();
  return { before, during, took, answer: status === 200 ? 'done' : `${status} ${bytes.subarray(0, 100)}` };
}

type Row = readonly [name: string, small: string, large: string, ratio: string];

const describeSize = ({ documents, users, grants }: Size) =>
  `${whole(documents)} documents, ${whole(users)} users, ${whole(grants)} grants`;

/** Measures one size. Resolves to figures by name: numbers to compare, and texts. */
async function measure(name: string, databaseUrl: string | null, size: Size, restoreInto: () => Promise<string>) {
  const figures = new Map<string, { readonly text: string; readonly compared?: number }>();
  const note = (what: string, text: string, compared?: number) => {
    progress(`${name}, ${whole(size.documents)}: ${what}: ${text}`);
    figures.set(what, compared === undefined ? { text } : { text, compared });
  };
  const place = await openPlace({ databaseUrl, nodes: 1 });
  try {
    const { target, start } = await prepare(place, size);
    note('start of the service', seconds(start), start);
    note('index on a field', seconds(await declareIndex(place)));
    if (parts.includes('requests'))
      for (const [what, times] of await measureWorks(target)) note(what, latency(times), times.p50);
    if (parts.includes('removal')) {
      const { took, answer, before, during } = await removeHeavy(place, target);
      note('removal of a user', `${whole(heavyDocuments(size))} documents: ${seconds(took)}, ${answer}`);
      note('others before the removal', latency(before));
      note('others during the removal', `${latency(during)}, longest ${seconds(during.longest)}`);
    }
    for (const node of place.nodes) await node.kill();
    if (parts.includes('archive')) await backUpAndRestore(place, note, restoreInto);
    return figures;
  } finally {
    await place.stop();
  }
}

/** Deletes the source before the restore, so that both never need disk space together. */
async function backUpAndRestore(
  place: Place,
  note: (what: string, text: string) => void,
  restoreInto: () => Promise<string>,
): Promise<void> {
  const folder = join(place.folder, '..', 'archive');
  mkdirSync(folder);
  const archive = join(folder, 'all.tar');
  const environment = { SECRET_KEY: 'k'.repeat(32), DATA_DIR: folder };
  const backup = await runCommand(['backup', '--to', archive], {
    ...environment,
    DATABASE_URL: place.databaseUrl,
    BLOB_URL: `file:${join(place.folder, 'blobs')}`,
  });
  note('backup', `${seconds(backup.seconds * 1000)}, ${(statSync(archive).size / BYTES_IN_GB).toFixed(2)} GB`);
  if (place.databaseUrl.startsWith('sqlite:')) rmSync(place.folder, { recursive: true });
  const into = await restoreInto();
  const target = into === '' ? `sqlite:${join(folder, 'restored.db')}` : into;
  const restore = await runCommand(['restore', '--from', archive], { ...environment, DATABASE_URL: target });
  note('restore', seconds(restore.seconds * 1000));
}

/** Returns a function that creates a database on the server and drops the previous one. */
function databasesOf(server: PostgresServer) {
  let last: string | null = null;
  return async (): Promise<string> => {
    const { default: postgres } = await import('postgres');
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
    if (last !== null) await sql.unsafe(`drop database ${last} with (force)`);
    last = last === 'one' ? 'two' : 'one';
    await sql.unsafe(`create database ${last}`);
    await sql.end();
    const url = new URL(server.url);
    url.pathname = `/${last}`;
    return url.href;
  };
}

async function compare(name: string): Promise<Row[]> {
  const server = name === 'Postgres' ? await startPostgres({ durable: true }) : null;
  const next = server === null ? async () => '' : databasesOf(server);
  const open = async (size: Size) => measure(name, server === null ? null : await next(), size, next);
  try {
    const small = await open(SMALL);
    const large = await open(LARGE);
    return Array.from(large, ([what, { text, compared }]): Row => {
      const before = small.get(what);
      const ratio = compared === undefined ? '' : (compared / (before?.compared ?? 1)).toFixed(1);
      return [`${name}: ${what}`, before?.text ?? '', text, ratio];
    });
  } finally {
    await server?.stop();
  }
}

const HEADINGS = ['What', 'made by', 'size', 'of 10,000 documents', 'of this size', 'ratio of the medians'] as const;
const WORKS = [
  'start of the service',
  'index on a field',
  'read one',
  'create',
  'list: all, administrator',
  'list: own',
  'list: granted',
  'list: of followed users',
  'list: granted to groups',
  'criteria on an index',
  'count: own',
  'count: granted',
  'count: criteria on an index',
  'removal of a user',
  'others before the removal',
  'others during the removal',
  'backup',
  'restore',
] as const;

const TEXT = `
## Measurements

One collection of documents of one kilobyte, with grants to random users. Rows are inserted into the database directly;
then the service starts on it. Times are the median and the 99th percentile of 200 answers to one caller, in milliseconds,
after 20 that do not count. The owner has 20 documents; a thousand documents are granted to one user; one user follows 50
others; one is in 20 groups, to which one document in a thousand is granted. Lists are pages of 20. A condition on the
indexed field is met by ten documents.

"removal of a user" is \`DELETE /admin/user/:username\` of the author of a tenth of the documents, at most 100,000. "others"
are two connections that read and two that create documents, each every 10 ms, for five seconds before and during it.
"backup" and "restore" are the commands; the restore verifies the archive. The ratio compares medians with those of a
database of 10,000 documents, 1,000 users and 10,000 grants: a ratio near 1 does not depend on the size.
`;

const rows: string[][] = [];
for (const [option, name] of [
  ['sqlite', 'SQLite'],
  ['postgres', 'Postgres'],
] as const) {
  if (!options.on.split(',').includes(option)) continue;
  for (const [what, small, large, ratio] of await compare(name)) {
    rows.push([what, `${today()}, \`${command()}\``, describeSize(LARGE), small, large, ratio]);
  }
}
const order = ['SQLite', 'Postgres'].flatMap((name) => WORKS.map((work) => `${name}: ${work}`));
showPage({ name: 'scale', title: 'Proof: large data', headings: HEADINGS, order, text: TEXT }, rows, options.write);
