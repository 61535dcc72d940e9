// Measures the cost of a collection schema: alternating creates of a document with 30 fields, with and without a schema
// of 30 properties. `--write` saves the results to SCHEMAS.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './measure/compare.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { CONNECTIONS, GENERATOR, load, type Request, sendOnce } from './measure/load.ts';
import { startService } from './measure/processes.ts';
import { machine, table } from './report.ts';

const ROUNDS = 11;
const SECONDS = 2;
const APP_CODE = 'bench';
const ADMIN_PASSWORD = 'bench';
const GOAL = 0.9;

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

const FIELDS = Array.from({ length: 30 }, (_, n) => n);
/** About 1 KB of JSON. */
const DOCUMENT = Object.fromEntries(
  FIELDS.map((n) => [
    `field_${n}`,
    [n, n % 4 === 0, `text ${n} of a length that the titles of articles and short remarks often have`, ['one', 'two']][
      n % 4
    ],
  ]),
);
const SCHEMA = {
  type: 'object',
  required: FIELDS.map((n) => `field_${n}`),
  additionalProperties: false,
  properties: Object.fromEntries(
    FIELDS.map((n) => [
      `field_${n}`,
      [
        { type: 'integer', minimum: 0, maximum: 1000 },
        { type: 'boolean' },
        { type: 'string', minLength: 1, maxLength: 200 },
        { type: 'array', maxItems: 10, items: { type: 'string' } },
      ][n % 4],
    ]),
  ),
};

/** Creates per second with and without the schema, and their ratio. */
interface Cost {
  readonly database: string;
  readonly checked: number;
  readonly free: number;
  readonly ratio: number;
}

async function measure(database: Database): Promise<Cost> {
  progress(database.name);
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const service = await startService({ DATABASE_URL: database.url, DATA_DIR: folder, APP_CODE, ADMIN_PASSWORD });
  try {
    const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
    const headers = { 'x-service-appcode': APP_CODE, authorization, 'content-type': 'application/json' };
    for (const name of ['checked', 'free'])
      await sendOnce(service.url, { method: 'POST', path: `/admin/collection/${name}`, headers });
    const set = { method: 'PUT', headers, body: JSON.stringify(SCHEMA) };
    const { ok } = await fetch(`${service.url}/admin/collection/checked/schema`, set);
    if (!ok) throw new Error('the schema was not set');
    const create = (collection: string): Request[] => [
      { method: 'POST', path: `/document/${collection}`, headers, body: JSON.stringify(DOCUMENT) },
    ];
    const rates: Array<readonly [number, number]> = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const order = round % 2 === 0 ? ['checked', 'free'] : ['free', 'checked'];
      const found: Record<string, number> = {};
      for (const name of order) found[name] = (await load(service.url, create(name), SECONDS)).perSecond;
      if (round > 0) rates.push([found.checked ?? 0, found.free ?? 0]); // the first round warms up
    }
    return {
      database: database.name,
      checked: median(rates.map(([checked]) => checked)),
      free: median(rates.map(([, free]) => free)),
      ratio: median(rates.map(([checked, free]) => checked / free)),
    };
  } finally {
    await service.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const costs = [await measure(await startSqlite()), await measure(await startDurablePostgres())];
const rows = costs.map(({ database, checked, free, ratio }) => [
  database,
  Math.round(checked).toLocaleString('en'),
  Math.round(free).toLocaleString('en'),
  ratio.toFixed(2),
  `≥ ${GOAL} ${ratio >= GOAL ? 'met' : 'missed'}`,
]);
const text = `# Schemas of collections, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${table(['Database', 'with schema/s', 'without/s', 'ratio', 'goal'], rows)}

Creates of a ${JSON.stringify(DOCUMENT).length}-byte document with 30 fields, with and without a schema of 30 properties, at ${CONNECTIONS} connections
of ${GENERATOR}: medians of ${ROUNDS} rounds of ${SECONDS} s for each, in turn, the order changing from round to round. Run it again with
\`npm run bench -- schemas\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('SCHEMAS.md', import.meta.url), text);
