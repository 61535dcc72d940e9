import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, expect, it } from 'vitest';
import { createWorld } from './support/backend.ts';
import { createFolder } from './support/databases.ts';
import { fences } from './support/fences.ts';
import { readDocument } from './support/markdown.ts';
import { until } from './support/patience.ts';
import { copyProject, run } from './support/release.ts';
import { openSocket } from './support/sockets.ts';

const PAGES = [
  'client',
  ...['javascript', 'react', 'nextjs', 'sveltekit', 'vue', 'expo'].map((name) => `start-${name}`),
];
const ADDRESS = 'http://localhost:9000';
/** Timeout of what packs and installs a package, in milliseconds. */
const PACKAGING_MS = 600_000;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const commandsOf = (page: string) =>
  fences(readDocument(`docs/${page}.md`))
    .filter(({ info, text }) => info.startsWith('sh') && text.startsWith('npm '))
    .map(({ text }) => text.trim());
const words = (command = '') => command.split(' ') as [string, ...string[]];

it(
  'packs the client in a clone, and installs it in an empty folder, as the quick starts say',
  async () => {
    const [pack, install, ...more] = commandsOf('start-javascript');
    expect(more).toEqual([]);
    for (const page of PAGES) expect([page, ...commandsOf(page)]).toEqual([page, pack, install]);
    const { path, remove } = createFolder();
    cleanups.push(remove);
    const [clone, project] = [join(path, 'baobab'), join(path, 'project')];
    copyProject(clone);
    run(clone, ...words(pack));
    mkdirSync(project);
    run(project, ...words(install));

    const backend = await createTestBackend({ appCode: '1234567890' });
    cleanups.push(() => backend.close());
    const { call, admin } = createWorld(backend);
    await call('POST', '/admin/collection/todos', { token: await admin() });
    const url = `http://localhost:${await openSocket(backend.app)}`;
    const [{ text = '' } = {}] = fences(readDocument('docs/start-javascript.md')).filter(({ info }) =>
      info.startsWith('ts '),
    );
    writeFileSync(join(project, 'todos.ts'), text.replace(ADDRESS, url));
    const child = spawn(process.execPath, ['--no-warnings', 'todos.ts'], { cwd: project });
    cleanups.push(() => child.kill());
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    await until(() => output.trimEnd().endsWith('Bread') || output.includes('Error'));
    expect(output.trimEnd()).toMatch(/Bread$/);
  },
  PACKAGING_MS,
);
