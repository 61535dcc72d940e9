import { createBatchedWrites } from '../batched-writes.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { PushChannel, PushNotification, PushOutcome, PushService } from '../ports/push.ts';
import type { Platform } from '../ports/storage/devices.ts';
import type { ClaimedDelivery, DeliveryAttempt, Settlement } from '../ports/storage/outbox.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { LONGEST_WAITS } from '../time/waits.ts';
import { backoff } from './backoff.ts';
import { createBreaker } from './breaker.ts';
import type { PushPayload } from './payload.ts';

/** Maximum number of notifications in progress per platform and process. */
const CONCURRENCY = 50;
/**
 * Lease of a claimed delivery, in milliseconds. Longer than an attempt can take, so that no other node starts another
 * one meanwhile, with a margin for clock skew.
 */
const DELIVERY_LEASE_MS = 12_000;
const MAX_ATTEMPTS = 100;
/** Maximum accepted `Retry-After` of a push service, in milliseconds. */
const LONGEST_RETRY_AFTER_MS = LONGEST_WAITS.push;

export interface LaneDeps {
  readonly storage: Storage;
  readonly service: PushService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeWatch: Pick<TimeWatch, 'earliest'>;
}

/** Sends the notifications of one platform. A slow or unavailable push service delays no other platform. */
export interface Lane {
  /**
   * Sends all due deliveries. When none is due and everything sent has been settled, resolves to the time at which the
   * next one will be due, or to null if none waits. One call at a time.
   *
   * @throws `storage.unavailable`
   */
  run(): Promise<number | null>;
  /** Reports that a delivery may be due, also to a `run` in progress. */
  wake(): void;
  /**
   * Returns the reason why the push service rejects our credentials or settings; null if this process knows of none.
   */
  refusal(): string | null;
  /** Starts nothing new. `run` finishes the notifications in progress. */
  stop(): void;
}

function toNotification({ messageId, device, message }: ClaimedDelivery, now: number): PushNotification {
  const payload: PushPayload = JSON.parse(message.payload);
  const age = Math.max(0, Math.floor((now - message.created) / 1_000));
  const timeToLive = payload.timeToLive === null ? null : Math.max(0, payload.timeToLive - age);
  return { ...payload, timeToLive, id: messageId, device };
}

export function createLane(os: Platform, { storage, service, clock, logger, timeWatch }: LaneDeps): Lane {
  const breaker = createBreaker(Math.random);
  /** Key of the channel that the breaker is watching. */
  let known = '';
  let inProgress = 0;
  let stopped = false;
  let isWoken = false;
  /** True if deliveries were not claimed because of the concurrency limit. */
  let isHeldBack = false;
  let notify: () => void = () => undefined;

  /** One statement at a time, to leave the connections to requests. */
  const settlements = createBatchedWrites<Settlement>(async (batch) => {
    try {
      await storage.outbox.settle(batch);
    } catch (err) {
      // These are due again when the lease ends. Some may be sent twice, none is lost.
      logger.warn({ err, count: batch.length }, 'outcomes of notifications not recorded');
    }
  });

  function retry(delivery: ClaimedDelivery, outcome: { reason: string; after: number | null }): Settlement {
    const { messageId, device, attempt, message } = delivery;
    const { reason } = outcome;
    const wait = Math.max(backoff(attempt, Math.random), Math.min(outcome.after ?? 0, LONGEST_RETRY_AFTER_MS));
    const due = clock.now() + wait;
    const isLate = timeWatch.earliest() + wait >= message.expires || attempt >= MAX_ATTEMPTS;
    return { messageId, device, attempt, reason, ...(isLate ? { state: 'expired' } : { state: 'waiting', due }) };
  }

  function settlementOf(delivery: ClaimedDelivery, outcome: PushOutcome, began: number): Settlement {
    const { messageId, device, attempt } = delivery;
    const settled: DeliveryAttempt & { reason: null } = { messageId, device, attempt, reason: null };
    switch (outcome.kind) {
      case 'delivered':
        return { ...settled, state: 'delivered' };
      case 'unwanted':
        return { ...settled, state: 'withdrawn' };
      case 'dead':
        return { ...settled, state: 'dead', reason: outcome.reason, since: Math.min(outcome.since ?? began, began) };
      case 'retry':
        return retry(delivery, outcome);
      case 'refused':
        if (outcome.of === 'service') return retry(delivery, { reason: outcome.reason, after: null });
        return { ...settled, state: 'refused', reason: outcome.reason };
    }
  }

  async function attempt(channel: PushChannel, delivery: ClaimedDelivery): Promise<void> {
    const began = clock.now();
    const { messageId, device, attempt: number, message } = delivery;
    const earliest = timeWatch.earliest();
    if (message.expires <= earliest) {
      await settlements.add({ messageId, device, attempt: number, state: 'expired', reason: null });
      return;
    }
    const isWanted = () => storage.outbox.isWanted(delivery);
    const outcome = await channel.send(toNotification(delivery, earliest), isWanted);
    const before = breaker.refusal(clock.now());
    breaker.record(outcome, began, clock.now());
    const refusal = breaker.refusal(clock.now());
    if (refusal !== null && refusal !== before)
      logger.error({ os, reason: refusal }, 'push service rejects credentials or settings');
    await settlements.add(settlementOf(delivery, outcome, began));
  }

  function start(channel: PushChannel, delivery: ClaimedDelivery): void {
    inProgress++;
    attempt(channel, delivery)
      .catch((err: unknown) => logger.warn({ err, os }, 'notification not sent, retrying'))
      .finally(() => {
        inProgress--;
        if (isHeldBack) isWoken = true;
        notify();
      });
  }

  const nextChange = () =>
    new Promise<void>((resolve) => {
      notify = resolve;
    });

  /** Waits until a large part of a claim fits and a delivery may be due, or until nothing is in progress. */
  async function waitForRoom(): Promise<void> {
    while (inProgress > CONCURRENCY / 2 || (inProgress > 0 && !isWoken)) await nextChange();
  }

  async function currentChannel(): Promise<PushChannel | null> {
    const channel = await service.channel();
    const key = channel?.key ?? '';
    if (key !== known) breaker.reset();
    known = key;
    return channel;
  }

  /** Claims as many deliveries as may be in progress, and starts to send them. */
  async function begin(): Promise<void> {
    isWoken = false;
    isHeldBack = false;
    const channel = stopped ? null : await currentChannel();
    const now = clock.now();
    const limit = channel === null ? 0 : breaker.allowance(CONCURRENCY, now) - inProgress;
    isHeldBack = channel !== null && limit <= 0 && inProgress > 0;
    if (channel === null || limit <= 0) return;
    const claimed = await storage.outbox.claim({ os, now, until: now + DELIVERY_LEASE_MS, limit });
    for (const delivery of claimed) start(channel, delivery);
    if (claimed.length === limit) isWoken = true; // there may be more
  }

  async function run(): Promise<number | null> {
    try {
      do {
        await begin();
        await waitForRoom();
      } while (inProgress > 0 || isWoken);
    } catch (error) {
      while (inProgress > 0) await nextChange();
      throw error;
    }
    if (stopped || (await currentChannel()) === null) return null;
    return breaker.pausedUntil(clock.now()) ?? storage.outbox.nextDue(os);
  }

  return {
    run,
    wake() {
      isWoken = true;
      notify();
    },
    refusal: () => breaker.refusal(clock.now()),
    stop() {
      stopped = true;
      notify();
    },
  };
}
