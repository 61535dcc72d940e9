import type { Logger, PushDelivery } from '@baobab/core';

/** Work that goes on beside the requests. */
export interface Background {
  /** There may be something to do now. */
  wake(): void;
  /** Begins nothing new; resolves when what runs has ended. */
  stop(): Promise<void>;
}

export interface BackgroundOptions {
  /** Does what there is to do. Resolves to when there will be something (ms since 1970), or to null when it is not known. */
  readonly work: () => Promise<number | null>;
  /** What it is, for the log. */
  readonly name: string;
  readonly logger: Logger;
}

/** Nobody tells when another node dies, or that a signal got lost: so often it is looked for. Milliseconds. */
const LONGEST_WAIT_MS = 30_000;
/** What is due at once all the same waits so long: work that finds nothing it may do must not run in circles. */
const SHORTEST_WAIT_MS = 100;
const WAIT_AFTER_FAILURE_MS = 5_000;
/** Notifications under way when the service stops may take so long; others send those that take longer. Milliseconds. */
const PUSH_GRACE_MS = 8_000;

/** A wait that is not the same on every node, so that they do not look at the same moment. */
const jittered = (wait: number) => wait * (0.9 + Math.random() / 5);

/** Runs `work` now, when it is woken, and when it said that there would be something to do; one run at a time. */
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
      logger.warn({ err, work: name }, 'work in the background failed; it is tried again');
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

/** Sends notifications until it is stopped. */
export function sendPushes({ lanes, subscribe }: PushDelivery, logger: Logger): Pick<Background, 'stop'> {
  const running = new Map<string, Background>();
  for (const [os, { run }] of lanes) running.set(os, runInBackground({ name: `push to ${os}`, logger, work: run }));
  const unsubscribe = subscribe((os) => running.get(os)?.wake());
  return {
    async stop() {
      unsubscribe();
      for (const lane of lanes.values()) lane.stop();
      const limit = new Promise((resolve) => setTimeout(resolve, PUSH_GRACE_MS).unref());
      await Promise.race([limit, Promise.all(Array.from(running.values(), (lane) => lane.stop()))]);
    },
  };
}
