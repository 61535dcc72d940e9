import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Unit of `/proc`: `getconf CLK_TCK`, which is 100 wherever Node runs. */
const TICKS_PER_SECOND = 100;
/**
 * Indexes of fields after the name in `/proc/<pid>/stat`, see proc(5): ppid, then utime, stime, and those of ended
 * children.
 */
const PARENT = 1;
const TIMES = 11;
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // the process has ended meanwhile
  }
}

interface Used {
  readonly id: number;
  readonly parent: number | undefined;
  /** Includes ended children. */
  readonly ticks: number;
}

const processTable = (): Used[] =>
  readdirSync('/proc').flatMap((name) => {
    const text = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : null;
    if (text === null) return [];
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(TIMES, TIMES + 4).reduce((sum, n) => sum + n, 0);
    return [{ id: Number(name), parent: fields[PARENT], ticks }];
  });

/** Returns these processes and all their descendants. */
function withDescendants(processes: readonly Used[], pids: readonly number[]): Set<number> {
  const family = new Set(pids);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { id, parent } of processes) if (family.has(parent ?? 0)) family.add(id);
  }
  return family;
}

/**
 * Returns the processor seconds used by these processes and their descendants; null if the system does not report it.
 */
export function processorSeconds(pids: readonly number[]): number | null {
  if (!existsSync('/proc/self/stat')) return null;
  const processes = processTable();
  const family = withDescendants(processes, pids);
  const ticks = processes.reduce((sum, process) => sum + (family.has(process.id) ? process.ticks : 0), 0);
  return ticks / TICKS_PER_SECOND;
}

/**
 * Returns the ticks used by all programs except this one and its descendants. (The ticks of /proc/stat are sampled and
 * overcount programs that are woken by timers.)
 */
function foreignTicks(): number {
  const processes = processTable();
  const own = withDescendants(processes, [process.pid]);
  return processes.reduce((sum, { id, ticks }) => sum + (own.has(id) ? 0 : ticks), 0);
}

/**
 * Index of a field in the total line of `/proc/stat`, see proc(5): ticks that the host of a virtual machine gave to
 * other machines.
 */
const STEAL = 8;
const stolenTicks = () => Number(read('/proc/stat')?.split('\n', 1)[0]?.split(/ +/)[STEAL] ?? 0);

/**
 * Measures the processor use of unrelated programs, and of other machines on the same host. The returned function
 * returns their use since its last call, in cores; 0 if the system does not report it.
 */
export function watchOthers(): () => number {
  const ticks = () => (existsSync('/proc/self/stat') ? foreignTicks() + stolenTicks() : 0);
  const now = () => ({ at: performance.now(), ticks: ticks() });
  let last = now();
  return () => {
    const next = now();
    const cores = (next.ticks - last.ticks) / TICKS_PER_SECOND / ((next.at - last.at) / 1_000);
    last = next;
    return Math.max(0, cores);
  };
}
