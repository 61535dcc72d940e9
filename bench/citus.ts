// Counts the work of storage calls on a Citus cluster: statements, and executions on one or several shards.
// DATABASE_URL names the coordinator, in a disposable database whose nodes know each other. `--write` saves the results
// to CITUS.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCitusCluster, createPostgresStorage } from '@baobab/adapters/postgres';
import { addCollection, addUser, EVERYTHING, newDocument, newSession } from '@baobab/contracts/storage';
import { type AccessScope, type Logger, NOBODY, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import postgres from 'postgres';
import { table } from './report.ts';

const SHARDS = 32;
const CALLS = 10;
const DOCUMENTS = 200;
/** Threshold below any duration, so that every statement is reported as slow. Milliseconds. */
const EVERY_STATEMENT = 1e-6;
const START = '<!-- measured by npm run bench -- citus -->';
const END = '<!-- end of the measurement -->';

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const url = process.env.DATABASE_URL;
if (url === undefined) throw new Error('DATABASE_URL must name the coordinator of a cluster');

let statements = 0;
const nothing = () => undefined;
const logger: Logger = {
  debug: nothing,
  info: nothing,
  error: nothing,
  warn: () => {
    statements++;
  },
};

interface Work {
  readonly statements: number;
  readonly single: number;
  readonly multi: number;
}

const cluster = createCitusCluster({ url });
const sql = postgres(url, { max: 1, onnotice: nothing });

async function executions(): Promise<Pick<Work, 'single' | 'multi'>> {
  const [row] = await sql<[{ single: string; multi: string }]>`
    select query_execution_single_shard as single, query_execution_multi_shard as multi
    from citus_stat_counters where name = current_database()`;
  return { single: Number(row?.single ?? 0), multi: Number(row?.multi ?? 0) };
}

async function measure(call: () => Promise<unknown>): Promise<Work> {
  await call(); // fills caches
  const [begun, before] = [statements, await executions()];
  for (let i = 0; i < CALLS; i++) await call();
  const after = await executions();
  return {
    statements: (statements - begun) / CALLS,
    single: (after.single - before.single) / CALLS,
    multi: (after.multi - before.multi) / CALLS,
  };
}

async function callsOf(
  storage: Storage,
  name: string,
  isSpread: boolean,
): Promise<readonly (readonly [string, () => Promise<unknown>])[]> {
  const { documents, changes } = storage;
  const ann = await addUser(storage, `Ann ${name}`);
  const bob = await addUser(storage, `Bob ${name}`);
  const collection = await addCollection(storage, name);
  if (isSpread) await cluster.spread({ name, slices: null });
  const ids: string[] = [];
  for (let i = 0; i < DOCUMENTS; i++) {
    const document = newDocument(ann.id, collection);
    await documents.add(document);
    ids.push(document.id);
  }
  const address = { collection, id: ids[0] ?? '' };
  const reader: AccessScope = {
    everything: false,
    owner: bob.id,
    principals: [userPrincipal(bob.id), 'r:registereduser'],
    followed: true,
    ruled: 0,
  };
  const grant = { principal: userPrincipal(bob.id), rights: RIGHTS.read };
  await storage.follows.add(bob.id, ann.id);
  const session = newSession(ann.id);
  await storage.sessions.add(session);
  const page = { collection, where: null, order: [], after: null, skip: 0, limit: 20 };
  const change = { content: '{"a":2}', by: NOBODY, updated: 1, version: null };
  return [
    ['authenticate', () => storage.sessions.find(session.id)],
    ['read one document', () => documents.find(address, reader)],
    ['create a document', () => documents.add(newDocument(ann.id, collection))],
    ['create one with a grant', () => documents.add(newDocument(ann.id, collection, { grants: [grant] }))],
    ['replace a document', () => documents.replace(address, EVERYTHING, change)],
    ['grant a right', () => documents.grant(address, EVERYTHING, grant)],
    ['list 20, administrator', () => documents.list({ ...page, scope: EVERYTHING })],
    ['list 20, own, granted and followed', () => documents.list({ ...page, scope: reader })],
    ['count a collection', () => documents.count(collection, EVERYTHING, null)],
    [
      'look up 20 by their ids',
      () => documents.lookUp({ ids: ids.slice(0, 20), scope: EVERYTHING, openCollections: [] }),
    ],
    ['the state of the feed', () => changes.state()],
  ];
}

const show = (n: number) => (Number.isInteger(n) ? String(n) : n.toFixed(1));

await sql.unsafe(
  "do $$ begin execute format('alter database %I set citus.enable_stat_counters to on', current_database()); end $$",
);

async function measureAll(name: string, { isSpread = false } = {}): Promise<Map<string, Work>> {
  const storage = createPostgresStorage({ url: String(url), logger, connections: 1, slowMs: EVERY_STATEMENT });
  await storage.migrate();
  storage.signals.subscribe(nothing);
  while (!storage.signals.live) await new Promise((resolve) => setTimeout(resolve, 20));
  const works = new Map<string, Work>();
  for (const [call, work] of await callsOf(storage, name, isSpread)) works.set(call, await measure(work));
  await storage.close();
  return works;
}

const plain = await measureAll('Plain');
await cluster.enable({
  shards: SHARDS,
  report: (step) => process.stderr.write(`bench: ${step}\n`),
});
const distributed = await measureAll('Distributed');
const spread = await measureAll('Spread', { isSpread: true });
await sql.end();
const counts = (work: Work | undefined) => [work?.statements ?? 0, work?.single ?? 0, work?.multi ?? 0].map(show);
const rows = Array.from(distributed, ([call, work]) => [
  call,
  show(plain.get(call)?.statements ?? 0),
  ...counts(work),
  ...counts(spread.get(call)),
]);
const ofCitus = ['statements', 'on one shard', 'on all shards'];
const result = table(
  [
    'Call',
    'Plain Postgres: statements',
    ...ofCitus.map((of) => `Citus: ${of}`),
    ...ofCitus.map((of) => `Spread: ${of}`),
  ],
  rows,
);
process.stdout.write(`${result}\n`);
if (options.write) {
  const path = join(import.meta.dirname, 'CITUS.md');
  const text = readFileSync(path, 'utf8');
  const [head, rest] = [text.slice(0, text.indexOf(START)), text.slice(text.indexOf(END))];
  writeFileSync(path, `${head}${START}\n\n${result}\n\n${rest}`);
}
