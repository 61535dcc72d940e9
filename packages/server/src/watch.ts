import { type ChildProcess, spawn } from 'node:child_process';
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import type { Environment } from './config.ts';
import { onStopSignals } from './stop-signals.ts';

const FLAG = '--watch';
/** Environment variable of the watched process: id of the one that watches it. */
const WATCHER = 'WATCHED_BY';
const SOURCE = /\.(?:[cm]?[jt]s|json)$/;
/** Editors write a file in several steps. Milliseconds without a change after which they are complete. */
const QUIET_MS = 150;

/** Returns true if the command line asks for a restart at each change of an extension. */
export const isWatching = (): boolean => process.argv.includes(FLAG);

/** Returns a function that reports folders with modules of extensions; null if nothing watches this process. */
export function folderReport(env: Environment): ((folder: string) => void) | null {
  if (env[WATCHER] !== String(process.ppid)) return null;
  return (folder) => void process.send?.({ folder });
}

const say = (text: string) => process.stderr.write(`baobab: ${text}\n`);

/**
 * Runs this program, as one process, and restarts it when a file changes in a folder from which it has loaded modules of
 * extensions. Node's own watch mode does not notice a file that an editor replaces.
 */
export function serveAndWatch(env: Environment): void {
  const watched = new Map<string, FSWatcher>();
  let child: ChildProcess | null = null;
  let hasChanged = false;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;

  function restart(): void {
    if (isStopping) return;
    if (child === null) {
      start();
      return;
    }
    hasChanged = true;
    child.kill('SIGTERM');
  }

  function follow(folder: string): void {
    if (watched.has(folder)) return;
    const watcher = watchFolder(folder, (_event, file) => {
      if (file === null || !SOURCE.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(restart, QUIET_MS);
    });
    watcher.on('error', () => {
      watcher.close();
      watched.delete(folder);
    });
    watched.set(folder, watcher);
  }

  function ended(code: number | null): void {
    child = null;
    if (isStopping) process.exit(code ?? 1);
    if (hasChanged) start();
    else say('the server has ended; it starts again when a file of an extension changes');
  }

  function start(): void {
    hasChanged = false;
    const args = [...process.execArgv, ...process.argv.slice(1).filter((argument) => argument !== FLAG)];
    child = spawn(process.execPath, args, {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...env, WORKERS: '1', [WATCHER]: String(process.pid) },
    });
    child.on('message', ({ folder }: { readonly folder: string }) => follow(folder));
    child.on('exit', ended);
  }

  start();
  onStopSignals({
    stop(signal) {
      isStopping = true;
      if (child === null) process.exit(0);
      child.kill(signal);
    },
    giveUp: () => void child?.kill('SIGKILL'),
  });
}
