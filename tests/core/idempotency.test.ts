import { createMemoryStorage } from '@baobab/adapters/memory';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import { addUser } from '@baobab/contracts/storage';
import { createActor, createIdempotency, type KeyedAnswer } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { trusting } from '../support/clock.ts';

describe('concurrent requests with one key', () => {
  it('are told that the first one is in progress until it ends', async () => {
    const storage = createMemoryStorage();
    const actor = createActor(await addUser(storage, 'Ann'), null);
    const clock = createSystemClock();
    const secrets = createNodeSecrets('k');
    const idempotency = createIdempotency({ storage, secrets, clock, timeWatch: trusting(clock) });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let runs = 0;
    const send = (request: string): Promise<KeyedAnswer> =>
      idempotency.once(actor, { key: 'key', request }, async () => {
        runs++;
        await held;
        return { data: '1', hasChanged: true };
      });
    const first = send('POST');
    await expect(send('POST')).rejects.toMatchObject({ code: 'idempotency.busy', retryAfter: 1 });
    await expect(send('PUT')).rejects.toMatchObject({ code: 'idempotency.mismatch' });
    release();
    expect(await first).toEqual({ data: '1', isReplay: false });
    expect(await send('POST')).toEqual({ data: '1', isReplay: true });
    await expect(send('PUT')).rejects.toMatchObject({ code: 'idempotency.mismatch' });
    expect(runs).toBe(1);
  });

  it('run again after a failure that does not depend on the request', async () => {
    const storage = createMemoryStorage();
    const actor = createActor(await addUser(storage, 'Ann'), null);
    const clock = createSystemClock();
    const secrets = createNodeSecrets('k');
    const idempotency = createIdempotency({ storage, secrets, clock, timeWatch: trusting(clock) });
    const crash = new Error('a crash');
    const request = { key: 'key', request: 'POST' };
    await expect(idempotency.once(actor, request, () => Promise.reject(crash))).rejects.toBe(crash);
    expect(await idempotency.once(actor, request, async () => ({ data: '2', hasChanged: true }))).toEqual({
      data: '2',
      isReplay: false,
    });
  });
});
