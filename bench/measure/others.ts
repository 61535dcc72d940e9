import { readdirSync, readFileSync } from 'node:fs';

/** What `/proc` counts in: `getconf CLK_TCK`, which is 100 wherever Node runs. */
const TICKS_PER_SECOND = 100;
/** Fields behind the name in `/proc/<pid>/stat`, see proc(5): ppid, then utime, stime, and those of ended children. */
const PARENT = 1;
const TIMES = 11;
/** Of `/proc/stat`: user, nice, system, (idle, iowait,) irq, softirq, steal. */
const BUSY = [0, 1, 2, 5, 6, 7];

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // the process has ended meanwhile, or this is no Linux
  }
}

/** Ticks that this process and all that it has started have used. */
function ownTicks(): number {
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
  return processes.reduce((sum, { id, ticks }) => sum + (own.has(id) ? ticks : 0), 0);
}

/**
 * Watches what programs that have nothing to do with the measurement take of the processors. The function gives their use
 * since it was called last, in cores; 0 where the system does not tell.
 */
export function watchOthers(): () => number {
  const now = () => {
    const line = read('/proc/stat')?.split('\n', 1)[0];
    if (line === undefined) return { at: performance.now(), ticks: 0 };
    const fields = line.split(/\s+/).slice(1).map(Number);
    const busy = BUSY.reduce((sum, i) => sum + (fields[i] ?? 0), 0);
    return { at: performance.now(), ticks: busy - ownTicks() };
  };
  let last = now();
  return () => {
    const next = now();
    const cores = (next.ticks - last.ticks) / TICKS_PER_SECOND / ((next.at - last.at) / 1_000);
    last = next;
    return Math.max(0, cores);
  };
}
