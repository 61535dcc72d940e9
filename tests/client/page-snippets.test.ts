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
  /** Sections of the users' profiles. */
  readonly profiles?: Readonly<Record<string, ProfileSections>>;
  /** Code that calls the functions of the page. */
  readonly last?: string;
}

const PICTURE = join(import.meta.dirname, '../../packages/contracts/fixtures/images/baseline.jpg');

/** Shares a photo and shows it in half its size, in an image that the reader's page would have. */
const SHOW_PHOTO = `
import { readFileSync } from 'node:fs';
import { resolveObjectURL } from 'node:buffer';
const image = { src: '' } as HTMLImageElement;
const { id } = await shareAlbum(new File([readFileSync('${PICTURE}')], 'a.jpg', { type: 'image/jpeg' }));
await baobab.auth.login({ username: 'otto', password: 'secret' });
await showThumbnail(id, image);
console.log(resolveObjectURL(image.src)?.type); // image/jpeg
`;

/** What Google's library does. The network in memory has issued the token. */
const SIGN_IN = `
await onGoogleSignIn({ credential: 'CREDENTIAL' });
console.log((await baobab.auth.connections())[0].from); // google
`;

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
  { path: 'docs/recipes/public-blog.md', users: [null, 'wanda', null] },
  { path: 'docs/recipes/photos.md', users: ['paula'], last: SHOW_PHOTO },
  { path: 'docs/recipes/google-login.md', users: [null], last: SIGN_IN },
];

/** Address of the receiver on the page about webhooks. */
const RECEIVER = 'http://localhost:8099/';

let backend: TestBackend;
let receiver: Receiver;
let credential: string;
let url: string;
let root: AdminClient;
// Inside the project, so that the packages are found.
const { path: folder, remove } = createFolder(INSIDE);

beforeAll(async () => {
  backend = await createTestBackend({ appCode: APP_CODE, adminPassword: ADMIN_PASSWORD, webhookPrivate: true });
  credential = backend.networks.google.issue({ person: { id: '1' }, clientId: 'app' });
  receiver = await startReceiver();
  url = `http://localhost:${await openSocket(backend.app)}`;
  root = createAdminClient({ url, appCode: APP_CODE });
  await root.auth.login({ username: 'admin', password: ADMIN_PASSWORD });
  await root.admin.settings.set('Social', 'social.google.token', 'app');
  await root.admin.settings.set('Social', 'social.google.enabled', true);
});
afterAll(async () => {
  root.close();
  await receiver.close();
  await backend.close();
  remove();
});

/** Creates what the page expects. */
async function prepare({ users, collections = [], profiles = {} }: Page): Promise<void> {
  for (const name of collections) await root.admin.collections.create(name);
  for (const username of new Set(users)) {
    if (username !== null) await root.admin.users.create({ username, password: 'secret', ...profiles[username] });
  }
}

/** Returns the code of the page, with a log-in before each block. */
function programOf({ path, users, last = '' }: Page): string {
  const blocks = fences(readDocument(path)).filter(({ info }) => info === 'ts client');
  expect([path, blocks.length]).toEqual([path, users.length]);
  const steps = blocks.map(({ text }, at) => {
    const username = users[at] ?? null;
    const login = `login({ username: '${username}', password: 'secret' })`;
    return `await baobab.auth.${username === null ? 'logout()' : login};\n${text}`;
  });
  const head = `import * as client from '@baobab/client';\nconst baobab = client.createClient({ url: '${ADDRESS}', appCode: '${APP_CODE}' });`;
  const given = { [ADDRESS]: url, [RECEIVER]: receiver.url, CREDENTIAL: credential };
  const program = [head, ...steps, last].join('\n');
  return Object.entries(given).reduce((text, [name, value]) => text.replaceAll(name, value), program);
}

it.each(PAGES)('$path has code that prints the output in its comments', async (page) => {
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
