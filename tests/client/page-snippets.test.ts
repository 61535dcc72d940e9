import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProfileSections } from '@baobab/client';
import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { fences } from '../support/fences.ts';
import { INSIDE } from '../support/leftovers.ts';
import { readDocument } from '../support/markdown.ts';
import { until } from '../support/patience.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { openSocket } from '../support/sockets.ts';

const ADDRESS = 'http://localhost:9000';
const APP_CODE = '1234567890';
const ADMIN_PASSWORD = 'change-me';

interface Page {
  readonly path: string;
  /** User of `baobab` in each `ts client` block; null: not logged in. */
  readonly users: ReadonlyArray<string | null>;
  readonly collections?: readonly string[];
  readonly roles?: readonly string[];
  /** Sections of the users' profiles. */
  readonly profiles?: Readonly<Record<string, ProfileSections>>;
  /** Code that calls the functions of the page. */
  readonly last?: string;
}

const PAGES: readonly Page[] = [
  { path: 'docs/references.md', users: ['greta'], collections: ['dishes'] },
  {
    path: 'docs/followers.md',
    users: ['luis', 'kim'],
    profiles: {
      kim: { visibleByRegisteredUsers: { city: 'Oslo' }, visibleByFriend: { phone: '+39 011 555' } },
    },
  },
  { path: 'docs/live.md', users: ['mara', 'mara'], collections: ['groceries'] },
  { path: 'docs/webhooks.md', users: [null], collections: ['parcels'] },
  { path: 'docs/recipes/share-a-list.md', users: ['nora', 'otto', 'nora'], collections: ['lists'] },
  { path: 'docs/recipes/share-with-a-group.md', users: ['pia', 'quin'], collections: ['trips'] },
];

/** Address of the receiver on the page about webhooks. */
const RECEIVER = 'http://localhost:8099/';

let backend: TestBackend;
let receiver: Receiver;
let url: string;
let root: AdminClient;
// Inside the project, so that the packages are found.
const { path: folder, remove } = createFolder(INSIDE);

beforeAll(async () => {
  backend = await createTestBackend({ appCode: APP_CODE, adminPassword: ADMIN_PASSWORD, webhookPrivate: true });
  receiver = await startReceiver();
  url = `http://localhost:${await openSocket(backend.app)}`;
  root = createAdminClient({ url, appCode: APP_CODE });
  await root.auth.login({ username: 'admin', password: ADMIN_PASSWORD });
});
afterAll(async () => {
  root.close();
  await receiver.close();
  await backend.close();
  remove();
});

/** Creates what the page expects. */
async function prepare({ users, collections = [], roles = [], profiles = {} }: Page): Promise<void> {
  for (const name of collections) await root.admin.collections.create(name);
  for (const name of roles) await root.admin.roles.create(name);
  const [role = 'registereduser'] = roles;
  for (const username of new Set(users)) {
    if (username !== null) await root.admin.users.create({ username, password: 'secret', role, ...profiles[username] });
  }
}

/** Returns the code of the page, with a log-in before each block. */
function programOf({ path, users, last = '' }: Page): string {
  const blocks = fences(readDocument(path)).filter(({ info }) => info === 'ts client');
  expect([path, blocks.length]).toEqual([path, users.length]);
  const steps = blocks.map(({ text }, at) => {
    const username = users[at] ?? null;
    const login = `await baobab.auth.login({ username: '${username}', password: 'secret' });`;
    return `${username === null ? '' : login}\n${text}`;
  });
  const head = `import * as client from '@baobab/client';\nconst baobab = client.createClient({ url: '${ADDRESS}', appCode: '${APP_CODE}' });`;
  return [head, ...steps, last].join('\n').replaceAll(ADDRESS, url).replaceAll(RECEIVER, receiver.url);
}

it.each(PAGES)('$path has code that prints what it says', async (page) => {
  await prepare(page);
  const program = programOf(page);
  const promised = Array.from(program.matchAll(/console\.log.*\/\/ (.*)$/gm), ([, line = '']) => line);
  expect(promised.length).toBeGreaterThan(0);
  const file = join(folder, `${page.path.replaceAll('/', '-')}.ts`);
  writeFileSync(file, program);
  const child = spawn(process.execPath, ['--no-warnings', '--conditions=source', file]);
  let printed = '';
  let errors = '';
  let isEnded = false;
  child.on('close', () => {
    isEnded = true;
  });
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const missing = () => promised.filter((line) => !printed.split('\n').includes(line));
  try {
    // Live queries print until the program is ended.
    await until(() => missing().length === 0 || isEnded);
    expect([errors, missing()], printed).toEqual(['', []]);
  } finally {
    child.kill();
  }
});
