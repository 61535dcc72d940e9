import type { PushNotification, PushOutcome } from '@baobab/core';
import type { PushSender } from '../push-service.ts';

export interface SentPush extends PushNotification {
  /** Settings used to send it. */
  readonly config: object;
}

/** A push service that stores its notifications in memory, for tests and experiments. */
export interface MemoryPush extends PushSender<object> {
  /** Accepted notifications, oldest first. */
  readonly sent: readonly SentPush[];
}

const MAX_KEPT = 1000;

/** @param answer returns the outcome of a notification; if absent, all are delivered */
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
