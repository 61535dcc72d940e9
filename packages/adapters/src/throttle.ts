/**
 * Calls a function immediately, but at most once per interval. Further calls during the interval cause one more at its
 * end.
 */
export interface Throttle {
  call(): void;
  /** Drops the waiting call. */
  stop(): void;
}

export function createThrottle(work: () => void, interval: number): Throttle {
  let timer: NodeJS.Timeout | null = null;
  let isWaiting = false;

  function run(): void {
    isWaiting = false;
    timer = setTimeout(() => {
      timer = null;
      if (isWaiting) run();
    }, interval);
    timer.unref();
    work();
  }

  return {
    call() {
      if (timer === null) run();
      else isWaiting = true;
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      isWaiting = false;
    },
  };
}
