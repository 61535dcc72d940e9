import { describe, expect, it } from 'vitest';
import { createGate } from '../../packages/adapters/src/postgres/gate.ts';
import { PATIENCE_MS } from '../support/patience.ts';

/** Work that ends when the test ends it. */
function manual() {
  const ends: Array<() => void> = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  return { work, begun: () => ends.length, end: (n: number) => ends[n]?.() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the gate before Postgres', () => {
  it('admits as many tasks as there are slots, and the others in order', async () => {
    const gate = createGate({ slots: 2, maxWaiting: 10, timeout: PATIENCE_MS });
    const order: number[] = [];
    const { work, begun, end } = manual();
    const entered = Array.from({ length: 5 }, (_, n) =>
      gate.enter(() => {
        order.push(n);
        return work();
      }),
    );
    await turn();
    expect([begun(), gate.running, gate.waiting]).toEqual([2, 2, 3]);
    for (let n = 0; n < 5; n++) {
      end(n);
      await turn();
      expect(gate.running).toBe(Math.min(2, 4 - n));
    }
    await Promise.all(entered);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect([gate.running, gate.waiting]).toEqual([0, 0]);
  });

  it('rejects a task when the queue is full, and none afterwards', async () => {
    const gate = createGate({ slots: 1, maxWaiting: 1, timeout: PATIENCE_MS });
    const { work, end } = manual();
    const [first, second] = [gate.enter(work), gate.enter(async () => 'second')];
    await expect(gate.enter(async () => 'third')).rejects.toMatchObject({ code: 'storage.unavailable' });
    end(0);
    await first;
    expect(await second).toBe('second');
    expect(await gate.enter(async () => 'fourth')).toBe('fourth');
  });

  it('frees the slot of a task that fails, even synchronously', async () => {
    const gate = createGate({ slots: 1, maxWaiting: 100, timeout: PATIENCE_MS });
    const failing = Array.from({ length: 50 }, (_, n) =>
      gate.enter(() => {
        if (n % 2 === 0) throw new Error('at once');
        return Promise.reject(new Error('later'));
      }),
    );
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect([gate.running, gate.waiting]).toEqual([0, 0]);
    expect(await gate.enter(async () => 1)).toBe(1);
  });

  it('rejects a task that has waited for too long, and admits later ones', async () => {
    const gate = createGate({ slots: 1, maxWaiting: 10, timeout: 50 });
    const { work, end } = manual();
    const first = gate.enter(work);
    const late = Array.from({ length: 3 }, () => gate.enter(async () => 'late'));
    const outcomes = await Promise.allSettled(late);
    expect(outcomes).toEqual(
      late.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'storage.unavailable' }) })),
    );
    expect([gate.running, gate.waiting]).toEqual([1, 0]);
    end(0);
    await first;
    expect(await Promise.all([gate.enter(async () => 1), gate.enter(async () => 2)])).toEqual([1, 2]);
    expect([gate.running, gate.waiting]).toEqual([0, 0]);
  });
});
