import type { Logger, MailDelivery, PushDelivery, Schedules, WebhookDeliveries } from '@baobab/core';
import { within } from '@baobab/http';

/** Background work. */
export interface Background {
  /** Runs the work now, because some may be due. */
  wake(): void;
  /** Prevents further runs. Resolves when the current run has ended. */
  stop(): Promise<void>;
}

export interface BackgroundOptions {
  /** Does the due work. Resolves to the time at which more is due (milliseconds since 1970), or to null if unknown. */
  readonly work: () => Promise<number | null>;
  /** Name of the work in the log. */
  readonly name: string;
  readonly logger: Logger;
}

/**
 * Maximum wait before the next run, in milliseconds. It covers lost signals and failures of other nodes, which are not
 * reported.
 */
const LONGEST_WAIT_MS = 30_000;
/** Minimum wait, even if work is due now, so that runs without permitted work do not spin. Milliseconds. */
const SHORTEST_WAIT_MS = 100;
const WAIT_AFTER_FAILURE_MS = 5_000;
/** Maximum time that a stop waits for messages being sent, in milliseconds. Other nodes send the rest. */
const SENDING_GRACE_MS = 8_000;

/** Waits for the end of messages being sent, but not for longer than the grace period. */
const inGrace = (ending: Promise<unknown>) => within<unknown>(SENDING_GRACE_MS, ending, () => undefined);

/** Adds jitter to a wait, so that nodes do not run at the same moment. */
const jittered = (wait: number) => wait * (0.9 + Math.random() / 5);

/** Runs `work` now, whenever it is woken, and at the time that its last run returned. Runs never overlap. */
export function runInBackground({ work, name, logger }: BackgroundOptions): Background {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let woken = false;
  let stopped = false;

  async function waitAfterWork(): Promise<number> {
    try {
      const due = await work();
      const wait = due === null ? LONGEST_WAIT_MS : due - Date.now();
      return jittered(Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, wait)));
    } catch (err) {
      logger.warn({ err, work: name }, 'background work failed, retrying');
      return WAIT_AFTER_FAILURE_MS;
    }
  }

  async function run(): Promise<void> {
    clearTimeout(timer);
    let wait = 0;
    do {
      woken = false;
      wait = await waitAfterWork();
    } while (woken && !stopped);
    running = null;
    if (stopped) return;
    timer = setTimeout(begin, wait);
    timer.unref();
  }

  function begin(): void {
    running ??= run();
  }

  begin();
  return {
    wake() {
      woken = true;
      if (!stopped) begin();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Sends notifications until stopped. */
export function sendPushes({ lanes, subscribe }: PushDelivery, logger: Logger): Pick<Background, 'stop'> {
  const running = new Map<string, Background>();
  for (const [os, { run }] of lanes) running.set(os, runInBackground({ name: `push to ${os}`, logger, work: run }));
  const unsubscribe = subscribe((os) => running.get(os)?.wake());
  return {
    async stop() {
      unsubscribe();
      for (const lane of lanes.values()) lane.stop();
      await inGrace(Promise.all(Array.from(running.values(), (lane) => lane.stop())));
    },
  };
}

/** Sends mails until stopped. */
export function sendMails({ run, subscribe, stop }: MailDelivery, logger: Logger): Pick<Background, 'stop'> {
  const background = runInBackground({ name: 'mails', logger, work: run });
  const unsubscribe = subscribe(() => background.wake());
  return {
    async stop() {
      unsubscribe();
      stop();
      await inGrace(background.stop());
    },
  };
}

/** Time during which signals are combined into one wake-up of the webhooks, in milliseconds. */
const GATHERED_MS = 50;

/** Sends webhooks until stopped. */
export function sendWebhooks({ run, subscribe, stop }: WebhookDeliveries, logger: Logger): Pick<Background, 'stop'> {
  const background = runInBackground({ name: 'webhooks', logger, work: run });
  let waking: NodeJS.Timeout | undefined;
  const unsubscribe = subscribe(() => {
    waking ??= setTimeout(() => {
      waking = undefined;
      background.wake();
    }, GATHERED_MS).unref();
  });
  return {
    async stop() {
      unsubscribe();
      clearTimeout(waking);
      await background.stop();
      const stopping = stop().catch((err: unknown) => logger.warn({ err }, 'webhook leases could not be released'));
      await inGrace(stopping);
    },
  };
}

/** Runs the jobs of extensions until stopped. */
export function runSchedules({ run, stop }: Schedules, logger: Logger): Pick<Background, 'stop'> {
  const background = runInBackground({ name: 'jobs of extensions', logger, work: run });
  return {
    async stop() {
      await inGrace(Promise.all([background.stop(), stop()]));
    },
  };
}
