import type { PushNotification, PushOutcome } from '@baobab/core';
import type { PushSender } from '../push-service.ts';

export interface SentPush extends PushNotification {
  /** The settings of the service that it went by. */
  readonly config: object;
}

/** A push service that keeps what it was given: for tests, and for trying things out. */
export interface MemoryPush extends PushSender<object> {
  /** What it has taken, oldest first. */
  readonly sent: readonly SentPush[];
}

const MAX_KEPT = 1000;

/** `answer` decides what comes of a notification; it is delivered when absent. */
export function createMemoryPush(answer?: (notification: PushNotification) => PushOutcome): MemoryPush {
  const sent: SentPush[] = [];
  return {
    sent,
    async send(config, notification, isWanted) {
      if (!(await isWanted())) return { kind: 'unwanted' };
      const outcome = answer?.(notification) ?? { kind: 'delivered' };
      if (outcome.kind !== 'delivered') return outcome;
      sent.push({ ...notification, config: { ...config } });
      if (sent.length > MAX_KEPT) sent.shift();
      return outcome;
    },
    close: async () => undefined,
  };
}
