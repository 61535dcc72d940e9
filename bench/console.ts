// Measures the console in a browser: the time until each view shows its first rows, with a million documents and
// 100,000 users, and the growth of the tab's memory. `--write` saves the results to CONSOLE.md;
// `--only=sqlite|postgres`, `--users=`, `--documents=` and `--pages=` shorten a run during development.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startBrowser } from '../tests/support/browser.ts';
import { builtConsole, createHands } from '../tests/support/console.ts';
import { median } from './measure/compare.ts';
import { fillWithCrowd } from './measure/crowd.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { ADMIN, ADMIN_PASSWORD, APP_CODE, startQuietService } from './measure/quiet-service.ts';
import { machine, table } from './report.ts';

const ROUNDS = 5;
const GOAL_MS = 1_000;
/** Maximum ratio of the heap after all pages to the heap after the first ones. */
const GOAL_GROWTH = 1.2;
const FIRST_PAGES = 20;
const COLLECTION = 'posts';
/** Rows of a page of the console. */
const ROWS = 50;

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
  ['overview', 'overview', '.tiles'],
  ['users', 'users', 'tbody tr'],
  ['users whose names begin with a text', 'users?find=person99', 'tbody tr'],
  ['one user', 'users/person7', 'form'],
  ['collections', 'collections', 'tbody tr'],
  ['documents', `collections/${COLLECTION}`, 'tbody tr'],
  ['documents, filtered', `collections/${COLLECTION}?where=title!='x'`, 'tbody tr'],
  ['documents, live', `collections/${COLLECTION}?live=on`, 'tbody tr'],
  ['one document', `collections/${COLLECTION}/${id}`, '.code-editor'],
  ['access rules', `collections/${COLLECTION}/rules`, 'tbody tr'],
  ['audit', 'audit', 'tbody tr'],
  ['settings', 'settings', '.save-bar'],
  ['files', 'files', 'tbody tr'],
  ['assets', 'assets', 'tbody tr'],
  ['groups', 'groups', 'tbody tr'],
  ['indexes', 'indexes', '.section p'],
  ['webhooks', 'webhooks', 'tbody tr'],
  ['API keys', 'keys', 'tbody tr'],
  ['roles', 'roles', 'tbody tr'],
  ['notifications', 'push/new', 'form'],
  ['logs', 'logs', 'tbody tr'],
  ['health', 'health', '.checks'],
  ['backups', 'settings/backups', 'h2'],
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
          const isThere = location.hash === hash && document.querySelector(selector) !== null;
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
  /** Longest task of the page, which blocks its user meanwhile. */
  readonly longest: number;
}

/** Records the longest task of the page. */
const watchTasks = (tab: Tab) =>
  tab.evaluate(() => {
    Object.assign(globalThis, { longest: 0 });
    new PerformanceObserver((list) => {
      const longest = Math.max(
        Reflect.get(globalThis, 'longest'),
        ...list.getEntries().map(({ duration }) => duration),
      );
      Object.assign(globalThis, { longest });
    }).observe({ type: 'longtask' });
  });

/** Returns the longest task since the last call, in milliseconds; 0 if none took 50 ms. */
const longestTask = (tab: Tab): Promise<number> =>
  tab.evaluate(() => {
    const longest: number = Reflect.get(globalThis, 'longest');
    Object.assign(globalThis, { longest: 0 });
    return longest;
  });

async function timeViews(tab: Tab, views: readonly View[]): Promise<Timed[]> {
  const times = new Map<string, number[]>();
  const tasks = new Map<string, number>();
  await watchTasks(tab);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, place, shown] of views) {
      await tab.evaluate(() => {
        location.hash = '#/nowhere';
      });
      await tab.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await longestTask(tab);
      times.set(name, [...(times.get(name) ?? []), await timeOf(tab, place, shown)]);
      tasks.set(name, Math.max(tasks.get(name) ?? 0, await longestTask(tab)));
    }
  }
  return Array.from(times, ([name, all]) => {
    const [first = 0, ...later] = all;
    return { name, first, later: median(later), worst: Math.max(...all), longest: tasks.get(name) ?? 0 };
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
    const row = ((page - 1) * ROWS + 1).toLocaleString('en-US');
    await tab.getByText(new RegExp(`^${row}–`)).waitFor();
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
async function createOneOfEach(url: string): Promise<void> {
  const post = async (path: string, body?: object) => {
    const isForm = body instanceof FormData;
    const type: Record<string, string> = isForm ? {} : { 'content-type': 'application/json' };
    const sent = isForm ? body : JSON.stringify(body ?? {});
    const { ok } = await fetch(url + path, { method: 'POST', headers: { ...ADMIN, ...type }, body: sent });
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
  await createOneOfEach(url);
  await fillWithCrowd(database.url, { users: USERS, edges: 0, documents: DOCUMENTS }, []);
  await database.settle();
  const answer = await fetch(`${url}/document/${COLLECTION}?recordsPerPage=1`, { headers: ADMIN });
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? '';
}

async function measureOn(start: () => Promise<Database>): Promise<Result> {
  const database = await start();
  progress(`${database.name}: ${DOCUMENTS.toLocaleString('en')} documents`);
  const service = await startQuietService(database);
  const browser = await startBrowser();
  try {
    const id = await prepare(service.url, database);
    const tab = await (await browser.newContext({ locale: 'en-US' })).newPage();
    const hands = createHands(tab, service.url);
    await tab.goto(`${service.url}/console/#/nowhere`);
    await hands.field('Application code').fill(APP_CODE);
    await hands.signIn('admin', ADMIN_PASSWORD);
    await hands.heading('Page not found');
    progress(`${database.name}: views`);
    const views = await timeViews(tab, viewsOf(id));
    progress(`${database.name}: ${PAGES} pages`);
    return { database: database.name, views, heap: await heapOverPages(tab) };
  } finally {
    await browser.close();
    await service.stop();
  }
}

builtConsole();
const results: Result[] = [];
if (options.only !== 'postgres') results.push(await measureOn(startSqlite));
if (options.only !== 'sqlite') results.push(await measureOn(startDurablePostgres));

const ms = (time: number) => `${Math.round(time)} ms`;
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const viewRows = results.flatMap(({ database, views }) =>
  views.map(({ name, first, later, worst, longest }) => [
    database,
    name,
    ms(first),
    ms(later),
    `${ms(worst)} ${worst <= GOAL_MS ? 'met' : 'MISSED'}`,
    longest === 0 ? 'none' : ms(longest),
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

${table(['Database', 'View', 'first time', 'later (median)', `slowest (goal ≤ ${ms(GOAL_MS)})`, 'longest task'], viewRows)}

From the change of the address to the first rows on the page, measured by the page. The first time includes the scripts of
the view. ${ROUNDS} rounds over all views, in Chromium on the same machine. A long task takes 50 ms or more and blocks the page.

## Memory of the tab over ${PAGES} pages of documents

${table(['Database', `after ${FIRST_PAGES} pages`, `after ${PAGES} pages`, `ratio (goal ≤ ${GOAL_GROWTH})`], heapRows)}

JavaScript heap after a garbage collection. Run it again with \`npm run bench -- console\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('CONSOLE.md', import.meta.url), text);
