/** Interval of the checks while the page is visible, in milliseconds. */
const EVERY_MS = 1_500;
/** A server that takes longer counts as unreachable, in milliseconds. */
const ANSWER_MS = 5_000;

/** Availability of the server. */
export interface Reachability {
  isReachable(): boolean;
  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Checks now instead of at the next interval. */
  check(): void;
}

/**
 * @param url address of the server
 * @param send the browser's `fetch`: the client's calls have a session, repeat themselves and wait
 */
export function createReachability(url: string, send: typeof fetch): Reachability {
  const listeners = new Set<() => void>();
  const probe = new URL('health/live', url).href;
  let isReachable = true;
  let isChecking = false;

  function set(found: boolean): void {
    if (found === isReachable) return;
    isReachable = found;
    for (const listener of [...listeners]) listener();
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      const { ok } = await send(probe, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) });
      set(ok);
    } catch {
      set(false);
    } finally {
      isChecking = false;
    }
  }

  let timer: ReturnType<typeof setInterval> | undefined;

  /** Checks regularly while something on the page shows the result. */
  function listen(): void {
    clearInterval(timer);
    if (listeners.size === 0) return;
    timer = setInterval(() => {
      if (document.visibilityState === 'visible') void check();
    }, EVERY_MS);
  }

  return {
    isReachable: () => isReachable,
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) listen();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) listen();
      };
    },
    check: () => void check(),
  };
}
