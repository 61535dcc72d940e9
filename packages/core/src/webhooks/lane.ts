import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Webhook, WebhookDelivery, WebhookSettlement } from '../ports/storage/webhooks.ts';
import type { WebhookAnswer } from '../ports/webhooks.ts';
import type { Attempts } from './attempts.ts';
import type { WebhookReader } from './reader.ts';

/** Attempts in progress at once, of one webhook. */
const CONCURRENCY = 8;
/** When a lane that failed (the storage is unavailable) runs again. Milliseconds. */
const AFTER_FAILURE_MS = 5_000;

export interface LaneDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly reader: WebhookReader;
  readonly attempts: Attempts;
  /** Unique to this process. */
  readonly holder: string;
  /** Called for each attempt that was made. */
  readonly onAttempt: (answer: WebhookAnswer) => void;
  /** Called when a run has ended. */
  readonly onIdle: () => void;
}

/** Sends for one webhook. A slow receiver delays no other webhook. */
export interface WebhookLane {
  /** Gives the lane its webhook as it is now, and the end of its lease; null takes both away. */
  hold(webhook: Webhook | null, until: number): void;
  /** Reports that the feed may hold changes. */
  wake(): void;
  /** Begins a run if none is in progress and there may be something to do. */
  start(): void;
  /** When to start it next, if nothing wakes it; null when it is running or has nothing to wait for. */
  readonly due: number | null;
  readonly isIdle: boolean;
  /** Resolves when no run is in progress. */
  idle(): Promise<void>;
}

export function createWebhookLane(deps: LaneDeps): WebhookLane {
  const { storage, clock, logger, reader, attempts, holder } = deps;
  let webhook: Webhook | null = null;
  let heldUntil = 0;
  /** Ids of deliveries whose outcome is not recorded yet. */
  const inProgress = new Set<string>();
  let mayHaveChanges = true;
  /** Whether something has happened since the last look. */
  let hasNews = false;
  let notify: () => void = () => undefined;
  let unsettled: WebhookSettlement[] = [];
  let settling: Promise<void> | null = null;
  let running: Promise<void> | null = null;
  let due: number | null = 0;

  function changed(): void {
    hasNews = true;
    notify();
  }

  const held = () => (webhook !== null && clock.now() < heldUntil ? webhook : null);

  function lose(): void {
    webhook = null;
    reader.forget();
  }

  /** One transaction at a time, with all outcomes since the last one. */
  async function settleAll(id: string): Promise<void> {
    while (unsettled.length > 0) {
      const batch = unsettled;
      unsettled = [];
      try {
        if (!(await storage.webhooks.settle({ id, holder }, batch))) lose();
      } catch (err) {
        // They are still due: some are sent twice, none is lost.
        logger.warn({ err, webhook: id, count: batch.length }, 'outcomes of webhook deliveries not recorded');
      }
    }
    settling = null;
  }

  function settle(id: string, settlement: WebhookSettlement): Promise<void> {
    unsettled.push(settlement);
    settling ??= settleAll(id);
    return settling;
  }

  async function attempt(of: Webhook, delivery: WebhookDelivery): Promise<void> {
    const { settlement, answer } = await attempts.attempt(of, delivery);
    if (answer !== null) deps.onAttempt(answer);
    if (attempts.isFinal(answer)) {
      await storage.webhooks.disable({ id: of.id, holder });
      logger.warn({ webhook: of.id }, 'webhook switched off, because its receiver answered 410');
      webhook = null;
    }
    await settle(of.id, settlement);
  }

  function begin(of: Webhook, delivery: WebhookDelivery): void {
    inProgress.add(delivery.id);
    attempt(of, delivery)
      .catch((err: unknown) => logger.warn({ err, webhook: of.id }, 'webhook delivery not attempted, retrying'))
      .finally(() => {
        inProgress.delete(delivery.id);
        changed();
      });
  }

  const nextEvent = () =>
    new Promise<void>((resolve) => {
      notify = resolve;
    });

  /** Stores what the feed holds for the webhook. Resolves to whether there is more to read now. */
  async function read(of: Webhook): Promise<boolean> {
    if (!mayHaveChanges) return false;
    mayHaveChanges = false;
    const outcome = await reader.read(of);
    if (outcome === 'lost') lose();
    mayHaveChanges ||= outcome === 'more' || outcome === 'full';
    return outcome === 'more';
  }

  async function beginDue(of: Webhook): Promise<void> {
    const room = CONCURRENCY - inProgress.size;
    if (room <= 0) return;
    // Those in progress are due too, and due longest. Some may be settled while the others are looked up.
    const known = new Set(inProgress);
    const found = await storage.webhooks.due(of.id, clock.now(), CONCURRENCY + known.size);
    const next = found.filter(({ id }) => !known.has(id)).slice(0, room);
    for (const delivery of next) {
      const current = held();
      if (current !== null) begin(current, delivery);
    }
  }

  async function finish(): Promise<void> {
    while (inProgress.size > 0) await nextEvent();
  }

  /** Resolves to whether there may be more to do now. */
  async function step(of: Webhook): Promise<boolean> {
    hasNews = false;
    if (await read(of)) hasNews = true;
    await beginDue(of);
    const mustWait = inProgress.size === CONCURRENCY || (inProgress.size > 0 && !hasNews);
    if (mustWait) await nextEvent();
    return mustWait || hasNews;
  }

  async function run(): Promise<void> {
    try {
      for (let of = held(); of !== null; of = held()) if (!(await step(of))) break;
    } finally {
      await finish();
    }
    const of = held();
    due = of === null ? null : await storage.webhooks.nextDue(of.id);
  }

  function start(): void {
    if (running !== null || held() === null) return;
    if (!hasNews && (due === null || due > clock.now())) return;
    due = null;
    running = run()
      .catch((err: unknown) => {
        logger.warn({ err, webhook: webhook?.id }, 'run of a webhook failed, retrying');
        mayHaveChanges = true;
        hasNews = false;
        due = clock.now() + AFTER_FAILURE_MS;
      })
      .finally(() => {
        running = null;
        deps.onIdle();
      });
  }

  return {
    hold(next, until) {
      if (next === null) lose();
      else {
        // What others have stored meanwhile counts.
        if (webhook === null) {
          reader.forget();
          due = 0;
          mayHaveChanges = true;
        }
        webhook = next;
        heldUntil = until;
      }
    },
    wake() {
      mayHaveChanges = true;
      changed();
    },
    start,
    get due() {
      return running === null && held() !== null ? due : null;
    },
    get isIdle() {
      return running === null;
    },
    async idle() {
      while (running !== null) await running;
    },
  };
}
