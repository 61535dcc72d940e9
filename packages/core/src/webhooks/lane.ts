import { createBatchedWrites } from '../batched-writes.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Webhook, WebhookDelivery, WebhookSettlement } from '../ports/storage/webhooks.ts';
import type { WebhookAnswer } from '../ports/webhooks.ts';
import type { Attempts } from './attempts.ts';
import type { WebhookReader } from './reader.ts';

/** Maximum number of concurrent attempts per webhook. */
const CONCURRENCY = 8;
/** Pause of a lane after a failure, such as an unavailable storage, in milliseconds. */
const AFTER_FAILURE_MS = 5_000;

export interface LaneDeps {
  /** Id of the webhook. */
  readonly id: string;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly reader: WebhookReader;
  readonly attempts: Attempts;
  /** Unique to this process. */
  readonly holder: string;
  /** Called after each attempt. */
  readonly onAttempt: (answer: WebhookAnswer) => void;
  /** Called at the end of a run. */
  readonly onIdle: () => void;
}

/** Sends for one webhook. A slow receiver delays no other webhook. */
export interface WebhookLane {
  /** Assigns the current webhook and the end of its lease to the lane; null removes both. */
  hold(webhook: Webhook | null, until: number): void;
  /** Reports that the feed may hold changes. */
  wake(): void;
  /** Starts a run if none is in progress and there may be something to do. */
  start(): void;
  /** Time of the next start unless woken earlier; null if it is running or has nothing to wait for. */
  readonly due: number | null;
  readonly isIdle: boolean;
  /** Resolves when no run is in progress. */
  idle(): Promise<void>;
}

export function createWebhookLane(deps: LaneDeps): WebhookLane {
  const { id, storage, clock, logger, reader, attempts, holder } = deps;
  let webhook: Webhook | null = null;
  let heldUntil = 0;
  /** Ids of deliveries without a recorded outcome. */
  const inProgress = new Set<string>();
  let mayHaveChanges = true;
  /** True if something has happened since the last check. */
  let hasNews = false;
  let notify: () => void = () => undefined;
  let running: Promise<void> | null = null;
  let due: number | null = 0;
  /** Cause why an attempt could not be made or recorded. Ends the run, because an immediate retry would fail as well. */
  let failure: unknown = null;

  function changed(): void {
    hasNews = true;
    notify();
  }

  const held = () => (webhook !== null && clock.now() < heldUntil ? webhook : null);

  function lose(): void {
    webhook = null;
    reader.forget();
  }

  const settlements = createBatchedWrites<WebhookSettlement>(async (batch) => {
    try {
      if (!(await storage.webhooks.settle({ id, holder }, batch))) lose();
    } catch (err) {
      // These are still due. Some may be sent twice, none is lost.
      logger.warn({ err, webhook: id, count: batch.length }, 'outcomes of webhook deliveries not recorded');
    }
  });

  async function attempt(of: Webhook, delivery: WebhookDelivery): Promise<void> {
    const { settlement, answer } = await attempts.attempt(of, delivery);
    if (answer !== null) deps.onAttempt(answer);
    if (attempts.isFinal(answer)) {
      await storage.webhooks.disable({ id: of.id, holder });
      logger.warn({ webhook: of.id }, 'webhook switched off, because its receiver answered 410');
      webhook = null;
    }
    await settlements.add(settlement);
  }

  function begin(of: Webhook, delivery: WebhookDelivery): void {
    inProgress.add(delivery.id);
    attempt(of, delivery)
      .catch((err: unknown) => {
        failure = err ?? new Error('webhook delivery not attempted');
      })
      .finally(() => {
        inProgress.delete(delivery.id);
        changed();
      });
  }

  const nextEvent = () =>
    new Promise<void>((resolve) => {
      notify = resolve;
    });

  /** Stores new deliveries from the feed. Resolves to true if there is more to read now. */
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
    // Those in progress are also due, and first. Some may be settled while the others are looked up.
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

  /** Resolves to true if there may be more to do now. */
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
      for (let of = held(); of !== null && failure === null; of = held()) if (!(await step(of))) break;
    } finally {
      await finish();
    }
    const failed = failure;
    failure = null;
    if (failed !== null) throw failed;
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
        // Other nodes may have stored deliveries or moved the cursor meanwhile.
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
