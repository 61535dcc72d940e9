import { createSystemClock } from '@baobab/adapters/system';
import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import type { Attempts } from '../../packages/core/src/webhooks/attempts.ts';
import { createWebhookLane } from '../../packages/core/src/webhooks/lane.ts';
import { silentLogger } from '../support/logger.ts';
import { createLatch, until } from '../support/patience.ts';

type Webhook = Parameters<ReturnType<typeof createWebhookLane>['hold']>[0] & object;

it('a webhook delivery that is settled while the due ones are looked up is not attempted again', async () => {
  const waiting = new Set(['a', 'b']);
  const [answered, looked] = [createLatch(), createLatch()];
  const attempted: string[] = [];
  let looks = 0;
  const webhooks = {
    async due() {
      const found = Array.from(waiting, (id) => ({ id }));
      if (++looks === 2) await looked.opened;
      return found;
    },
    async settle(_held: unknown, settlements: readonly { readonly id: string }[]) {
      for (const { id } of settlements) waiting.delete(id);
      return true;
    },
    nextDue: async () => null,
  };
  const attempts = {
    async attempt(_webhook: unknown, { id }: { readonly id: string }) {
      attempted.push(id);
      if (id === 'b') await answered.opened;
      return { settlement: { id }, answer: null };
    },
    isFinal: () => false,
  };
  const lane = createWebhookLane({
    storage: { webhooks } as unknown as Storage,
    clock: createSystemClock(),
    logger: silentLogger,
    reader: { read: async () => 'done', forget: () => undefined },
    attempts: attempts as unknown as Attempts,
    holder: 'this process',
    onAttempt: () => undefined,
    onIdle: () => undefined,
  });
  lane.hold({ id: 'webhook' } as Webhook, Number.POSITIVE_INFINITY);
  lane.start();
  // The end of the first attempt begins the second look, which still finds the second delivery.
  await until(() => looks === 2);
  answered.open();
  await until(() => waiting.size === 0);
  looked.open();
  await lane.idle();
  expect(attempted).toEqual(['a', 'b']);
});
