import { isatty } from 'node:tty';

/**
 * Signals that stop the program. A supervisor, a terminal, `npm start` and the primary may each send one. SIGHUP stops it
 * only at a terminal, which sends it when it closes. A service receives it from tools that rotate logs or reload
 * configuration, and must not end with a code that supervisors take for success.
 */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

const STANDARD_INPUT = 0;

export interface StopListeners {
  /** Called for the first signal only. */
  readonly stop: (signal: StopSignal) => void;
  /** Called for the second Ctrl-C at a terminal. Absent if a stop cannot be cut short. */
  readonly giveUp?: () => void;
}

/**
 * Listens for stop signals. The same signal often arrives twice (a supervisor signals the whole process group, and `npm
 * start` forwards signals), so a repeated signal never cuts a stop short.
 */
export function onStopSignals({ stop, giveUp }: StopListeners): void {
  // Asked now, because a closed terminal no longer is one.
  const isAtTerminal = isatty(STANDARD_INPUT);
  let isStopping = false;
  let interrupts = 0;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (signal === 'SIGHUP' && !isAtTerminal) return;
      if (signal === 'SIGINT') interrupts++;
      if (!isStopping) {
        isStopping = true;
        stop(signal);
      } else if (signal === 'SIGINT' && interrupts > 1 && isAtTerminal) giveUp?.();
    });
  }
}
