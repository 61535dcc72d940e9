import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../tests/support/ports.ts';

/** A server in a separate process. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const SERVICE = join(dirname(fileURLToPath(import.meta.resolve('@baobab/server'))), 'main.js');
const BARE = fileURLToPath(new URL('../bare/main.ts', import.meta.url));
const BARE_FILE = fileURLToPath(new URL('../bare/file.ts', import.meta.url));
const UNWATCHED = fileURLToPath(new URL('../bare/unwatched.ts', import.meta.url));
const START_LIMIT_MS = 60_000;
const POLL_MS = 5;

type Variables = Readonly<Record<string, string>>;

/** Waits until `url` answers 2xx. @throws if the server exits or does not answer in time */
export async function untilServing(url: string, child: ChildProcess, limit = START_LIMIT_MS): Promise<void> {
  const deadline = Date.now() + limit;
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`a server exited during its start with code ${child.exitCode}`);
    if (Date.now() > deadline) throw new Error(`nothing serves ${url}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/**
 * Runs a command as a server that reads its port from `PORT`. Standard output is discarded; errors are passed on.
 *
 * @param cwd working directory; default: the current one
 */
export async function startProcess(
  [command, ...args]: readonly [string, ...string[]],
  env: Variables,
  readyPath: string,
  cwd?: string,
): Promise<ServerProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(command, args, {
    env: { ...process.env, ...env, PORT: String(port) },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const killOnExit = () => child.kill('SIGKILL');
  process.on('exit', killOnExit);
  await untilServing(url + readyPath, child);
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      process.off('exit', killOnExit);
      await stopChild(child);
    },
  };
}

/** @param main entry point of another build of the server */
export const startService = (env: Variables, main = SERVICE) =>
  startProcess([process.execPath, main], { HOST: '127.0.0.1', ...env }, '/health/ready');

type Command = readonly [string, ...string[]];

/** @param wrap returns the command that runs the given one, for example in a control group */
export const startWrappedService = (env: Variables, wrap: (command: readonly string[]) => Command) =>
  startProcess(wrap([process.execPath, SERVICE]), { HOST: '127.0.0.1', ...env }, '/health/ready');

/** @param probe a path that the bare server serves */
export const startBare = (env: Variables, probe: string) => startProcess([process.execPath, BARE], env, probe);

/** Serves the file in `FILE`. */
export const startFileServer = (env: Variables) => startProcess([process.execPath, BARE_FILE], env, '/');

/** Starts the server without access log, metrics and rate limits. */
export const startUnwatched = (env: Variables) => startProcess([process.execPath, UNWATCHED], env, '/health/ready');
