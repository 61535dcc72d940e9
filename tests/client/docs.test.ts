import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAdminClient } from '@baobab/client/admin';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { fences } from '../support/fences.ts';
import { INSIDE } from '../support/leftovers.ts';
import { readDocument } from '../support/markdown.ts';
import { openSocket } from '../support/sockets.ts';
import { typeProblems } from '../support/type-check.ts';

const run = promisify(execFile);
const ADDRESS = 'http://localhost:9000';
const ADMIN_PASSWORD = 'change-me';

interface Page {
  readonly path: string;
  /** The page with the types of the collections. */
  readonly types: string;
  /** Text after the fence of the component; null without one. */
  readonly component: string | null;
  readonly collections: readonly string[];
  /** Comments that promise no output. */
  readonly remarks: RegExp;
  /** The fewest lines of output that are promised. */
  readonly lines: number;
}

const PAGES: readonly Page[] = [
  {
    path: 'docs/client.md',
    types: 'docs/client.md',
    component: null,
    collections: ['notes'],
    remarks: /^only/,
    lines: 7,
  },
  {
    path: 'docs/client-data.md',
    types: 'docs/client.md',
    component: 'notes.tsx',
    collections: ['notes'],
    remarks: /^(?:keeps|chosen|controller)/,
    lines: 9,
  },
  {
    path: 'docs/client-offline.md',
    types: 'docs/client-offline.md',
    component: 'shopping.tsx',
    collections: ['lists', 'items'],
    remarks: /^(?:in a browser|removed|on the newest)/,
    lines: 2,
  },
  {
    path: 'docs/data-modelling.md',
    types: 'docs/data-modelling.md',
    component: null,
    collections: [],
    remarks: /^contains/,
    lines: 10,
  },
  {
    path: 'docs/groups-and-invitations.md',
    types: 'docs/client.md',
    component: null,
    collections: [],
    remarks: /^works/,
    lines: 10,
  },
];

describe.each(PAGES)('the page $path', ({ path, types, component, collections, remarks, lines: least }) => {
  const blocks = fences(readDocument(path));
  const textOf = (info: string, all = blocks) => all.filter((fence) => fence.info === info).map(({ text }) => text);
  const program = textOf('ts').join('\n');
  /** Output that the comments of the page announce, in order, without remarks after a semicolon. */
  const promised = Array.from(
    program.matchAll(/\/\/ (.*)$/gm),
    ([, comment = '']) => comment.split(';')[0] ?? '',
  ).filter((comment) => !remarks.test(comment));
  // Inside the project, so that the packages are found.
  const { path: folder, remove } = createFolder(INSIDE);
  const file = join(folder, 'program.ts');
  const components = component === null ? [] : [join(folder, component)];
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await createTestBackend({ adminPassword: ADMIN_PASSWORD });
    const url = `http://127.0.0.1:${await openSocket(backend.app)}`;
    const admin = createAdminClient({ url, appCode: backend.appCode, keepAlive: 0 });
    await admin.auth.login({ username: 'admin', password: ADMIN_PASSWORD });
    for (const name of collections) await admin.admin.collections.create(name);
    // For invitations by mail.
    await admin.admin.settings.set('PasswordRecovery', 'network.smtp.host', 'mail.example.com');
    writeFileSync(join(folder, 'app.ts'), textOf('ts app.ts', fences(readDocument(types))).join('\n'));
    for (const one of components) writeFileSync(one, textOf(`tsx ${component}`).join('\n'));
    writeFileSync(file, program.replaceAll(ADDRESS, url));
  });
  afterAll(async () => {
    await backend.close();
    remove();
  });

  it('has code that compiles', () => {
    expect(typeProblems([file, ...components])).toEqual([]);
  });

  it('has code that prints what it says', async () => {
    const options = [
      '--conditions=source',
      '--experimental-webstorage',
      `--localstorage-file=${join(folder, 'storage')}`,
    ];
    const { stdout } = await run(process.execPath, [...options, file]);
    const lines = stdout.trim().split('\n');
    expect(promised.length).toBeGreaterThanOrEqual(least);
    let from = 0;
    for (const line of promised) {
      const at = lines.indexOf(line, from);
      expect([line, at >= 0], lines.slice(from).join('\n')).toEqual([line, true]);
      from = at + 1;
    }
  });
});
