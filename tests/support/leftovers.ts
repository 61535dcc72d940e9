import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastPlace } from './fast-place.ts';

/** Folder inside the project, so that packages are found, where neither linters nor git look. */
export const INSIDE = join(import.meta.dirname, '../.cache');

/** Environment variable with the process id of the run. All programs and folders of the run carry it. */
const RUN = 'TEST_RUN';
const NAMED = /^baobab-(?:test|postgres)-(\d+)-/;

/** Marks this process, and the programs that inherit its environment, as part of a run. */
export function markRun(): void {
  process.env[RUN] ??= String(process.pid);
  mkdirSync(INSIDE, { recursive: true });
}

/** Environment of programs that do not inherit that of the run. */
export const ofRun = (): Record<string, string> => ({ [RUN]: process.env[RUN] ?? String(process.pid) });

/** Beginning of the name of a folder of this run. */
export const folderName = (kind: 'postgres' | 'test'): string => `baobab-${kind}-${ofRun()[RUN]}-`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the run of each process, by its id. Only on Linux. */
function processes(): Array<readonly [pid: number, run: number]> {
  const list = (path: string) => {
    try {
      return readdirSync(path);
    } catch {
      return [];
    }
  };
  return list('/proc').flatMap((name) => {
    try {
      const [, run] = new RegExp(`(?:^|\0)${RUN}=(\\d+)`).exec(readFileSync(`/proc/${name}/environ`, 'utf8')) ?? [];
      return run === undefined ? [] : [[Number(name), Number(run)] as const];
    } catch {
      return []; // not a process, of another user, or ended
    }
  });
}

/** False for the folders of other users, who share the places. On Windows, nobody owns a folder. */
const isOwn = (path: string) =>
  process.getuid === undefined || statSync(path, { throwIfNoEntry: false })?.uid === process.getuid();

/** Kills the programs of runs, except the run itself, and removes their folders. */
function removeWhere(isUnwanted: (run: number) => boolean): void {
  for (const [pid, run] of processes()) {
    if (isUnwanted(run) && pid !== run && pid !== process.pid) process.kill(pid, 'SIGKILL');
  }
  for (const place of new Set([tmpdir(), fastPlace(), INSIDE])) {
    for (const name of readdirSync(place)) {
      const [, run] = NAMED.exec(name) ?? [];
      if (run === undefined || !isUnwanted(Number(run)) || !isOwn(join(place, name))) continue;
      rmSync(join(place, name), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** Removes what runs left that ended early, for example killed ones. */
export const removeLeftovers = (): void => removeWhere((run) => !isRunning(run));

/** Removes what this run leaves if a signal ends it. */
export function removeOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      removeWhere((run) => run === process.pid);
      process.exit(1);
    });
  }
}
