// Measures images: each adapter against the bare library, the event loop delay during resizing, a stored variant
// against a static file, and 200 concurrent sizes. `--write` saves the results to IMAGES.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSharpImages, createWasmImages, importSharp } from '@baobab/adapters/images';
import { type Bare, bareJimp, bareSharp, photograph } from './measure/bare-images.ts';
import { type Comparison, compare, type Plan } from './measure/compare.ts';
import { GENERATOR } from './measure/load.ts';
import { startFileServer, startService } from './measure/processes.ts';
import { atOnce, type Crowd, type Resizer, type Times, timesOf } from './measure/resizing.ts';
import { machine, table } from './report.ts';

const MEGAPIXELS = { width: 4000, height: 3000 };
const QUARTER = { width: 1000, height: 750 };
const LIMITS = { maxPixels: 100_000_000, concurrency: 2 };
const ROUNDS = 7;
const PLAN: Plan = { rounds: 5, seconds: 3, warmUpSeconds: 1 };
const TIME_GOAL = 1.2;
const LOOP_GOAL_MS = 20;
const RATE_GOAL = 0.8;
const CROWD = 200;
const ACCESS = { APP_CODE: 'bench', ADMIN_PASSWORD: 'bench' } as const;

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);
const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');

async function measureAdapters(bytes: Uint8Array): Promise<string> {
  const sharp = await importSharp();
  const pairs: Array<readonly [string, Resizer, string, Bare]> = [
    ['wasm', createWasmImages(LIMITS), 'Jimp', bareJimp(QUARTER)],
  ];
  if (sharp !== null) pairs.push(['sharp', createSharpImages(LIMITS), 'sharp', bareSharp(sharp, QUARTER)]);
  const rows: string[][] = [];
  for (const [name, adapter, bareName, bare] of pairs) {
    progress(`${name} against ${bareName}`);
    const times: Times = await timesOf({ adapter, bare, bytes, size: QUARTER, rounds: ROUNDS });
    const ratio = times.adapter / times.bare;
    rows.push([
      name,
      bareName,
      times.adapter.toFixed(0),
      times.bare.toFixed(0),
      ratio.toFixed(2),
      `≤ ${TIME_GOAL} ${verdict(ratio <= TIME_GOAL)}`,
      times.loopDelay.toFixed(1),
      `< ${LOOP_GOAL_MS} ${verdict(times.loopDelay < LOOP_GOAL_MS)}`,
    ]);
    await adapter.close();
  }
  return table(['Adapter', 'Bare library', 'ms', 'bare ms', 'ratio', 'goal', 'event loop p99 ms', 'goal'], rows);
}

/** Uploads the photograph as an asset. */
async function publish(url: string, bytes: Uint8Array): Promise<void> {
  const form = new FormData();
  form.set('name', 'photograph');
  form.set('file', new Blob([Uint8Array.from(bytes)], { type: 'image/jpeg' }), 'photograph.jpg');
  const response = await fetch(`${url}/admin/asset`, { method: 'POST', headers: adminHeaders(), body: form });
  if (response.status !== 201) throw new Error(await response.text());
}

const adminHeaders = () => ({
  'x-service-appcode': ACCESS.APP_CODE,
  authorization: `Basic ${Buffer.from(`admin:${ACCESS.ADMIN_PASSWORD}`).toString('base64')}`,
});

interface Served {
  readonly comparison: Comparison;
  readonly bytes: number;
  readonly crowd: Crowd;
}

async function measureService(bytes: Uint8Array): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const service = await startService({ ...ACCESS, DATA_DIR: folder, LOG_LEVEL: 'info' });
  try {
    await publish(service.url, bytes);
    const path = '/asset/photograph/resize/25%';
    const response = await fetch(service.url + path);
    if (!response.ok) throw new Error(await response.text());
    const made = Buffer.from(await response.arrayBuffer());
    const file = join(folder, 'static.jpg');
    writeFileSync(file, made);
    const bare = await startFileServer({ FILE: file });
    try {
      progress('a stored variant against a static file');
      const request = (target: string) => [{ method: 'GET', path: target, headers: {} }] as const;
      const scenario = { name: 'image', goal: RATE_GOAL, service: request(path), bare: request('/'), sameAnswer: true };
      const comparison = await compare(
        scenario,
        async () => ({ service: service.url, bare: bare.url, close: async () => undefined }),
        PLAN,
      );
      progress(`${CROWD} sizes at once`);
      const crowd = await atOnce(
        service,
        CROWD,
        (i) => `/asset/photograph/resize/${100 + i}/${100 + i}`,
        adminHeaders(),
      );
      return { comparison, bytes: made.length, crowd };
    } finally {
      await bare.stop();
    }
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const bytes = await photograph(MEGAPIXELS);
const adapters = await measureAdapters(bytes);
const { comparison, bytes: made, crowd } = await measureService(bytes);
const { service, bare, ratio } = comparison;

const text = `# Images

Written by \`npm run bench -- images --write\` on ${machine()} Load: ${GENERATOR}.

## Resizing

A JPEG of 12 megapixels (${(bytes.length / 1e6).toFixed(1)} MB) to 25 %, the median of ${ROUNDS} rounds, each with the bare library
and the adapter in turn. The event-loop delay is measured while the adapter resizes two images at a time.

${adapters}

## A stored variant

${(made / 1e3).toFixed(0)} KB over 64 connections, against a bare Fastify route that streams the same file. Images of up to
256 KB that were requested recently are in the memory of the service; the asset’s row is read for each request.

${table(
  ['Work', 'service/s', 'bare/s', 'ratio', 'goal', 'p50/p99 ms', 'bare p50/p99 ms'],
  [
    [
      'stored variant',
      service.perSecond.toFixed(0),
      bare.perSecond.toFixed(0),
      ratio.toFixed(2),
      `≥ ${RATE_GOAL} ${verdict(ratio >= RATE_GOAL)}`,
      `${service.p50}/${service.p99}`,
      `${bare.p50}/${bare.p99}`,
    ],
  ],
)}

## ${CROWD} sizes at once

${crowd.made} made, ${crowd.refused} refused with 503, ${crowd.other} other responses; in ${(crowd.ms / 1000).toFixed(1)} s, with at most ${crowd.peakMb.toFixed(0)} MB resident
(${crowd.beforeMb.toFixed(0)} MB before). The service stayed responsive: the slowest of ${crowd.probes} small requests took ${crowd.slowestMs.toFixed(0)} ms.
`;
process.stdout.write(`\n${text}`);
const target = new URL('IMAGES.md', import.meta.url);
/** Results measured once against an adapter that no longer exists. */
const history = /\n## Before and after Jimp\n.*$/s.exec(readFileSync(target, 'utf8'))?.[0] ?? '';
if (options.write) writeFileSync(target, text + history);
