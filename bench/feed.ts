// Measures pages of the change feed in collections of increasing size. `--write` saves the results to FEED.md;
// `--only=sqlite` or `--only=postgres` and `--largest=` shorten a run.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { type AccessScope, type ChangesPage, EVERYTHING, type FeedPlace, type Storage } from '@baobab/core';
import { median } from './measure/compare.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { positionDocuments } from './measure/positions.ts';
import { fillShelf } from './measure/shelf.ts';
import { machine, table } from './report.ts';

const SIZES = [10_000, 1_000_000];
const OWNERS = 100_000;
const ROUNDS = 40;
const LIMIT = 500;
const NOW = 1_391_159_523_512;
/** Maximum number of pages of the whole feed for a reader of few documents. */
const MOST_PAGES = 10;

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    largest: { type: 'string', default: String(SIZES.at(-1)) },
  },
});
const sizes = SIZES.filter((size) => size <= Number(options.largest));
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const open = ({ url }: Database): Storage =>
  url.startsWith('sqlite:')
    ? createSqliteStorage({ path: url.slice('sqlite:'.length), logger: quiet })
    : createPostgresStorage({ url, logger: quiet });

async function addUser(storage: Storage, id: string, name: string): Promise<AccessScope> {
  const sections = { visibleByTheUser: '{}', visibleByFriend: '{}', visibleByRegisteredUsers: '{}' };
  await storage.users.add({
    id,
    name,
    key: name,
    skeleton: name,
    isPlain: true,
    role: 'registereduser',
    status: 'ACTIVE',
    generated: false,
    emailVerified: false,
    awaitsEmail: false,
    guest: false,
    created: NOW,
    passwordHash: 'x',
    sections: { ...sections, visibleByAnonymousUsers: '{}' },
  });
  const principals = [`u:${id}`, 'r:registereduser', 'r:anonymous'];
  return { everything: false, owner: id, principals, followed: false, ruled: 0 };
}

const BEGINNING: FeedPlace = { position: 0, id: '' };

/** Returns the median duration of a call, in milliseconds. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  await work(); // warms up
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    await work();
    taken.push(performance.now() - begun);
  }
  return median(taken);
}

async function measure(start: () => Promise<Database>, size: number): Promise<Map<string, number>> {
  const database = await start();
  let storage = open(database);
  try {
    await storage.migrate();
    await storage.collections.add({ id: '0143e791-b8b8-7000-8000-000000000001', name: 'posts', created: NOW });
    const owner = await addUser(storage, '0143e791-b8b8-7000-8000-000000000002', 'owner');
    await storage.close();
    await fillShelf(database.url, { documents: size, owners: Math.min(OWNERS, size) }, owner.owner ?? '');
    await positionDocuments(database.url);
    await database.settle();
    storage = open(database);
    const { horizon } = await storage.changes.state();
    const read = (scope: AccessScope, after: FeedPlace, more: { readonly limit?: number } = {}): Promise<ChangesPage> =>
      storage.changes.read({ collections: ['posts'], scope, openCollections: [], after, limit: LIMIT, ...more });
    const all = async (scope: AccessScope) => {
      let after = BEGINNING;
      let found = 0;
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const page = await read(scope, after);
        found += page.changes.length;
        after = page.next;
        if (!page.more) return found;
      }
      throw new Error(`more than ${MOST_PAGES} pages, with ${found} changes`);
    };
    const found = await all(owner);
    if (found !== 20) throw new Error(`the owner of 20 documents found ${found}`);
    const end = { position: horizon, id: '' };
    return new Map([
      ['everything from the beginning, owner of 20', await time(() => all(owner))],
      ['nothing new, owner of 20', await time(() => read(owner, end))],
      [`first ${LIMIT}, admin`, await time(() => read(EVERYTHING, BEGINNING))],
      ['first 20, admin', await time(() => read(EVERYTHING, BEGINNING, { limit: 20 }))],
      ['nothing new, admin', await time(() => read(EVERYTHING, end))],
      [`first ${LIMIT} with audiences`, await time(() => storage.changes.readAll({ after: BEGINNING, limit: LIMIT }))],
      ['nothing new, with audiences', await time(() => storage.changes.readAll({ after: end, limit: LIMIT }))],
    ]);
  } finally {
    await storage.close();
    await database.stop();
  }
}

const rows: string[][] = [];
const starts = [startSqlite, startDurablePostgres].filter(
  (_, i) => options.only === '' || (options.only === 'sqlite') === (i === 0),
);
for (const start of starts) {
  const results: Map<string, number>[] = [];
  for (const size of sizes) {
    process.stderr.write(`bench: ${start === startSqlite ? 'SQLite' : 'Postgres'}, ${size.toLocaleString('en')}\n`);
    results.push(await measure(start, size));
  }
  for (const [question, first] of results[0] ?? []) {
    const ratio = (results.at(-1)?.get(question) ?? Number.NaN) / first;
    const times = results.map((each) => `${each.get(question)?.toFixed(2)} ms`);
    rows.push([start === startSqlite ? 'SQLite' : 'Postgres', question, ...times, ratio.toFixed(2)]);
  }
}

const text = `# The change feed, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

## Pages

${table(['Database', 'Read', ...sizes.map((size) => size.toLocaleString('en')), 'ratio'], rows)}

Medians of ${ROUNDS} calls of the storage, one at a time, in one collection of the given size, all of whose documents have changed.
Documents have 900 bytes and up to ${OWNERS.toLocaleString('en')} owners, one of whom has 20. The ratio is that of the largest to the smallest
collection. Run it again with \`npm run bench -- feed\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('FEED.md', import.meta.url), text);
