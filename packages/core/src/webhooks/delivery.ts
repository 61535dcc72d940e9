import type { Gauges } from '../ports/gauges.ts';
import type { Logger } from '../ports/logger.ts';
import type { WebhookBacklog } from '../ports/storage/webhooks.ts';
import type { WebhookAnswer } from '../ports/webhooks.ts';
import { lasts } from '../time/waits.ts';
import { type AttemptDeps, createAttempts } from './attempts.ts';
import { createWebhookLane, type WebhookLane } from './lane.ts';
import { createReader } from './reader.ts';

/** Lease of a node. If it is not renewed in this time, another node sends for the node's webhooks. In milliseconds. */
const LEASE_MS = 9_000;
/** Interval at which a node renews its leases and claims free webhooks, in milliseconds. */
const RENEW_MS = 3_000;
/** Interval of reading the feed without a signal, in milliseconds. */
const POLL_MS = 6_000;

export interface WebhookDeliveryDeps extends AttemptDeps {
  readonly logger: Logger;
  readonly gauges: Gauges;
}

export interface WebhookDeliveries {
  /**
   * Renews the leases and starts due deliveries, without waiting for them. Resolves to the time of the next call. One
   * call at a time. @throws `storage.unavailable`
   */
  run(): Promise<number>;
  /** Sends all due deliveries. Resolves when they are settled. */
  drain(): Promise<void>;
  /** Calls `listener` when `run` should be called earlier. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Starts nothing new, waits for attempts in progress, and ends the leases. */
  stop(): Promise<void>;
  /** Unsubscribes from signals. */
  dispose(): void;
}

type Outcome = 'delivered' | 'failed' | 'refused';

function outcomeOf({ error, isRefused }: WebhookAnswer): Outcome {
  if (error === null) return 'delivered';
  return isRefused ? 'refused' : 'failed';
}

const ATTEMPTS: Readonly<Record<Outcome, string>> = {
  delivered: 'Webhook messages that receivers have accepted',
  failed: 'Attempts to deliver webhook messages that have failed',
  refused: 'Attempts to deliver webhook messages to addresses that are refused',
};

/** Sends for webhooks, on any number of nodes: one node at a time for each webhook. */
export function createWebhookDelivery(deps: WebhookDeliveryDeps): WebhookDeliveries {
  const { storage, clock, secrets, logger, gauges } = deps;
  const holder = secrets.token();
  const attempts = createAttempts(deps);
  const lanes = new Map<string, WebhookLane>();
  const listeners = new Set<() => void>();
  const counts: Record<Outcome, number> = { delivered: 0, failed: 0, refused: 0 };
  let renewAt = 0;
  let pollAt = 0;
  let stopped = false;
  let mayHaveChanges = false;

  function call(): void {
    for (const listener of listeners) listener();
  }

  const dispose = storage.signals.subscribe({
    topics: ['changes', 'webhooks'],
    hear(signal) {
      mayHaveChanges = true;
      if (signal?.topic !== 'changes') renewAt = 0;
      call();
    },
  });

  const newLane = (id: string) =>
    createWebhookLane({
      id,
      storage,
      clock,
      logger,
      holder,
      attempts,
      reader: createReader(holder, deps),
      onAttempt(answer) {
        counts[outcomeOf(answer)]++;
      },
      onIdle: call,
    });

  /** Assigns the held webhooks to their lanes. */
  async function renew(): Promise<void> {
    const now = clock.now();
    renewAt = now + RENEW_MS;
    const until = now + LEASE_MS;
    const held = await storage.webhooks.claim(holder, now, until);
    const ids = new Set(held.map(({ id }) => id));
    for (const [id, lane] of lanes) {
      if (ids.has(id)) continue;
      lane.hold(null, 0);
      if (lane.isIdle) lanes.delete(id);
    }
    for (const webhook of held) {
      const lane = lanes.get(webhook.id) ?? newLane(webhook.id);
      lanes.set(webhook.id, lane);
      lane.hold(webhook, until);
    }
  }

  /** Returns true if the feed must be read now. */
  function takeNews(): boolean {
    const isPoll = !lasts(pollAt, clock.now(), POLL_MS);
    if (isPoll) pollAt = clock.now() + POLL_MS;
    const isWoken = mayHaveChanges || isPoll;
    mayHaveChanges = false;
    return isWoken;
  }

  async function run(): Promise<number> {
    if (!stopped && !lasts(renewAt, clock.now(), RENEW_MS)) await renew();
    if (stopped) return Number.POSITIVE_INFINITY;
    const isWoken = takeNews();
    for (const lane of lanes.values()) {
      if (isWoken) lane.wake();
      lane.start();
    }
    return Math.min(renewAt, ...Array.from(lanes.values(), ({ due }) => due ?? renewAt));
  }

  const idle = () => Promise.all(Array.from(lanes.values(), (lane) => lane.idle()));

  const backlogs = (): Promise<WebhookBacklog[]> =>
    Promise.all(Array.from(lanes.keys(), (id) => storage.webhooks.backlog(id)));
  const sum = async (of: 'waiting' | 'parked') => (await backlogs()).reduce((total, one) => total + one[of], 0);

  for (const outcome of Object.keys(ATTEMPTS) as Outcome[]) {
    gauges.add({ name: `webhook_attempts_${outcome}`, help: ATTEMPTS[outcome], read: () => counts[outcome] });
  }
  gauges.add({
    name: 'webhook_deliveries_waiting',
    help: 'Deliveries to the webhooks of this process that wait',
    read: () => sum('waiting'),
  });
  gauges.add({
    name: 'webhook_deliveries_parked',
    help: 'Deliveries to the webhooks of this process that were given up',
    read: () => sum('parked'),
  });
  gauges.add({
    name: 'webhook_lag_seconds',
    help: 'Age of the oldest delivery that waits, of the webhooks of this process',
    async read() {
      const now = clock.now();
      const ages = (await backlogs()).map(({ oldest }) => (oldest === null ? 0 : now - oldest));
      return Math.max(0, ...ages) / 1_000;
    },
  });

  return {
    run,
    async drain() {
      renewAt = 0;
      mayHaveChanges = true;
      const isDue = ({ due }: WebhookLane) => due !== null && due <= clock.now();
      do {
        await run();
        await idle();
      } while (mayHaveChanges || Array.from(lanes.values()).some(isDue));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    async stop() {
      stopped = true;
      for (const lane of lanes.values()) lane.hold(null, 0);
      await idle();
      await storage.webhooks.release(holder);
    },
    dispose,
  };
}
