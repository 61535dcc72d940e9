import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ofRun } from './leftovers.ts';
import { PATIENCE_MS } from './patience.ts';

const ROOT = join(import.meta.dirname, '../..');
export const PROGRAM = join(ROOT, 'packages/server/dist/main.js');
export const COMMAND = join(ROOT, 'packages/server/dist/cli.js');
/** Environment of every program. With cached compiled code, a start takes two thirds of the time. */
export const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, '.cache/compiled'), ...ofRun() };

/** Lets programs hash passwords cheaply, like backends in the tests' own process. */
export const CHEAP_PASSWORDS = join(import.meta.dirname, 'cheap-passwords.cjs');

let built = false;

/** Updates the build; fast if it is current. */
export function build(): void {
  if (built) return;
  const runner = join(ROOT, 'scripts/run.mjs');
  const { status, stderr } = spawnSync(process.execPath, [runner, 'build-changed'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the program cannot be built:\n${stderr}`);
  built = true;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The real program in a separate process. */
export interface Program {
  /** Resolves to the address when the program reports that it is ready. */
  ready(): Promise<string>;
  /** Resolves to the first output line, on either stream, that contains `text`. */
  line(text: string): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Signals the process group, like a supervisor or a shell. Only for a program started with `detached`. */
  killGroup(signal: NodeJS.Signals): void;
  readonly pid: number;
  /** Returns the ids of its child processes. */
  children(): number[];
  readonly exit: Promise<Exit>;
  /** Closes the reading end of its standard output, like `head`. */
  stopReading(): void;
  readonly output: () => string;
  readonly errors: () => string;
  /** Kills it in any state. */
  dispose(): Promise<void>;
}

export interface ProgramOptions {
  /** Script to run and its arguments; default: the program itself. */
  readonly command?: readonly string[];
  /** True to make it the leader of a new process group. */
  readonly detached?: boolean;
  /** Working folder; default: that of this process. */
  readonly cwd?: string;
  /** User that runs it; default: that of this process. */
  readonly uid?: number;
  /** Group that runs it; default: that of this process. */
  readonly gid?: number;
  /** Open file for its standard output; default: a pipe that is read here. */
  readonly stdout?: number;
}

/** Returns the arguments of Node for a command. */
export const argumentsOf = (command: readonly string[]): readonly string[] =>
  command[0] === PROGRAM ? ['--require', CHEAP_PASSWORDS, ...command] : command;

/** True if other users can enter the folder of this checkout. */
function isOpenToOthers(): boolean {
  for (let folder = ROOT; folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
}

/** Returns a command that runs another as a user who may read everything, so that the program can be executed. */
const readingAs = (uid: number, gid = process.getgid?.()): readonly string[] => [
  ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
  ...['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'],
];

/** Starts the program with only `env` in its environment, on a free port. */
export function startProgram(
  env: Readonly<Record<string, string>>,
  { command = [PROGRAM], detached = false, cwd, uid, gid, stdout }: ProgramOptions = {},
): Program {
  build();
  const runner = uid === undefined || isOpenToOthers() ? null : readingAs(uid, gid);
  const [file = '', ...args] = [...(runner ?? []), process.execPath, ...argumentsOf(command)];
  const child: ChildProcess = spawn(file, args, {
    env: { ...COMPILED, HOST: '127.0.0.1', PORT: '0', ...env },
    detached,
    ...(cwd !== undefined && { cwd }),
    ...(runner === null && uid !== undefined && { uid }),
    ...(runner === null && gid !== undefined && { gid }),
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  });
  const killGroup = (signal: NodeJS.Signals) => {
    if (detached && child.pid !== undefined) process.kill(-child.pid, signal);
  };
  let output = '';
  let errors = '';
  let ended = false;
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    look();
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
    look();
  });
  const exit = new Promise<Exit>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      ended = true;
      resolve({ code, signal });
      look();
    };
    // `close` comes after the last output, and never if the program cannot be executed.
    child.once('close', end);
    child.once('error', (error) => {
      errors += error.message;
      if (child.pid === undefined) end(null, null);
    });
  });

  function line(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(limit);
        watchers.delete(watch);
        settle();
      };
      const fail = (why: string) => finish(() => reject(new Error(`${why} before "${text}":\n${output}\n${errors}`)));
      const limit = setTimeout(() => fail(`${PATIENCE_MS} ms passed`), PATIENCE_MS);
      const watch = () => {
        const found = `${output}\n${errors}`.split('\n').find((one) => one.includes(text));
        if (found !== undefined) finish(() => resolve(found));
        else if (ended) fail('the program ended');
      };
      watchers.add(watch);
      watch();
    });
  }

  return {
    ready: async () => JSON.parse(await line('"msg":"ready"')).address,
    line,
    kill: (signal) => child.kill(signal),
    killGroup,
    pid: child.pid ?? 0,
    children: () =>
      spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
        .stdout.split('\n')
        .map((row) => row.trim().split(/\s+/).map(Number))
        .flatMap(([pid = 0, parent]) => (parent === child.pid ? [pid] : [])),
    exit,
    stopReading: () => void child.stdout?.destroy(),
    output: () => output,
    errors: () => errors,
    async dispose() {
      if (ended) return;
      if (detached) killGroup('SIGKILL');
      else child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Result of a command. */
export interface Ended extends Exit {
  readonly output: string;
  readonly errors: string;
}

/**
 * Starts a command of the command line with only `env` in its environment. @param detached true for a separate session
 */
export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
  { detached = false, cwd = process.cwd() } = {},
) {
  build();
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...COMPILED, ...env },
    detached,
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  // A command may end before it has read its input.
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('close', (code, signal) => resolve({ code, signal, output, errors }));
    child.once('error', reject);
  });
  return { ended, pid: child.pid ?? 0, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

/**
 * Runs a command of the command line in a terminal, by util-linux's `script`. Types after `prompt` appears. Resolves to
 * the exit code and the entire screen output.
 */
export async function typeCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { prompt, keys }: { prompt: string; keys: string },
): Promise<{ code: number | null; screen: string }> {
  build();
  const command = [process.execPath, COMMAND, ...args].map((part) => `'${part}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...COMPILED, ...env, PATH: process.env.PATH ?? '', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  let isAsked = false;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    if (isAsked || !screen.includes(prompt)) return;
    isAsked = true;
    child.stdin.write(keys);
  });
  const [code] = await once(child, 'close');
  return { code, screen };
}
