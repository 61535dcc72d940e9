import { isatty } from 'node:tty';

/** Signals that stop the program. A supervisor, a terminal, `npm start` and the primary may each send one. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

const STANDARD_INPUT = 0;

export interface StopListeners {
  /** Called for the first signal only. */
  readonly stop: (signal: StopSignal) => void;
  /** Called for the second Ctrl-C at a terminal. Absent if a stop cannot be cut short. */
  readonly giveUp?: () => void;
  /** Returns true if SIGINT may come from a person at a terminal. Default: standard input is a terminal. */
  readonly isTerminal?: () => boolean;
}

/**
 * Listens for stop signals. The same signal often arrives twice (a supervisor signals the whole process group, and `npm
 * start` forwards signals), so a repeated signal never cuts a stop short.
 */
export function onStopSignals({ stop, giveUp, isTerminal = () => isatty(STANDARD_INPUT) }: StopListeners): void {
  let isStopping = false;
  let interrupts = 0;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (signal === 'SIGINT') interrupts++;
      if (!isStopping) {
        isStopping = true;
        stop(signal);
      } else if (signal === 'SIGINT' && interrupts > 1 && isTerminal()) giveUp?.();
    });
  }
}
