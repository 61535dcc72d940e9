import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND, type Program, startProgram } from '../support/program.ts';
import { createSetUp } from '../support/set-up.ts';

const { cleanups, folder } = createSetUp();
const IN_MEMORY = { DATABASE_URL: 'memory:', BLOB_URL: 'memory:', RATE_LIMIT: 'off' };

/** Writes modules into a folder outside of the project, as operators do. */
function modules(files: Readonly<Record<string, string>>): string {
  const place = join(folder(), 'own code');
  mkdirSync(place);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  return place;
}

function start(place: string, extensions: string, more: Readonly<Record<string, string>> = {}): Program {
  const env = { DATA_DIR: folder(), ...IN_MEMORY, EXTENSIONS: extensions, ...more };
  const program = startProgram(env, { cwd: place });
  cleanups.push(() => program.dispose());
  return program;
}

const HELLO = `
import { increment } from '@baobab/client';
import { defineExtension, type Caller } from '@baobab/server/extensions';
import { greeting } from './greeting.ts';

const nameOf = (caller: Caller | null): string => caller?.username ?? 'stranger';

export default defineExtension((app) => {
  app.route('GET', '/ext/hello', { access: 'open' }, ({ caller }) => greeting(nameOf(caller)) + typeof increment);
});
`;
const GREETING = 'export const greeting = (name: string): string => "Hello " + name + " ";\n';
const SECOND = `
import { defineExtension } from '@baobab/server/extensions';
export default defineExtension((app) => {
  app.route('GET', '/ext/pid', { access: 'open' }, () => process.pid);
});
`;

describe('EXTENSIONS', () => {
  it('names modules in TypeScript and JavaScript, outside of the program, which need no build', async () => {
    const place = modules({ 'hello.ts': HELLO, 'greeting.ts': GREETING, 'second.mjs': SECOND });
    const program = start(place, './hello.ts, second.mjs');
    const url = await program.ready();
    expect(await (await fetch(`${url}/ext/hello`)).json()).toMatchObject({ data: 'Hello stranger function' });
    expect(await (await fetch(`${url}/ext/pid`)).json()).toMatchObject({ data: program.pid });
  });

  it('is loaded by every worker', async () => {
    const place = modules({ 'second.mjs': SECOND });
    const database = { DATABASE_URL: `sqlite:${join(folder(), 'a.db')}`, BLOB_URL: `file:${folder()}` };
    const program = start(place, 'second.mjs', { ...database, WORKERS: '2' });
    const url = await program.ready();
    const { data } = (await (await fetch(`${url}/ext/pid`)).json()) as { data: number };
    expect(program.children()).toContain(data);
  });

  const ROUTES = (text: string) =>
    `import { defineExtension } from '@baobab/server/extensions';\nexport default defineExtension((app) => {\n  ${text}\n});\n`;

  it.each([
    ['a syntax error', { 'a.ts': 'const a: number = 1;\nconst b = ;\n' }, 'a.ts:2: Expression expected'],
    ['a syntax error in JavaScript', { 'a.ts': "import './b.mjs';\n", 'b.mjs': '\n\nconst b = ;\n' }, 'b.mjs:3: '],
    ['a missing module', { 'a.ts': "const a = 1;\nimport { x } from './nowhere.ts';\n" }, 'a.ts:2: Cannot find module'],
    ['a missing package', { 'a.ts': "\n\nimport x from 'not-installed';\n" }, 'a.ts:3: Cannot find package'],
    ['a missing export', { 'a.ts': "\nimport { x } from './b.ts';\n", 'b.ts': 'export const y = 1;\n' }, 'a.ts:2: '],
    ['an exception', { 'a.ts': ROUTES("throw new Error('no key');") }, 'a.ts:3: no key'],
    ['an invalid declaration', { 'a.ts': ROUTES("app.route('GET', '/x', {}, () => 1);") }, 'a.ts:3: GET /x: a path'],
    ['another default export', { 'a.ts': 'export default 1;\n' }, 'a.ts: its default export must be'],
    ['no file', {}, 'a.ts: Cannot find module'],
  ])('names the file and the line of %s, and stops the start', async (_name, files, problem) => {
    const place = modules(files);
    const program = start(place, './a.ts');
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.errors()).toContain(`baobab: EXTENSIONS: ${join(place, problem)}`);
    expect(program.errors()).not.toContain('    at ');
  });
});

describe('baobab doctor', () => {
  async function examine(files: Readonly<Record<string, string>>) {
    const place = modules(files);
    const env = { DATA_DIR: folder(), EXTENSIONS: 'a.ts', PORT: '0' };
    const program = startProgram(env, { command: [COMMAND, 'doctor', '--json'], cwd: place });
    cleanups.push(() => program.dispose());
    await program.exit;
    const { checks } = JSON.parse(program.output()) as { checks: { check: string; state: string; text: string }[] };
    return checks.find(({ check }) => check === 'extensions');
  }

  it('loads the extensions', async () => {
    expect(await examine({ 'a.ts': SECOND })).toMatchObject({ state: 'ok', text: expect.stringContaining('loads') });
    expect(await examine({ 'a.ts': 'const a = ;' })).toMatchObject({
      state: 'fault',
      text: expect.stringContaining('a.ts:1'),
    });
  });
});
