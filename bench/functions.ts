// Counts the functions of our packages that one request calls, by V8's precise coverage. `--write` saves the table to
// FUNCTIONS.md, `--list=login` prints the functions of one request, and `--of=` counts in another built clone, such as
// an older version.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { createTestBackend as Create } from '@baobab/server/testing';
import type { InjectOptions } from 'fastify';
import { table } from './report.ts';

/** Counts on SQLite in November 2026, before the refactoring of the layers, and its goals. */
const GOALS: Readonly<Record<string, { readonly before: number; readonly goal: number }>> = {
  'POST document': { before: 84, goal: 84 },
  list: { before: 81, goal: 81 },
  login: { before: 121, goal: 81 },
  push: { before: 165, goal: 110 },
};
/** Files of features that are newer than the goals and take part in every request, write or login. */
const LATER = [
  'adapters/dist/audit-log/',
  'adapters/dist/sql/audit.js',
  'adapters/dist/sqlite/feed.js',
  'core/dist/audit/',
  'core/dist/protection/networks.js',
  'core/dist/sessions/completed-logins.js',
  'core/dist/sessions/known-clients.js',
  'http/dist/host.js',
  'http/dist/late-answers.js',
  'http/dist/sent-after.js',
  'http/dist/unknown-queries.js',
  'server/dist/connections/',
  'server/dist/metrics/buckets.js',
  'server/dist/metrics/traffic.js',
];
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

/** The test kit; in older clones it is part of the HTTP package. */
const kit = ['packages/server/dist/testing.js', 'packages/http/dist/testing.js']
  .map((path) => join(options.of, path))
  .find((path) => existsSync(path));
if (kit === undefined) throw new Error(`nothing is built in ${options.of}: run "npm run build" there`);
const { createTestBackend } = (await import(pathToFileURL(kit).href)) as { readonly createTestBackend: typeof Create };

async function send({ app }: Backend, sent: Sent): Promise<{ readonly data: Record<string, string> }> {
  const { statusCode, body } = await app.inject(sent);
  if (statusCode >= 300) throw new Error(`${sent.method} ${String(sent.url)}: ${statusCode} ${body}`);
  return JSON.parse(body) as { readonly data: Record<string, string> };
}

const appCode = { 'x-service-appcode': '1234567890' };

/** Returns the counted requests, after creating the users, devices and documents they need. */
async function requestsOf(backend: Backend): Promise<Readonly<Record<string, Sent>>> {
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
  return {
    'POST document': { method: 'POST', url: '/document/notes', headers: session, payload: { title: 'A note' } },
    list: { method: 'GET', url: '/document/notes?page=0&recordsPerPage=20', headers: session },
    login: { method: 'POST', url: '/login', headers: appCode, payload: { username: 'ann', password: 'secret' } },
    push: {
      method: 'POST',
      url: '/push/message',
      headers: ofAdmin,
      payload: { message: 'Hello', users: RECIPIENTS },
    },
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
  const backend = await createTestBackend({ databaseUrl, rateLimit: true, passwordHashing: HASHING });
  try {
    const counted: Record<string, readonly string[]> = {};
    for (const [name, request] of Object.entries(await requestsOf(backend))) {
      for (let i = 0; i < WARM_UP; i++) await send(backend, request);
      counted[name] = await functionsOf(session, () => send(backend, request));
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
    const earlier = called.filter((one) => !LATER.some((file) => one.startsWith(file)));
    const counts = [called.length, memory[name]?.length, earlier.length, GOALS[name]?.before, GOALS[name]?.goal];
    return [name, ...counts.map(String)];
  });
  if (options.list !== '') process.stdout.write(`${(sqlite[options.list] ?? []).join('\n')}\n\n`);
  const head = ['Request', 'SQLite', 'memory', 'SQLite, without later features', 'before', 'goal'];
  const text = `# Functions of a request, counted ${new Date().toISOString().slice(0, 10)}

${table(head, rows)}

The functions of our own packages, not of libraries, that one request calls, by V8's precise coverage. The request is sent
${WARM_UP + RUNS} times on a service with warm caches; functions that each of the last ${RUNS} calls are counted, once each. "push" is
\`POST /push/message\` to ${RECIPIENTS.length} users, without the delivery that follows. Count again with \`npm run bench -- functions\`; add
\`--list=login\` to see the functions of one request, and \`--of=<folder>\` to count in another built clone.

The goals compare the layers of a request with those of November 2026. Later features added steps to every request (the
checks of \`Host\` and of unknown query parameters, the watch over late answers, the traffic of the last hour), to every
write (the change feed) and to every login (audit events, known clients). The fourth column leaves their files out.
`;
  process.stdout.write(text);
  if (options.write) writeFileSync(new URL('FUNCTIONS.md', import.meta.url), text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
