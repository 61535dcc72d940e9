// Plays a newcomer: clones the committed tree, types what README.md says on a terminal, and makes the first document in
// the page of the guide, in a real browser. Prints how long that took and how much there was to type and to read. Fails
// when it takes more than five commands; times depend on the machine and are only printed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startBrowser } from './support/browser.ts';
import { type Fence, fences, stepsOf } from './support/fences.ts';
import { servePages } from './support/pages.ts';
import { pause } from './support/patience.ts';
import { freePort } from './support/ports.ts';
import { addressOn } from './support/terminal.ts';

const ROOT = join(import.meta.dirname, '..');
const MOST_COMMANDS = 5;
/** A cold installation on a slow machine ends within this time, or never. Milliseconds. */
const PATIENCE_MS = 900_000;
/** The address in the documents. */
const ADDRESS = 'localhost:9000';
/** The page to which the README leads: it has the first page of an app. */
const GUIDES = ['docs/clients.md'];

const linesOf = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

/** The commands in a block: a line without comments, with the lines that continue it. */
const commandsIn = (block: string) =>
  block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => !/^\s*(?:#|$)/.test(line));

/** Environment of a new user's shell, without that of this clone and of the npm that runs this script. */
function environment(port: number): NodeJS.ProcessEnv {
  const foreign = /^(?:npm_(?:lifecycle|package|command|execpath|node|config_local)|INIT_CWD$|NODE)/i;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), PORT: String(port), HOST: '127.0.0.1' };
}

/** Types a command on a terminal of its own, by util-linux's `script`. */
function type(command: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { ...env, SHELL: '/bin/bash' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  let ended = false;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk.replaceAll('\r', '');
  });
  const exit = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      ended = true;
      resolve(code);
    });
  });
  return {
    screen: () => screen,
    exit,
    async shows(what: (screen: string) => boolean): Promise<void> {
      const deadline = Date.now() + PATIENCE_MS;
      while (!what(screen)) {
        if (ended || Date.now() > deadline) throw new Error(`"${command}" does not get there:\n${screen}`);
        await pause(50);
      }
    },
    interrupt: () => void child.stdin.write('\x03'),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Everything up to the end of the first match of `text`. */
function upTo(markdown: string, text: string, where: string): string {
  const at = markdown.indexOf(text);
  if (at < 0) throw new Error(`${where} does not contain "${text}"`);
  return markdown.slice(0, at + text.length);
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no ${what}`);
  return value;
}

const isPage = ({ info, text }: Fence) => info === 'html' && text.startsWith('<!doctype html>');

const folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
const clone = join(folder, 'baobab');
const port = await freePort();
const env = environment(port);
const browser = await startBrowser();
const cleanups: Array<() => unknown> = [
  () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  () => browser.close(),
];
try {
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  const typed: string[] = [];
  let output = '';
  /** Commands are typed as they are written; only the port is one that is free on this machine. */
  const enter = (command: string, cwd: string) => {
    typed.push(command);
    const terminal = type(command.replaceAll(ADDRESS, `localhost:${port}`), cwd, env);
    cleanups.push(terminal.kill);
    return terminal;
  };
  const finish = async (command: string, cwd: string): Promise<string> => {
    const terminal = enter(command, cwd);
    if ((await terminal.exit) !== 0) throw new Error(`"${command}" failed:\n${terminal.screen()}`);
    output += terminal.screen();
    return terminal.screen();
  };

  await finish(`git clone '${ROOT}' baobab`, folder);
  typed.push('cd baobab');
  const readme = readFileSync(join(clone, 'README.md'), 'utf8');
  const start = found(
    stepsOf(readme).find(({ kind }) => kind === 'start'),
    'block that starts the service in README.md',
  );
  const service = enter(commandsIn(start.commands).join('\n'), clone);
  await service.shows((screen) => addressOn(screen) !== '' && screen.includes('"password":"secret"'));
  const toReady = seconds();
  output += service.screen();

  const name = found(
    GUIDES.find((path) => existsSync(join(clone, path))),
    'guide',
  );
  const guide = readFileSync(join(clone, name), 'utf8');
  const page = found(fences(guide).find(isPage), `page in ${name}`);
  for (const { kind, line, commands, output: shown } of stepsOf(guide)) {
    if (kind !== 'run' || line > page.line) continue;
    let printed = '';
    for (const command of commandsIn(commands)) printed += await finish(command, clone);
    if (printed.trim() !== shown.trim()) throw new Error(`${name}, line ${line}, prints:\n${printed}`);
  }

  const html = page.text.replaceAll(ADDRESS, `localhost:${port}`);
  const pages = await servePages({ '/notes.html': html });
  cleanups.push(pages.close);
  const tab = await browser.newPage();
  await tab.goto(`${pages.origin}/notes.html`);
  await tab.fill('input[name=username]', 'newcomer');
  await tab.fill('input[name=password]', 'secret');
  await tab.click('button[value=up]');
  await tab.fill('input[name=title]', 'My first document');
  await tab.click('#add button:not([type=button])');
  await tab.waitForSelector('li:has-text("My first document")');
  const toPage = seconds();

  service.interrupt();
  const code = await service.exit;
  if (code !== 0) throw new Error(`after Ctrl-C the service ended with ${code}:\n${service.screen()}`);

  const count = typed.flatMap(commandsIn).length;
  const read = upTo(readme, `](${name}`, 'README.md');
  const copied = linesOf(page.text);
  process.stdout.write(
    [
      `${typed.map((command) => `  $ ${command.replaceAll(ROOT, '<repository>')}`).join('\n')}`,
      `${toReady} s to ready`,
      `${toPage} s to the first document in the page`,
      `${count} commands typed (at most ${MOST_COMMANDS})`,
      `${linesOf(output)} lines of output`,
      `${linesOf(read)} lines of README.md, up to its link to ${name}`,
      `${page.line} lines of ${name}, and ${copied} lines of HTML to copy`,
      '',
    ].join('\n'),
  );
  if (count > MOST_COMMANDS) throw new Error(`${count} commands are more than ${MOST_COMMANDS}`);
} finally {
  for (const cleanup of cleanups.toReversed()) await cleanup();
}
