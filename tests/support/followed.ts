import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linesOf } from './answers.ts';
import { createFolder } from './databases.ts';
import { type Step, stepsOf } from './fences.ts';
import { PATIENCE_MS } from './patience.ts';
import { freePort } from './ports.ts';
import { build, CHEAP_PASSWORDS, COMPILED } from './program.ts';
import { openShell } from './shell.ts';

const ROOT = join(import.meta.dirname, '../..');
const POLL_MS = 25;
/**
 * Maximum number of repetitions of a step that waits for background work. A busy machine takes longer than
 * documents state.
 */
const MOST_WAITS = 10;

/** Command that starts the server if the document leaves it to another document. */
const START = 'ADMIN_PASSWORD=change-me npm start';

/** Mock servers and files that documents require in addition to Baobab. */
export interface Surroundings {
  /** Files that the reader of a document is assumed to have. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Environment variables that point the server to mock servers. */
  readonly env: Readonly<Record<string, string>>;
  /** Addresses in the document, and their replacements. */
  readonly addresses: Readonly<Record<string, string>>;
}

/** The npm commands without the check of the installation and build, which a running test must not change. */
const NPM = `#!/bin/sh
case "$*" in
  start) exec node --require '${CHEAP_PASSWORDS}' '${ROOT}/packages/server/dist/main.js' ;;
  'run build') ;;
  'run -s baobab -- '*) shift 4; exec node '${ROOT}/packages/server/dist/cli.js' "$@" ;;
  'run -s example -- '*) shift 4; exec node '${ROOT}/scripts/run.mjs' example "$@" ;;
  'run baobab -- '*) shift 3; exec node '${ROOT}/packages/server/dist/cli.js' "$@" ;;
  *) echo "npm $*: unknown" >&2; exit 1 ;;
esac
`;

/** `exec`, so that signals reach the server and not the shell. */
const EXEC = `npm() { if [ "$1" = start ]; then exec npm start; fi; command npm "$@"; }
node() { exec node "$@"; }`;

/** Creates a folder that looks like a fresh clone after the first `npm start`, as far as documents use it. */
function createClone(files: Surroundings['files']): { path: string; bin: string; remove(): void } {
  const { path, remove } = createFolder();
  const clone = join(path, 'clone');
  const bin = join(path, 'bin');
  for (const folder of [clone, bin]) mkdirSync(folder);
  writeFileSync(join(bin, 'npm'), NPM);
  chmodSync(join(bin, 'npm'), 0o755);
  for (const name of ['packages', 'docs', 'tests', 'examples', 'package.json', '.env.example', 'docker-compose.yml']) {
    symlinkSync(join(ROOT, name), join(clone, name));
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(clone, name), content);
  return { path: clone, bin, remove };
}

type Environment = Readonly<Record<string, string>>;

/** Runs the server as if started by hand in a separate terminal. */
function createTerminal(cwd: string, env: Environment, address: string) {
  let running: { readonly child: ChildProcess; readonly ended: Promise<number | null> } | null = null;
  let output = '';

  async function stop(): Promise<void> {
    if (running === null) return;
    const { child, ended } = running;
    running = null;
    child.kill('SIGINT');
    const code = await ended;
    if (code !== 0) throw new Error(`the service exited with ${code}:\n${output}`);
  }

  async function ready(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const status = await fetch(`${address}/health/ready`).then(
        (response) => response.status,
        () => null,
      );
      if (status === 200) return;
      if (running?.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`the service does not become ready:\n${output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  return {
    stop,
    isRunning: () => running !== null,
    async start(commands: string): Promise<void> {
      await stop();
      output = '';
      const script = `${EXEC}\n${commands}`;
      const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk;
        });
      }
      running = { child, ended: new Promise((resolve) => child.once('close', resolve)) };
      await ready();
    },
    async close(): Promise<void> {
      running?.child.kill('SIGKILL');
      await running?.ended;
    },
  };
}

/** Actual output of a step, next to the documented one. */
interface Followed {
  readonly line: number;
  /** Exit code of the last command. */
  readonly status: number;
  readonly printed: string;
  readonly shown: string;
}

/** A reader in a fresh clone, with one terminal for the server and one for commands. */
export interface Reader {
  /** Address of the server, once a document has started it. */
  readonly address: string;
  /** Executes the steps of a document in order. */
  follow(markdown: string): AsyncGenerator<Followed>;
  close(): Promise<void>;
}

export async function createReader({ files, env, addresses }: Surroundings): Promise<Reader> {
  build();
  const clone = createClone(files);
  const port = await freePort();
  const variables = {
    ...COMPILED,
    PATH: `${clone.bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: clone.path,
    LC_ALL: 'C.UTF-8',
    NO_PROXY: '*',
    no_proxy: '*',
    ...env,
  };
  const address = `localhost:${port}`;
  const service = { ...variables, HOST: '127.0.0.1', PORT: String(port) };
  const terminal = createTerminal(clone.path, service, `http://127.0.0.1:${port}`);
  const shell = openShell(clone.path, variables);
  const known = Object.entries({ 'localhost:9000': address, '127.0.0.1:9000': `127.0.0.1:${port}`, ...addresses });
  const typed = (text: string) => known.reduce((done, [said, real]) => done.replaceAll(said, real), text);
  const read = (text: string) => known.reduce((done, [said, real]) => done.replaceAll(real, said), text);

  async function take({ line, kind, commands, output }: Step): Promise<Followed> {
    if (kind === 'start') {
      await terminal.start(typed(commands));
      return { line, status: 0, printed: '', shown: output };
    }
    if (kind === 'stopped') await terminal.stop();
    else if (!terminal.isRunning()) await terminal.start(START);
    for (let waits = 1; ; waits++) {
      const ran = await shell.run(typed(commands));
      const printed = read(ran.output);
      const isLate = commands.startsWith('sleep ') && linesOf(printed).join() !== linesOf(output).join();
      if (!isLate || waits === MOST_WAITS) return { line, status: ran.status, printed, shown: output };
    }
  }

  return {
    address: `http://${address}`,
    async *follow(markdown) {
      for (const step of stepsOf(markdown)) yield await take(step);
    },
    async close() {
      shell.close();
      await terminal.close();
      clone.remove();
    },
  };
}
