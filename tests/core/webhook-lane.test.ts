import { createSystemClock } from '@baobab/adapters/system';
import type { Clock, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import type { Attempts } from '../../packages/core/src/webhooks/attempts.ts';
import { createWebhookLane } from '../../packages/core/src/webhooks/lane.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { silentLogger } from '../support/logger.ts';
import { createLatch, until } from '../support/patience.ts';

type Webhook = Parameters<ReturnType<typeof createWebhookLane>['hold']>[0] & object;

interface Around {
  readonly webhooks: object;
  readonly attempts: object;
  readonly clock: Clock;
}

/** Starts a lane with these parts of its surroundings. */
function startLane({ webhooks, attempts, clock }: Around) {
  const lane = createWebhookLane({
    id: 'webhook',
    storage: { webhooks } as unknown as Storage,
    clock,
    logger: silentLogger,
    reader: { read: async () => 'done', forget: () => undefined },
    attempts: attempts as unknown as Attempts,
    holder: 'this process',
    onAttempt: () => undefined,
    onIdle: () => undefined,
  });
  lane.hold({ id: 'webhook' } as Webhook, Number.POSITIVE_INFINITY);
  lane.start();
  return lane;
}

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
  const lane = startLane({ webhooks, attempts, clock: createSystemClock() });
  // The end of the first attempt begins the second look, which still finds the second delivery.
  await until(() => looks === 2);
  answered.open();
  await until(() => waiting.size === 0);
  looked.open();
  await lane.idle();
  expect(attempted).toEqual(['a', 'b']);
});

it('a webhook whose attempts fail unexpectedly pauses for five seconds', async () => {
  const clock = createHandDrivenClock();
  let attempted = 0;
  const webhooks = { due: async () => [{ id: 'a' }], nextDue: async () => clock.now() };
  const attempts = {
    async attempt() {
      if (++attempted > 1_000) await new Promise(() => undefined);
      throw new Error('unexpected');
    },
    isFinal: () => false,
  };
  const lane = startLane({ webhooks, attempts, clock });
  await until(() => lane.isIdle || attempted > 1_000);
  expect(attempted).toBe(1);
  expect(lane.due).toBe(clock.now() + 5_000);
  clock.advance(5_000);
  lane.start();
  await lane.idle();
  expect(attempted).toBe(2);
});
