// Measures calls of a page in Chromium while 50 queries of it are live, also in ten tabs. `--write` saves the results to
// PAGES.md.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startBrowser } from '../tests/support/browser.ts';
import { type LivePage, pageOf, QUERIES, serveManyQueries } from '../tests/support/live/many-queries.ts';
import { startSqlite } from './measure/databases.ts';
import { ADMIN, APP_CODE, startQuietService } from './measure/quiet-service.ts';
import { machine, table } from './report.ts';

type BrowserContext = Awaited<ReturnType<Awaited<ReturnType<typeof startBrowser>>['newContext']>>;
type Page = Awaited<ReturnType<BrowserContext['newPage']>>;

const TABS = 10;
const CALLS = 200;
const GOAL_MS = 100;
const COLLECTION = 'notes';
const USER = { username: 'ann', password: 'secret' };

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

/** Times of calls in milliseconds, ordered. */
const callsIn = (page: Page) =>
  page.evaluate(
    async ([name, count]) => {
      const notes = (globalThis as unknown as LivePage).baobab.collection(name);
      const times: number[] = [];
      for (let n = 0; n < count; n++) {
        const begun = performance.now();
        if (n % 2 === 0) await notes.create({ n: n % 60 });
        else await notes.query().list({ limit: 20 });
        times.push(performance.now() - begun);
      }
      return times.sort((a, b) => a - b);
    },
    [COLLECTION, CALLS] as const,
  );

async function openPage(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForFunction(() => 'begin' in globalThis);
  return page;
}

async function follow(page: Page): Promise<void> {
  await page.evaluate(() => (globalThis as unknown as LivePage).begin());
  await page.waitForFunction(
    (count) => (globalThis as unknown as LivePage).states.filter((state) => state === 'live').length === count,
    QUERIES,
  );
}

const service = await startQuietService(await startSqlite());
const [pages, browser] = [await serveManyQueries(), await startBrowser()];
try {
  const made = await fetch(`${service.url}/admin/collection/${COLLECTION}`, { method: 'POST', headers: ADMIN });
  if (!made.ok) throw new Error(await made.text());
  const context = await browser.newContext();
  const address = pageOf(pages, { url: service.url, appCode: APP_CODE }, COLLECTION);
  const page = await openPage(context, address);
  await page.evaluate((user) => (globalThis as unknown as LivePage).baobab.auth.signUp(user), USER);
  await callsIn(page); // warms up

  progress('no live query');
  const phases: Array<readonly [name: string, times: readonly number[]]> = [['no live query', await callsIn(page)]];
  progress('one tab');
  await follow(page);
  phases.push([`${QUERIES} live queries`, await callsIn(page)]);
  progress('ten tabs');
  for (let tab = 1; tab < TABS; tab++) await follow(await openPage(context, address));
  phases.push([`${QUERIES} live queries in each of ${TABS} tabs`, await callsIn(page)]);

  const at = (times: readonly number[], share: number) => times[Math.floor(times.length * share)] ?? 0;
  const plain = at(phases[0]?.[1] ?? [], 0.5);
  const rows = phases.map(([name, times]) => {
    const [p50, p95] = [at(times, 0.5), at(times, 0.95)];
    return [
      name,
      `${p50.toFixed(1)} ms`,
      (p50 / plain).toFixed(2),
      `${p95.toFixed(1)} ms${p95 < GOAL_MS ? '' : ' (missed)'}`,
    ];
  });
  const text = `# Calls of a page with live queries, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${table(['Page, SQLite', 'median', 'to none', `95 % (goal < ${GOAL_MS} ms)`], rows)}

${CALLS} calls one after the other, half of them writes that change up to ${QUERIES} queries in every tab, half lists of 20. Chromium and the
server share the machine. Run it again with \`npm run bench -- pages\`.
`;
  process.stdout.write(text);
  if (options.write) writeFileSync(new URL('PAGES.md', import.meta.url), text);
} finally {
  await browser.close();
  await pages.close();
  await service.stop();
}
process.exit(0);
