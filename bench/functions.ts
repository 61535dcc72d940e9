// Counts the functions and files of our packages that one request passes, by V8's precise coverage. `--write` saves the table to
// FUNCTIONS.md, `--list=login` prints the functions of one request, and `--of=` counts in another built clone, such as
// an older version.
import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { createTestBackend as Create } from '@baobab/server/testing';
import type { InjectOptions } from 'fastify';
import { table } from './report.ts';

/** Maximum number of files that a request should pass. */
const GOALS: Readonly<Record<string, number>> = { 'POST document': 34, 'list with where': 40, 'login with TOTP': 42 };
/** Functions of the test kit, which are not counted: the kit takes the place of a library. */
const KIT = 'server/dist/testing.js';

type Backend = Awaited<ReturnType<typeof Create>>;
type Sent = InjectOptions;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    list: { type: 'string', default: '' },
    of: { type: 'string', default: ROOT },
  },
});

/** Requests before the counted one, which warm up caches and lazily created objects. */
const WARM_UP = 3;
const RUNS = 5;
const RECIPIENTS = ['ann', 'bob', 'cem'];
const HASHING = { memoryCost: 1024, timeCost: 1 };

const kit = join(options.of, 'packages/server/dist/testing.js');
if (!existsSync(kit)) throw new Error(`nothing is built in ${options.of}: run "npm run build" there`);
const { createTestBackend } = (await import(pathToFileURL(kit).href)) as { readonly createTestBackend: typeof Create };

async function send({ app }: Backend, sent: Sent): Promise<{ readonly data: Record<string, string> }> {
  const { statusCode, body } = await app.inject(sent);
  if (statusCode >= 300) throw new Error(`${sent.method} ${String(sent.url)}: ${statusCode} ${body}`);
  return JSON.parse(body) as { readonly data: Record<string, string> };
}

const appCode = { 'x-service-appcode': '1234567890' };

const STEP_MS = 30_000;
let time = Date.now();
const clock = { now: () => time };
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns the code (RFC 4226) of the next step, since each step allows one login. */
function nextCode(secret: string): string {
  time += STEP_MS;
  const bits = Array.from(secret, (char) => BASE32.indexOf(char).toString(2).padStart(5, '0')).join('');
  const key = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / STEP_MS)));
  const mac = createHmac('sha1', Buffer.from(key)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Returns the counted requests, after creating the users, devices and documents they need. */
async function requestsOf(backend: Backend): Promise<Readonly<Record<string, () => Sent>>> {
  const admin = { ...appCode, authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` };
  for (const [key, value] of [
    ['push.android.project', 'my-app'],
    ['push.android.service_account', '{"client_email":"a"}'],
  ]) {
    await send(backend, {
      method: 'PUT',
      url: `/admin/configuration/Push/${key}`,
      headers: admin,
      payload: { value },
    });
  }
  await send(backend, { method: 'POST', url: '/admin/collection/notes', headers: admin });
  const sessions: string[] = [];
  for (const username of RECIPIENTS) {
    const person = { username, password: 'secret' };
    await send(backend, { method: 'POST', url: '/user', headers: appCode, payload: person });
    const login_data = { os: 'android', deviceId: `device-of-${username}` };
    const signedIn = { method: 'POST', url: '/login', headers: appCode, payload: { ...person, login_data } } as const;
    sessions.push((await send(backend, signedIn)).data['X-BB-SESSION'] ?? '');
  }
  const session = { 'x-bb-session': sessions[0] ?? '' };
  const login = await send(backend, {
    method: 'POST',
    url: '/login',
    headers: appCode,
    payload: { username: 'admin', password: 'admin' },
  });
  const ofAdmin = { 'x-bb-session': login.data['X-BB-SESSION'] ?? '' };
  const ofBob = { 'x-bb-session': sessions[1] ?? '' };
  const { data: totp } = await send(backend, { method: 'POST', url: '/me/totp', headers: ofBob });
  const secret = totp.secret ?? '';
  const confirmed = { method: 'POST', url: '/me/totp/confirm', headers: ofBob } as const;
  await send(backend, { ...confirmed, payload: { code: nextCode(secret) } });
  const where = `/document/notes?page=0&recordsPerPage=20&where=${encodeURIComponent("title = 'A note'")}`;
  return {
    'POST document': () => ({ method: 'POST', url: '/document/notes', headers: session, payload: { title: 'A note' } }),
    list: () => ({ method: 'GET', url: '/document/notes?page=0&recordsPerPage=20', headers: session }),
    'list with where': () => ({ method: 'GET', url: where, headers: session }),
    login: () => ({
      method: 'POST',
      url: '/login',
      headers: appCode,
      payload: { username: 'ann', password: 'secret' },
    }),
    'login with TOTP': () => ({
      method: 'POST',
      url: '/login',
      headers: appCode,
      payload: { username: 'bob', password: 'secret', code: nextCode(secret) },
    }),
    push: () => ({
      method: 'POST',
      url: '/push/message',
      headers: ofAdmin,
      payload: { message: 'Hello', users: RECIPIENTS },
    }),
  };
}

/** Returns the functions of our packages called while `work` runs, as `path: name`. */
async function calledDuring(session: Session, work: () => Promise<unknown>): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const own = pathToFileURL(join(options.of, 'packages')).href;
  return result
    .filter(({ url }) => url.startsWith(own) && !url.includes('/node_modules/'))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName, ranges }) => {
          const name = functionName === '' ? `(at ${ranges[0]?.startOffset})` : functionName;
          return `${url.slice(own.length + 1)}: ${name}`;
        }),
    )
    .filter((name) => !name.startsWith(KIT))
    .sort();
}

/** Returns the functions called in every one of several runs. This excludes background timers. */
async function functionsOf(session: Session, work: () => Promise<unknown>): Promise<readonly string[]> {
  let common = await calledDuring(session, work);
  for (let i = 1; i < RUNS; i++) {
    const called = new Set(await calledDuring(session, work));
    common = common.filter((name) => called.has(name));
  }
  return common;
}

async function countOn(databaseUrl: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const backend = await createTestBackend({ databaseUrl, clock, rateLimit: true, passwordHashing: HASHING });
  try {
    const counted: Record<string, readonly string[]> = {};
    for (const [name, request] of Object.entries(await requestsOf(backend))) {
      for (let i = 0; i < WARM_UP; i++) await send(backend, request());
      counted[name] = await functionsOf(session, () => send(backend, request()));
    }
    return counted;
  } finally {
    await backend.close();
    session.disconnect();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'baobab-functions-'));
try {
  const sqlite = await countOn(`sqlite:${join(folder, 'functions.sqlite')}`);
  const memory = await countOn('memory:');
  const rows = Object.entries(sqlite).map(([name, called]) => {
    const files = new Set(called.map((one) => one.slice(0, one.indexOf(':'))));
    return [name, ...[called.length, memory[name]?.length, files.size, GOALS[name] ?? ''].map(String)];
  });
  if (options.list !== '') process.stdout.write(`${(sqlite[options.list] ?? []).join('\n')}\n\n`);
  const head = ['Request', 'functions, SQLite', 'functions, memory', 'files, SQLite', 'files, goal'];
  const text = `# Functions and files of a request, counted ${new Date().toISOString().slice(0, 10)}

${table(head, rows)}

The functions and files of our own packages, not of libraries, that one request passes, by V8's precise coverage. The request is sent
${WARM_UP + RUNS} times on a service with warm caches; functions that each of the last ${RUNS} calls are counted, once each. "push" is
\`POST /push/message\` to ${RECIPIENTS.length} users, without the delivery that follows. Count again with \`npm run bench -- functions\`; add
\`--list=login\` to see the functions of one request, and \`--of=<folder>\` to count in another built clone.
`;
  process.stdout.write(text);
  if (options.write) writeFileSync(new URL('FUNCTIONS.md', import.meta.url), text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
