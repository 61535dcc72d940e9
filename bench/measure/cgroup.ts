import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group with a limit of memory, which the kernel enforces by killing a process. */
export interface MemoryGroup {
  /** Returns a command that runs another one in the group. */
  command(command: readonly string[]): readonly [string, ...string[]];
  /** Memory of the processes in the group without cached files, in bytes. */
  used(): number;
  /** Number of processes that the kernel has killed. */
  kills(): number;
  /** Removes the group, whose processes must have ended. */
  remove(): void;
}

/** Names of the files of a version of control groups. */
interface Version {
  readonly root: string;
  readonly limit: string;
  /** Limit that includes swap; absent if swap has its own. */
  readonly swap: readonly [file: string, value: (bytes: number) => string];
  /** Line of `memory.stat`. */
  readonly used: string;
  readonly events: string;
}

const VERSIONS: readonly Version[] = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    swap: ['memory.memsw.limit_in_bytes', String],
    used: 'total_rss',
    events: 'memory.oom_control',
  },
  {
    root: '/sys/fs/cgroup',
    limit: 'memory.max',
    swap: ['memory.swap.max', () => '0'],
    used: 'anon',
    events: 'memory.events',
  },
];

function field(file: string, name: string): number {
  const [, value = '0'] = new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(file, 'utf8')) ?? [];
  return Number(value);
}

/** @throws if this user may not create control groups with a limit of memory */
export function createMemoryGroup(bytes: number): MemoryGroup {
  for (const { root, limit, swap, used, events } of VERSIONS) {
    const folder = join(root, `baobab-bench-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    if (!existsSync(join(folder, limit))) {
      rmdirSync(folder);
      continue;
    }
    writeFileSync(join(folder, limit), String(bytes));
    const [swapFile, swapValue] = swap;
    if (existsSync(join(folder, swapFile))) writeFileSync(join(folder, swapFile), swapValue(bytes));
    return {
      command: (command) => ['sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh', ...command],
      used: () => field(join(folder, 'memory.stat'), used),
      kills: () => field(join(folder, events), 'oom_kill'),
      remove: () => rmdirSync(folder),
    };
  }
  throw new Error(
    'this benchmark needs the right to create control groups with a limit of memory, for example as root',
  );
}
