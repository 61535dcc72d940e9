import type { PushNotification, PushOutcome } from '@baobab/core';
import type { PushSender } from '../push-service.ts';

export interface SentPush extends PushNotification {
  /** The settings with which it was sent. */
  readonly config: object;
}

/** A push service that keeps its notifications, for tests and for trying things out. */
export interface MemoryPush extends PushSender<object> {
  /** The accepted notifications, oldest first. */
  readonly sent: readonly SentPush[];
}

const MAX_KEPT = 1000;

/** @param answer decides the outcome of a notification; all are delivered when absent */
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
