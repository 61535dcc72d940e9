import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createFolder } from '../support/databases.ts';
import { until } from '../support/patience.ts';
import { COMMAND, PROGRAM, startProgram } from '../support/program.ts';

const APP_CODE = 'extensions';
const COMMON = {
  APP_CODE,
  ADMIN_PASSWORD: 'password of the administrator',
  DATABASE_URL: 'memory:',
  BLOB_URL: 'memory:',
};

const ends: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const moduleThat = (body: string, imports = '') => `
import { defineExtension } from '@baobab/server/extensions';
${imports}
export default defineExtension((app) => {
  app.route('GET', '/ext/now', { access: 'anybody' }, () => (${body}));
});
`;

function folder() {
  const { path, remove } = createFolder();
  ends.push(remove);
  mkdirSync(join(path, 'lib'));
  const write = (name: string, text: string) => writeFileSync(join(path, name), text);
  /** Replaces a file as many editors do: its watchers see another file. */
  const replace = (name: string, text: string) => {
    write(`${name}.new`, text);
    renameSync(join(path, `${name}.new`), join(path, name));
  };
  write('lib/word.ts', "export const word = 'first';");
  write('main.ts', moduleThat('word', "import { word } from './lib/word.ts';"));
  return { write, replace, path: join(path, 'main.ts') };
}

/** Waits until the route answers with a text. The port is another one after each restart. */
async function answers(client: () => Client | null, wanted: string): Promise<void> {
  await until(async () => {
    const answer = await client()?.('GET', '/ext/now').catch(() => null);
    return answer?.status === 200 && answer.data === wanted;
  });
}

describe.each([
  ['the program', [PROGRAM, '--watch']],
  ['the command', [COMMAND, 'serve', '--watch']],
])('%s, watching', (_name, command) => {
  it('restarts when a module or one of its imports changes, also after one that does not load', async () => {
    const { write, replace, path } = folder();
    const program = startProgram({ ...COMMON, EXTENSIONS: path, WORKERS: '2' }, { command });
    ends.push(() => program.dispose());
    const newest = () => {
      const ready = program
        .output()
        .split('\n')
        .findLast((line) => line.includes('"msg":"ready"'));
      return ready === undefined ? null : createClient(JSON.parse(ready).address, APP_CODE);
    };
    await answers(newest, 'first');
    replace('lib/word.ts', "export const word = 'second';");
    await answers(newest, 'second');
    replace('lib/word.ts', "export const word = 'third';");
    await answers(newest, 'third');
    write('main.ts', 'export default {');
    await program.line('main.ts:1');
    await program.line('it starts again when a file of an extension changes');
    replace('main.ts', moduleThat("'fourth'", "import './missing.ts';"));
    await program.line('main.ts:3');
    write('missing.ts', '');
    await answers(newest, 'fourth');
    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(program.children()).toEqual([]);
  });
});

describe('a server with two workers', () => {
  it('runs the extensions in both', async () => {
    const { write, path } = folder();
    write('main.ts', moduleThat('process.pid'));
    const { path: database, remove } = createFolder();
    ends.push(remove);
    const program = startProgram({
      ...COMMON,
      EXTENSIONS: path,
      WORKERS: '2',
      DATABASE_URL: `sqlite:${join(database, 'a.db')}`,
      BLOB_URL: `file:${join(database, 'blobs')}`,
      SECRET_KEY: 'k'.repeat(40),
    });
    ends.push(() => program.dispose());
    const address = await program.ready();
    await program.line('all workers serve');
    const seen = new Set<unknown>();
    const call = createClient(address, APP_CODE);
    let atOnce = 4;
    await until(async () => {
      // Concurrent calls have separate connections, which different workers may accept. Those are kept, so each round
      // needs a further one.
      const answers = await Promise.all(Array.from({ length: atOnce++ }, () => call('GET', '/ext/now')));
      for (const { status, data: pid } of answers) if (status === 200) seen.add(pid);
      return seen.size === 2;
    });
    expect(program.children()).toEqual(expect.arrayContaining([...seen]));
  });
});
