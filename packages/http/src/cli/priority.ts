import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** Lets other processes go first, as far as the system weighs one by one: groups of them have shares of their own. */
export function yieldPriority(): void {
  // On Linux a priority belongs to a thread. Node has begun some already; those that come take theirs over.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
  for (const thread of threads) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended meanwhile, or the system forbids it: then the rests have to do.
    }
  }
}
