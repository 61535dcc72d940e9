import { BaobabError } from '../errors.ts';

/** Maximum time of a timer, in milliseconds. A longer one would fire immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const aborted = (signal: AbortSignal) =>
  new BaobabError('client.aborted', 'The call was aborted', { cause: signal.reason });

export interface Limits {
  /** Aborted by the caller or after the timeout. */
  readonly signal: AbortSignal;
  /** Returns the error to report for a rejection. */
  failureOf(error: unknown): BaobabError;
  /** Keeps the caller's signal active after the end. */
  keepSignal(): void;
  /** Must be called when the attempt has ended. */
  end(): void;
}

/**
 * Creates the limits of one attempt. `AbortSignal.any` and `AbortSignal.timeout` are missing in Node 18 or React
 * Native.
 */
export function limitsOf(caller: AbortSignal | undefined, timeout: number): Limits {
  const controller = new AbortController();
  let isOver = false;
  let isKept = false;
  const stop = () => controller.abort(caller?.reason);
  const timer =
    timeout > 0
      ? setTimeout(
          () => {
            isOver = true;
            controller.abort();
          },
          Math.min(timeout, MAX_TIMER_MS),
        )
      : undefined;
  if (caller?.aborted === true) stop();
  caller?.addEventListener('abort', stop);
  return {
    signal: controller.signal,
    failureOf(error) {
      if (caller?.aborted === true) return aborted(caller);
      if (isOver) return new BaobabError('client.timeout', `No answer within ${timeout} ms`, { cause: error });
      return new BaobabError('client.network', 'The connection to the service failed', { cause: error });
    },
    keepSignal() {
      isKept = true;
    },
    end() {
      clearTimeout(timer);
      if (!isKept) caller?.removeEventListener('abort', stop);
    },
  };
}

/** Settles like the task. @throws `client.aborted` if the signal fires first */
export function abortable<T>(task: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return task;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(aborted(signal));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    task.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** @throws `client.aborted` */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(milliseconds, MAX_TIMER_MS));
  });
  return abortable(slept, signal).finally(() => clearTimeout(timer));
}
