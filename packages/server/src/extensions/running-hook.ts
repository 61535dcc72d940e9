import { AsyncLocalStorage } from 'node:async_hooks';

interface RunningHook {
  /** End of its timeout, as of `performance.now()`, in milliseconds. */
  readonly deadline: number;
  /** Number of hooks that wait for it, because their writes have started it, and itself. */
  readonly depth: number;
}

/** The hook that the current code belongs to. */
export const runningHook = new AsyncLocalStorage<RunningHook>();
