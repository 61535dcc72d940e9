import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_LOW } = constants.priority;
/** Fields behind the name of the program in `/proc/self/stat`, see proc(5). */
const SESSION = 3;

function sessionId(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[SESSION]);
}

/** The system may forbid a step, or have no such thing: then the rests have to do. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {}
}

/** Lets other processes go first, as far as the system weighs one by one. */
export function yieldPriority(): void {
  if (process.platform !== 'linux') {
    attempt(() => setPriority(PRIORITY_LOW));
    return;
  }
  // A priority belongs to a thread. Node has begun some already; those that come take theirs over.
  attempt(() => {
    for (const thread of readdirSync('/proc/self/task').map(Number)) attempt(() => setPriority(thread, PRIORITY_LOW));
  });
  // Sessions are weighed before those in them, see "The autogroup feature" in sched(7). Of this one others may be part,
  // the service too, unless it is this process's own, as a timer's is.
  attempt(() => {
    if (sessionId() === process.pid) writeFileSync('/proc/self/autogroup', String(PRIORITY_LOW));
  });
}
