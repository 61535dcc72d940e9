import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What `/proc` counts in: `getconf CLK_TCK`, which is 100 wherever Node runs. */
const TICKS_PER_SECOND = 100;
/** Fields behind the name in `/proc/<pid>/stat`, see proc(5): ppid, then utime, stime, and those of ended children. */
const PARENT = 1;
const TIMES = 11;
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // it has ended meanwhile
  }
}

/**
 * Ticks that programs have used, but for this one and all that it has started. (Those of /proc/stat are samples, and count
 * too often what wakes up by timers.)
 */
function foreignTicks(): number {
  const processes = readdirSync('/proc').flatMap((name) => {
    const text = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : null;
    if (text === null) return [];
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(TIMES, TIMES + 4).reduce((sum, n) => sum + n, 0);
    return [{ id: Number(name), parent: fields[PARENT], ticks }];
  });
  const own = new Set([process.pid]);
  for (let size = 0; size < own.size; ) {
    size = own.size;
    for (const { id, parent } of processes) if (own.has(parent ?? 0)) own.add(id);
  }
  return processes.reduce((sum, { id, ticks }) => sum + (own.has(id) ? 0 : ticks), 0);
}

/** Field of the line of all processors in `/proc/stat`, see proc(5): ticks that the host of a virtual machine gave to others. */
const STEAL = 8;
const stolenTicks = () => Number(read('/proc/stat')?.split('\n', 1)[0]?.split(/ +/)[STEAL] ?? 0);

/**
 * Watches what programs that have nothing to do with the measurement take of the processors, and other machines on the same
 * host. The function gives their use since it was called last, in cores; 0 where the system does not tell.
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
