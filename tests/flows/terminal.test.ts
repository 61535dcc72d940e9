import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { createClone } from '../support/clone.ts';
import { createSetUp } from '../support/set-up.ts';
import { addressOn, runInTerminal, type TerminalRun } from '../support/terminal.ts';

const CTRL_C = '\x03';
const ESCAPE = '\x1b';

const { cleanups, folder } = createSetUp();

function run(env: Readonly<Record<string, string>>, options?: Parameters<typeof runInTerminal>[1]): TerminalRun {
  const started = runInTerminal({ RATE_LIMIT: 'off', ...env }, options);
  cleanups.push(started.kill);
  return started;
}

async function stop({ type, exit }: TerminalRun): Promise<void> {
  type(CTRL_C);
  expect(await exit).toBe(0);
}

/** The value of a row of the banner. */
const row = (screen: string, name: string) => new RegExp(`^  ${name} +(.*?)\\r?$`, 'm').exec(screen)?.[1];

describe.each([
  ['one process', '1'],
  ['several', '2'],
])('at a terminal, with %s', (_name, WORKERS) => {
  it('shows its addresses, where data lies, and a generated password once', async () => {
    const env = { DATA_DIR: folder(), NO_COLOR: '1', WORKERS };
    const first = run(env);
    await first.shows('"password":"secret"');
    if (WORKERS !== '1') await first.shows('all workers serve');
    const screen = first.screen();
    const address = addressOn(screen);
    expect(row(screen, 'Reference')).toBe(`${address}/docs`);
    expect(row(screen, 'Data')).toBe(join(env.DATA_DIR, 'baobab.db'));
    expect(row(screen, 'Files')).toBe(join(env.DATA_DIR, 'blobs'));
    expect(row(screen, 'Console')).toBe(`${address}/console`);
    const [, password = ''] = /password (\S+) \(shown only this once\)/.exec(screen) ?? [];
    expect(screen.split(password)).toHaveLength(2);
    const body = { username: 'admin', password };
    expect((await createClient(address, '1234567890')('POST', '/login', { body })).status).toBe(200);
    expect((await fetch(`${address}/docs`)).status).toBe(200);
    await stop(first);

    const second = run(env);
    await second.shows('"password":"secret"');
    expect(row(second.screen(), 'Administrator')).toBeUndefined();
    expect(second.screen()).not.toContain(password);
    if (WORKERS !== '1') await second.shows('all workers serve');
    await stop(second);
  });
});

it('shows a command that works, with any application code', async () => {
  const program = run({ DATA_DIR: folder(), APP_CODE: "it's; a $(code)", NO_COLOR: '1' });
  await program.shows('"password":"secret"');
  const [, command = ''] = /^ {4}(curl .*\n.*)$/m.exec(program.screen().replaceAll('\r', '')) ?? [];
  const { stdout } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ result: 'ok', data: { user: { name: 'ann' } } });
  await stop(program);
});

describe('its log at a terminal', () => {
  it('is a line for people for each request, at once', async () => {
    const program = run({ DATA_DIR: folder(), NO_COLOR: '1' });
    await program.shows('"password":"secret"');
    await fetch(`${addressOn(program.screen())}/health/live?x=1`);
    await program.shows('GET /health/live 200');
    expect(program.screen()).not.toContain('"msg":');
    await stop(program);
  });

  it.each([
    ['colors', {}, true],
    ['no colors with NO_COLOR', { NO_COLOR: '1' }, false],
    ['colors with an empty NO_COLOR', { NO_COLOR: '' }, true],
    ['no colors on a terminal that has none', { TERM: 'dumb' }, false],
  ])('has %s', async (_what, env, colored) => {
    const program = run({ DATABASE_URL: 'memory:', BLOB_URL: 'memory:', ...env });
    await program.shows('"password":"secret"');
    expect(program.screen().includes(ESCAPE)).toBe(colored);
    await stop(program);
  });
});

describe('npm start at a terminal', () => {
  /** A clone in which nothing is installed; `npm` and the compiler only do what the start needs of them. */
  function freshClone() {
    const clone = folder();
    const [runner = '', ...args] = createClone(clone);
    rmSync(join(clone, 'node_modules/.installed'));
    rmSync(join(clone, 'packages/server/dist'), { recursive: true });
    const npm = join(clone, 'npm.js');
    writeFileSync(npm, '');
    mkdirSync(join(clone, 'node_modules/.bin'));
    const compiler = join(clone, 'node_modules/.bin/tsc');
    const compile = (source: string) => writeFileSync(compiler, source);
    compile(
      "const { mkdirSync, writeFileSync } = require('node:fs'); const dist = 'packages/server/dist';" +
        "mkdirSync(dist); writeFileSync(dist + '/main.js', 'console.log(`served`)');",
    );
    const install = (source: string) => writeFileSync(npm, source);
    return { run: () => run({ npm_execpath: npm }, { command: [runner, ...args], cwd: clone }), compile, install };
  }

  it('reports each step and how long it took, and nothing when all is built', async () => {
    const clone = freshClone();
    const first = clone.run();
    expect(await first.exit).toBe(0);
    expect(first.screen().replace(/\d+ s/g, 'N s')).toBe(
      'baobab: installing dependencies (up to a minute) … done in N s\r\n' +
        'baobab: building (a few seconds) … done in N s\r\nserved\r\n',
    );
    const second = clone.run();
    expect(await second.exit).toBe(0);
    expect(second.screen()).toBe('served\r\n');
  });

  it('is prepared by one process at a time, and once', async () => {
    const clone = freshClone();
    // Fails when it runs twice, at once or one after the other.
    clone.install("require('node:fs').mkdirSync('installs'); setTimeout(() => undefined, 1_000)");
    const both = [clone.run(), clone.run()];
    expect(await Promise.all(both.map(({ exit }) => exit))).toEqual([0, 0]);
    const screens = both.map(({ screen }) => screen());
    expect(screens.filter((screen) => screen.includes('installing dependencies'))).toHaveLength(1);
    expect(screens.filter((screen) => /waiting for process \d+, which prepares this folder/.test(screen))).toHaveLength(
      1,
    );
    for (const screen of screens) expect(screen).toMatch(/served\r\n$/);
  });

  it('shows what a failed step printed', async () => {
    const clone = freshClone();
    clone.compile("console.log('error in some.ts'); process.exit(2)");
    const failed = clone.run();
    expect(await failed.exit).toBe(1);
    expect(failed.screen()).toMatch(/building .*…[\s\S]*error in some\.ts[\s\S]*baobab: ".*tsc.*" failed/);
    // The next start is not kept waiting.
    const again = clone.run();
    expect(await again.exit).toBe(1);
    expect(again.screen()).not.toContain('waiting');
  });
});
