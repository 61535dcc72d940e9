import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_LOW } = constants.priority;
/** Index of a field after the program's name in `/proc/self/stat`, see proc(5). */
const SESSION = 3;

function sessionId(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[SESSION]);
}

/** Runs a step that the system may forbid or not support. If it fails, only the throttle slows the backup down. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {}
}

/** Lowers the scheduling priority of this process below that of other processes. */
export function yieldPriority(): void {
  if (process.platform !== 'linux') {
    attempt(() => setPriority(PRIORITY_LOW));
    return;
  }
  // Priorities are per thread. Node has already started some threads; new ones inherit theirs.
  attempt(() => {
    for (const thread of readdirSync('/proc/self/task').map(Number)) attempt(() => setPriority(thread, PRIORITY_LOW));
  });
  // Linux schedules sessions before the processes in them, see "The autogroup feature" in sched(7). Other processes,
  // such as the server, may share this session unless this process leads it, as under a timer.
  attempt(() => {
    if (sessionId() === process.pid) writeFileSync('/proc/self/autogroup', String(PRIORITY_LOW));
  });
}
