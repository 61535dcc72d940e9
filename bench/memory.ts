// Measures the memory of the server in a control group of 512 MB, in which the kernel kills a process that needs more:
// uploads, hostile pictures, logins, live queries, exports, backup and restore. `--write` saves the results to MEMORY.md.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importSharp } from '@baobab/adapters/images';
import { fixture } from '@baobab/contracts/images';
import { photograph, type Size } from './measure/bare-images.ts';
import { createMemoryGroup } from './measure/cgroup.ts';
import { runCommand } from './measure/command.ts';
import { startWrappedService } from './measure/processes.ts';
import { machine, table } from './report.ts';

const MEGABYTE = 1_000_000;
const LIMIT = 512 * 2 ** 20;
const SAMPLE_MS = 10;
const UPLOADS = 20;
const UPLOAD_BYTES = 10 * MEGABYTE;
const USERS = 200;
const LIVE_QUERIES = 50;
const BATCHES = 30;
const BATCH = 100;
const TEXT = 'Sphinx of black quartz, judge my vow. '.repeat(50);
const THUMBNAILS = 20;
const READERS = 4;
const APP_CODE = 'bench';
const ACCESS = { APP_CODE, ADMIN_PASSWORD: 'bench', SECRET_KEY: 'the same key for all of this benchmark' } as const;
const ADMIN = { 'x-service-appcode': APP_CODE, authorization: `Basic ${btoa('admin:bench')}` };

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);
const many = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

const group = createMemoryGroup(LIMIT);
const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
const environment = { ...ACCESS, DATA_DIR: join(folder, 'data') };
const service = await startWrappedService({ ...environment, LOG_LEVEL: 'warn' }, group.command);

/** Session of the administrator. */
let session = '';

/** Returns the status and the body; status 0 if the connection breaks, as it does when the server is killed. */
async function call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = ADMIN) {
  const isForm = body instanceof FormData;
  try {
    const response = await fetch(service.url + path, {
      method,
      headers: { ...headers, ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  } catch {
    return { status: 0, bytes: Buffer.alloc(0) };
  }
}

type Answer = Awaited<ReturnType<typeof call>>;

/** Counts answers by their status, with the message of one failure. */
function summary(answers: readonly Answer[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = Array.from(counts, ([status, count]) => `${count} × ${status}`);
  const refused = answers.find(({ status }) => status >= 400);
  const message = refused === undefined ? '' : `: ${JSON.parse(refused.bytes.toString()).message}`;
  return `${parts.join(', ')}${message}`;
}

const rows: string[][] = [];

/** Does the work, and records the most memory that the group used meanwhile. */
async function measure(name: string, work: () => Promise<string>): Promise<void> {
  progress(name);
  let peak = group.used();
  const timer = setInterval(() => {
    peak = Math.max(peak, group.used());
  }, SAMPLE_MS);
  const begun = performance.now();
  const result = await work().catch((error: unknown) => `FAILED: ${String(error).split('\n')[0]}`);
  clearInterval(timer);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  rows.push([
    name,
    result,
    seconds,
    (peak / MEGABYTE).toFixed(0),
    group.kills() === 0 ? 'none' : `${group.kills()} KILLED`,
  ]);
}

function formOf(bytes: Uint8Array, type: string, name: string): FormData {
  const form = new FormData();
  form.set('name', name);
  form.set('file', new Blob([Uint8Array.from(bytes)], { type }), name);
  return form;
}

async function upload(): Promise<string> {
  const bytes = Buffer.alloc(UPLOAD_BYTES, 'of no importance');
  return summary(await many(UPLOADS, (i) => call('POST', '/file', formOf(bytes, 'text/plain', `file-${i}`))));
}

/** Publishes a JPEG of one colour, which needs as much memory as any other of its size. */
async function publish(name: string, { width, height }: Size, progressive: boolean): Promise<void> {
  const sharp = await importSharp();
  if (sharp === null) throw new Error('this benchmark creates its pictures with sharp, which is not installed');
  const small = await sharp(fixture('opaque.png'), {}).resize(8, 8, { fit: 'fill' }).toFormat('png', {}).toBuffer();
  const picture = sharp(small, {}).resize(width, height, { fit: 'fill' }).toFormat('jpeg', { progressive });
  await call('POST', '/admin/asset', formOf(await picture.toBuffer(), 'image/jpeg', name));
}

const resize = async (name: string, sides: readonly number[]) =>
  summary(await Promise.all(sides.map((side) => call('GET', `/asset/${name}/resize/${side}/${side}`))));

const login = async () =>
  summary(
    await many(USERS, (i) =>
      call('POST', '/login', { username: `user${i}`, password: 'correct horse' }, { 'x-service-appcode': APP_CODE }),
    ),
  );

async function writeDocuments(): Promise<readonly Answer[]> {
  const operations = Array.from({ length: BATCH }, (_, n) => ({
    method: 'POST',
    path: '/document/notes',
    body: { n, text: TEXT },
  }));
  const answers: Answer[] = [];
  for (let at = 0; at < BATCHES; at++) answers.push(await call('POST', '/batch', { atomic: false, operations }));
  return answers;
}

/** Opens a live query of everything, and counts its changes. */
function subscribe(onPut: () => void): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const url = `${service.url.replace(/^http/, 'ws')}/live?X-SERVICE-APPCODE=${APP_CODE}&X-BB-SESSION=${session}`;
    const socket = new WebSocket(url, 'baobab.v1');
    socket.addEventListener('error', () => reject(new Error('the socket failed')));
    socket.addEventListener('message', ({ data }) => {
      const { type } = JSON.parse(String(data));
      if (type === 'welcome') socket.send('{"type":"subscribe","id":1,"collection":"notes","since":"0"}');
      else if (type === 'put') onPut();
      else if (type === 'ready') resolve(socket);
    });
  });
}

async function live(): Promise<string> {
  let puts = 0;
  const sockets = await many(LIVE_QUERIES, () => subscribe(() => puts++));
  const written = await writeDocuments();
  for (const socket of sockets) socket.close();
  return `${puts.toLocaleString('en')} changes received; batches ${summary(written)}`;
}

async function exportAll(): Promise<string> {
  const sizes = await many(READERS, async () => {
    let [cursor, bytes] = ['0', 0];
    for (let more = true; more; ) {
      const answer = await call('GET', `/changes?since=${encodeURIComponent(cursor)}&recordsPerPage=1000`);
      if (answer.status !== 200) throw new Error(summary([answer]));
      bytes += answer.bytes.length;
      ({ next: cursor, more } = JSON.parse(answer.bytes.toString()));
    }
    return bytes;
  });
  return `${READERS} × ${((sizes[0] ?? 0) / MEGABYTE).toFixed(0)} MB`;
}

const archive = join(folder, 'archive.tar');

async function backup(): Promise<string> {
  rmSync(archive, { force: true });
  await runCommand(['backup', '--to', archive], environment, group.command);
  return `${(statSync(archive).size / MEGABYTE).toFixed(0)} MB`;
}

async function restore(): Promise<string> {
  const target = mkdtempSync(join(folder, 'restored-'));
  await runCommand(['restore', '--from', archive], { ...environment, DATA_DIR: target }, group.command);
  return 'restored, next to the running server';
}

async function download(): Promise<string> {
  const response = await fetch(`${service.url}/admin/backup/download`, {
    method: 'POST',
    headers: { ...ADMIN, 'content-type': 'application/json' },
    body: '{}',
  });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return `${response.status}, ${(bytes / MEGABYTE).toFixed(0)} MB`;
}

async function measureAll(): Promise<void> {
  await measure('Idle', async () => 'ready');
  await publish('progressive-48', { width: 8064, height: 6048 }, true);
  await publish('progressive-100', { width: 9990, height: 9990 }, true);
  await publish('baseline-100', { width: 9990, height: 9990 }, false);
  await call(
    'POST',
    '/admin/asset',
    formOf(await photograph({ width: 4000, height: 3000 }), 'image/jpeg', 'photograph'),
  );
  await call('POST', '/admin/collection/notes');
  await many(USERS, (i) =>
    call('POST', '/user', { username: `user${i}`, password: 'correct horse' }, { 'x-service-appcode': APP_CODE }),
  );
  const entered = await call(
    'POST',
    '/login',
    { username: 'admin', password: 'bench' },
    { 'x-service-appcode': APP_CODE },
  );
  session = JSON.parse(entered.bytes.toString()).data['X-BB-SESSION'];

  await measure(`${UPLOADS} uploads of 10 MB at the same time`, upload);
  await measure('8064 × 6048, progressive: two sizes at the same time', () => resize('progressive-48', [200, 300]));
  await measure('9990 × 9990, progressive', () => resize('progressive-100', [200]));
  await measure('9990 × 9990, baseline: two sizes at the same time', () => resize('baseline-100', [200, 300]));
  await measure(`4000 × 3000: ${THUMBNAILS} sizes at the same time`, () =>
    resize(
      'photograph',
      Array.from({ length: THUMBNAILS }, (_, i) => 100 + 50 * i),
    ),
  );
  await measure(`${USERS} logins at the same time`, login);
  await measure(`${LIVE_QUERIES} live queries, ${(BATCHES * BATCH).toLocaleString('en')} documents written`, live);
  await measure(`Export of all changes, ${READERS} at the same time`, exportAll);
  await measure('Backup by command, next to the server', backup);
  await measure('Backup as a download', download);
  await measure('Restore by command, next to the server', restore);
  await measure('All of these at the same time, except for the restore', async () => {
    const sizes = [400, 500, 600];
    const all = await Promise.all([
      upload(),
      resize('progressive-48', sizes),
      resize('baseline-100', sizes),
      resize(
        'photograph',
        sizes.map((side) => side + 7),
      ),
      login(),
      live(),
      exportAll(),
      backup(),
    ]);
    return /× 0\b/.test(all.join('; ')) ? `FAILED: ${all.join('; ')}` : 'answered';
  });
}

try {
  await measureAll();
} finally {
  await service.stop();
  group.remove();
  rmSync(folder, { recursive: true, force: true });
}

const text = `# Memory of a small server

Written by \`npm run bench -- memory --write\` on ${machine()}

The server on SQLite with its defaults, in a control group with ${LIMIT / 2 ** 20} MiB of memory and no swap: the kernel kills a process
that needs more. MB is the most memory of all processes in the group without cached files, sampled every ${SAMPLE_MS} ms. The
commands of backup and restore run in the same group.

${table(['Work', 'Result', 's', 'MB', 'Kills'], rows)}
`;
process.stdout.write(`\n${text}`);
if (options.write) writeFileSync(new URL('MEMORY.md', import.meta.url), text);
if (rows.some((row) => /KILLED|FAILED/.test(row.join(' ')))) process.exitCode = 1;
