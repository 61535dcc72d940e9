import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time after which the event loop serves other requests, in milliseconds. */
const TURN_MS = 10;

/**
 * Creates a function to be called between parts of a long request. Once a turn of the event loop has taken long enough,
 * it resolves in the next one. With an embedded database, the parts would otherwise all run in one turn.
 */
export function createPauses(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < TURN_MS) return;
    await nextTurn();
    begun = performance.now();
  };
}
