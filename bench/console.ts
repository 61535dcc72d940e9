// Measures the console in a browser: the time until each view shows its first rows, with a million documents and
// 100,000 users, and the growth of the tab's memory. `--write` saves the results to CONSOLE.md;
// `--only=sqlite|postgres`, `--users=`, `--documents=` and `--pages=` shorten a run during development.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startBrowser } from '../tests/support/browser.ts';
import { builtConsole, createHands } from '../tests/support/console.ts';
import { median } from './measure/compare.ts';
import { fillWithCrowd } from './measure/crowd.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { startService } from './measure/processes.ts';
import { machine, table } from './report.ts';

const ROUNDS = 5;
const GOAL_MS = 1_000;
/** Maximum ratio of the heap after all pages to the heap after the first ones. */
const GOAL_GROWTH = 1.2;
const FIRST_PAGES = 20;
const APP_CODE = 'bench';
const ADMIN_PASSWORD = 'bench';
const COLLECTION = 'posts';

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    users: { type: 'string', default: '100000' },
    documents: { type: 'string', default: '1000000' },
    pages: { type: 'string', default: '200' },
  },
});
const [USERS, DOCUMENTS, PAGES] = [Number(options.users), Number(options.documents), Number(options.pages)];
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

/** A view with its place and a selector that matches once its first rows are shown. Add a line for each view. */
type View = readonly [name: string, place: string, shown: string];

/** @param id id of a document */
const viewsOf = (id: string): readonly View[] => [
  ['overview', 'overview', '.pair'],
  ['users', 'users', 'tbody tr'],
  ['users whose names begin with a text', 'users?find=person99', 'tbody tr'],
  ['one user', 'users/person7', 'form'],
  ['collections', 'collections', 'tbody tr'],
  ['documents', `collections/${COLLECTION}`, 'tbody tr'],
  ['documents, live', `collections/${COLLECTION}?live=on`, 'tbody tr'],
  ['one document', `collections/${COLLECTION}/${id}`, 'textarea'],
  ['rules, schema and indexes', `collections/${COLLECTION}/configuration`, 'tbody tr'],
  ['audit', 'audit', 'tbody tr'],
  ['settings', 'settings', '.sections a'],
  ['settings of a section', 'settings/Application', '.setting'],
  ['files', 'files', 'tbody tr'],
  ['assets', 'assets', 'tbody tr'],
  ['groups', 'groups', 'tbody tr'],
  ['indexes', 'indexes', '.card p'],
  ['webhooks', 'webhooks', 'tbody tr'],
  ['server keys', 'keys', 'tbody tr'],
  ['roles', 'roles', 'tbody tr'],
  ['push', 'push', 'form'],
  ['checks', 'checks', '.pair'],
];

type Tab = Awaited<ReturnType<Awaited<ReturnType<typeof startBrowser>>['newPage']>>;

/** Returns the time until a view shows its first rows, in milliseconds, measured by the page itself. */
const timeOf = (tab: Tab, place: string, shown: string): Promise<number> =>
  tab.evaluate(
    ([hash, selector]) =>
      new Promise<number>((resolve, reject) => {
        const from = performance.now();
        location.hash = hash;
        const look = () => {
          const isThere = location.hash === hash && document.querySelector(`main ${selector}`) !== null;
          if (isThere) resolve(performance.now() - from);
          else if (performance.now() - from > 60_000) reject(new Error(`${hash} does not show ${selector}`));
          else requestAnimationFrame(look);
        };
        // The previous view must be gone.
        requestAnimationFrame(() => requestAnimationFrame(look));
      }),
    [`#/${place}`, shown] as const,
  );

interface Timed {
  readonly name: string;
  /** First opening, including the download of its scripts. */
  readonly first: number;
  readonly later: number;
  readonly worst: number;
}

async function timeViews(tab: Tab, views: readonly View[]): Promise<Timed[]> {
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, place, shown] of views) {
      await tab.evaluate(() => {
        location.hash = '#/nowhere';
      });
      await tab.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      times.set(name, [...(times.get(name) ?? []), await timeOf(tab, place, shown)]);
    }
  }
  return Array.from(times, ([name, all]) => {
    const [first = 0, ...later] = all;
    return { name, first, later: median(later), worst: Math.max(...all) };
  });
}

/** Returns the heap of the tab after some pages and after all of them, in bytes. */
async function heapOverPages(tab: Tab): Promise<readonly [first: number, last: number]> {
  const session = await tab.context().newCDPSession(tab);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize;
  };
  await timeOf(tab, `collections/${COLLECTION}`, 'tbody tr');
  let first = 0;
  for (let page = 2; page <= PAGES; page++) {
    await tab.getByRole('button', { name: 'Next page' }).click();
    await tab.getByText(`Page ${page}`, { exact: true }).waitFor();
    await tab.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    if (page === Math.min(FIRST_PAGES, PAGES)) first = await heap();
  }
  return [first, await heap()];
}

interface Result {
  readonly database: string;
  readonly views: readonly Timed[];
  readonly heap: readonly [first: number, last: number];
}

/** Creates one object of each kind, so that no list is empty. */
async function createOneOfEach(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const post = async (path: string, body?: object) => {
    const isForm = body instanceof FormData;
    const type: Record<string, string> = isForm ? {} : { 'content-type': 'application/json' };
    const sent = isForm ? body : JSON.stringify(body ?? {});
    const { ok } = await fetch(url + path, { method: 'POST', headers: { ...headers, ...type }, body: sent });
    if (!ok) throw new Error(`POST ${path} failed`);
  };
  await post(`/admin/collection/${COLLECTION}`);
  await post('/group', { name: 'Lake house' });
  await post('/admin/key', { name: 'Shop', role: 'registereduser' });
  await post('/admin/webhook', { url: 'https://example.org/hook', collections: [COLLECTION] });
  await post('/admin/asset', { name: 'opening-hours', meta: { mon: '9-17' } });
  const form = new FormData();
  form.set('file', new Blob(['Sphinx of black quartz']), 'vow.txt');
  await post('/file', form);
}

async function prepare(url: string, database: Database): Promise<string> {
  const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
  const headers = { 'x-service-appcode': APP_CODE, authorization };
  await createOneOfEach(url, headers);
  await fillWithCrowd(database.url, { users: USERS, edges: 0, documents: DOCUMENTS }, []);
  await database.settle();
  const answer = await fetch(`${url}/document/${COLLECTION}?recordsPerPage=1`, { headers });
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? '';
}

async function measure(database: Database): Promise<Result> {
  progress(`${database.name}: ${DOCUMENTS.toLocaleString('en')} documents`);
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const service = await startService({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    APP_CODE,
    ADMIN_PASSWORD,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
  });
  const browser = await startBrowser();
  try {
    const id = await prepare(service.url, database);
    const tab = await (await browser.newContext({ locale: 'en-US' })).newPage();
    const hands = createHands(tab, service.url);
    await tab.goto(`${service.url}/console/#/nowhere`);
    await hands.field('Application code').fill(APP_CODE);
    await hands.signIn('admin', ADMIN_PASSWORD);
    await hands.heading('Not found');
    progress(`${database.name}: views`);
    const views = await timeViews(tab, viewsOf(id));
    progress(`${database.name}: ${PAGES} pages`);
    return { database: database.name, views, heap: await heapOverPages(tab) };
  } finally {
    await browser.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureOn(start: () => Promise<Database>): Promise<Result> {
  const database = await start();
  try {
    return await measure(database);
  } finally {
    await database.stop();
  }
}

builtConsole();
const results: Result[] = [];
if (options.only !== 'postgres') results.push(await measureOn(startSqlite));
if (options.only !== 'sqlite') results.push(await measureOn(startDurablePostgres));

const ms = (time: number) => `${Math.round(time)} ms`;
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const viewRows = results.flatMap(({ database, views }) =>
  views.map(({ name, first, later, worst }) => [
    database,
    name,
    ms(first),
    ms(later),
    `${ms(worst)} ${worst <= GOAL_MS ? 'met' : 'MISSED'}`,
  ]),
);
const heapRows = results.map(({ database, heap: [first, last] }) => [
  database,
  mb(first),
  mb(last),
  `${(last / first).toFixed(2)} ${last / first <= GOAL_GROWTH ? 'met' : 'MISSED'}`,
]);
const text = `# The console, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

## First rows with ${DOCUMENTS.toLocaleString('en')} documents and ${USERS.toLocaleString('en')} users

${table(['Database', 'View', 'first time', 'later (median)', `slowest (goal ≤ ${ms(GOAL_MS)})`], viewRows)}

From the change of the address to the first rows on the page, measured by the page. The first time includes the scripts of
the view. ${ROUNDS} rounds over all views, in Chromium on the same machine.

## Memory of the tab over ${PAGES} pages of documents

${table(['Database', `after ${FIRST_PAGES} pages`, `after ${PAGES} pages`, `ratio (goal ≤ ${GOAL_GROWTH})`], heapRows)}

JavaScript heap after a garbage collection. Run it again with \`npm run bench -- console\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('CONSOLE.md', import.meta.url), text);
