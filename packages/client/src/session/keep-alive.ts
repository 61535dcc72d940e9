import type { Api } from '../transport/api.ts';
import { MAX_TIMER_MS } from '../transport/limits.ts';
import type { SessionKeeper } from './session.ts';

const EVERY_MS = 5 * 60_000;

interface KeepAlive {
  readonly api: Api;
  readonly keeper: SessionKeeper;
  readonly every: number | undefined;
}

/** Extends the session while the app is open but idle. Returns a function that stops it. */
export function keepAlive({ api, keeper, every = EVERY_MS }: KeepAlive): () => void {
  if (every <= 0) return () => undefined;
  const timer: number & { unref?: () => void } = setInterval(
    () => {
      // A difference below zero means that the clock has been set back since.
      if (keeper.current() === null || Math.abs(Date.now() - api.transport.lastUse()) < every) return;
      // An expired session is handled by the transport. Without a connection, the next interval tries again.
      api.get('/refresh').catch(() => undefined);
    },
    Math.min(every, MAX_TIMER_MS),
  );
  // Does not keep a Node process alive.
  timer.unref?.();
  return () => clearInterval(timer);
}
