import { isatty } from 'node:tty';

/** Signals that ask the program to stop. A supervisor, a terminal, `npm start` and the primary may each send one. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

const STANDARD_INPUT = 0;

export interface StopListeners {
  /** Called for the first signal only. */
  readonly stop: (signal: StopSignal) => void;
  /** Called when somebody at a terminal presses Ctrl-C a second time. Absent: nobody can cut a stop short. */
  readonly giveUp?: () => void;
  /** Whether a person at a terminal may have sent SIGINT; looks at the standard input when absent. */
  readonly isTerminal?: () => boolean;
}

/**
 * Listens for signals to stop. The same signal often arrives twice (a supervisor tells the process group, and `npm start`
 * forwards what it gets), so a repeated one changes nothing: a stop that runs is never cut short by it.
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
