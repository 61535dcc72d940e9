import type { Storage, WebhookDelivery } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { NOW, uuid } from './fixtures.ts';
import { change, ids, MANY, webhookFixtures } from './webhook-fixtures.ts';

export function webhookDeliveriesContract(current: () => Storage): void {
  const { webhooks, due, list, added, holding, advance, outcome, settle, only } = webhookFixtures(current);

  describe('the outcome of an attempt', () => {
    it('finishes a delivery', async () => {
      const [one, two] = [change(), change({ created: NOW + 1 })];
      const webhook = await holding([one, two]);
      const [first, second] = await due(webhook.id, NOW + 1);
      if (first === undefined || second === undefined) throw new Error('two are due');
      const failure = { status: null, body: null, error: 'refused' };
      await settle(webhook, [
        { ...outcome(first), state: 'delivered' },
        { ...outcome(second), ...failure, state: 'parked' },
      ]);
      expect(await list(webhook.id)).toMatchObject([
        { ...two, state: 'parked', attempts: 1, since: NOW + 7, ...failure },
        { ...one, state: 'delivered', attempts: 1, status: 200, body: 'ok', error: null },
      ]);
      expect(await webhooks().nextDue(webhook.id)).toBeNull();
      expect(await webhooks().backlog(webhook.id)).toEqual({ waiting: 0, parked: 1, oldest: null });
    });

    it('postpones it, counts, and remembers the first attempt', async () => {
      const webhook = await holding([change()]);
      const failed = { status: 503, body: '', error: 'busy' };
      for (const [now, next] of [
        [NOW + 1, NOW + 10],
        [NOW + 10, NOW + 30],
      ] as const) {
        const delivery = await only(webhook);
        await settle(webhook, [{ ...outcome(delivery), ...failed, now, state: 'waiting', due: next }]);
        expect(await webhooks().nextDue(webhook.id)).toBe(next);
        expect(await due(webhook.id, next - 1)).toEqual([]);
      }
      expect(await only(webhook)).toMatchObject({ ...failed, attempts: 2, since: NOW + 1, due: NOW + 30 });
    });

    it('removes it when there is nothing to tell', async () => {
      const webhook = await holding([change()]);
      await settle(webhook, [{ ...outcome(await only(webhook)), state: 'void' }]);
      expect(await list(webhook.id)).toEqual([]);
    });

    it.each(['delivered', 'parked', 'void'] as const)(
      'does not finish a delivery as %s that has changed in between',
      async (state) => {
        const given = change();
        const webhook = await holding([given]);
        const before = await only(webhook);
        await advance(webhook, [change({ document: given.document, type: 'gone' })]);
        await settle(webhook, [{ ...outcome(before), state }]);
        const again = { type: 'gone', state: 'waiting', revision: 1, attempts: 0, since: null, due: NOW + 7 };
        expect(await only(webhook)).toMatchObject(again);
        await settle(webhook, [{ ...outcome(await only(webhook)), state: 'delivered' }]);
        expect(await only(webhook)).toMatchObject({ state: 'delivered' });
      },
    );

    it('counts once', async () => {
      const webhook = await holding([change()]);
      const delivery = await only(webhook);
      await settle(webhook, [{ ...outcome(delivery), state: 'delivered' }]);
      await settle(webhook, [{ ...outcome(delivery), status: 500, error: 'late', state: 'parked' }]);
      expect(await only(webhook)).toMatchObject({ state: 'delivered', status: 200 });
    });
  });

  it('switched on again has everything that waits due at once', async () => {
    const webhook = await holding([change()]);
    await settle(webhook, [{ ...outcome(await only(webhook)), error: 'x', state: 'waiting', due: NOW + 9_000 }]);
    await webhooks().update(webhook.id, { enabled: true }, NOW + 20);
    expect(await only(webhook)).toMatchObject({ due: NOW + 9_000 });
    await webhooks().update(webhook.id, { enabled: false }, NOW + 30);
    expect(await only(webhook)).toMatchObject({ due: NOW + 9_000 });
    await webhooks().update(webhook.id, { enabled: true }, NOW + 40);
    expect(await only(webhook)).toMatchObject({ due: NOW + 40, attempts: 1 });
  });

  it('records a finished delivery, if it exists', async () => {
    const webhook = await added();
    const { error, ...rest } = change({ type: 'test', document: null, collection: null });
    const answer = {
      state: 'delivered',
      revision: 0,
      attempts: 1,
      since: NOW,
      due: NOW,
      status: 204,
      body: '',
    } as const;
    const delivery: WebhookDelivery = { ...rest, ...answer, error };
    expect(await webhooks().record(webhook.id, delivery)).toBe(true);
    expect(await only(webhook)).toEqual(delivery);
    expect(await webhooks().record(uuid(), { ...delivery, id: uuid() })).toBe(false);
  });

  it('lists pages, newest first, also of one state', async () => {
    const given = Array.from({ length: 6 }, (_, i) => change({ created: NOW + i }));
    const webhook = await holding(given);
    const all = await due(webhook.id, NOW + 10);
    await settle(
      webhook,
      all.filter((_, i) => i % 2 === 0).map((one) => ({ ...outcome(one), state: 'parked' })),
    );
    const newest = ids(given).reverse();
    const page = async (
      before: string | null,
      limit: number,
      skip = 0,
      state: WebhookDelivery['state'] | null = null,
    ) => ids(await webhooks().deliveries(webhook.id, { before, limit, skip, state }));
    expect(await page(null, 4)).toEqual(newest.slice(0, 4));
    expect(await page(newest[3] ?? '', 4)).toEqual(newest.slice(4));
    expect(await page(null, 2, 3)).toEqual(newest.slice(3, 5));
    expect(await page(null, 9, 0, 'parked')).toEqual(newest.filter((_, i) => i % 2 === 1));
    expect(await page(newest[1] ?? '', 9, 1, 'parked')).toEqual([newest[5]]);
  });

  describe('a replay', () => {
    it('makes a finished delivery wait again, as another message', async () => {
      const webhook = await holding([change()]);
      await settle(webhook, [{ ...outcome(await only(webhook)), state: 'parked', error: 'x' }]);
      const { id } = await only(webhook);
      const waiting = { id, state: 'waiting', attempts: 0, since: null, due: NOW + 99, revision: 1 };
      expect(await webhooks().replay(webhook.id, id, NOW + 99)).toMatchObject(waiting);
      expect(await due(webhook.id, NOW + 99)).toMatchObject([waiting]);
      expect(await webhooks().removeFinished('parked', NOW + 1_000, MANY)).toBe(0);
    });

    it('hastens the delivery of the same document that waits already', async () => {
      const first = change();
      const webhook = await holding([first]);
      await settle(webhook, [{ ...outcome(await only(webhook)), state: 'delivered' }]);
      const second = change({ document: first.document, created: NOW + 500 });
      await advance(webhook, [second]);
      expect(await webhooks().replay(webhook.id, first.id, NOW + 9)).toMatchObject({ id: second.id, due: NOW + 9 });
      expect(await list(webhook.id)).toMatchObject([{ id: second.id }, { id: first.id, state: 'delivered' }]);
    });

    it('is impossible for missed changes and for what does not exist', async () => {
      const missed = change({ type: 'missed', document: null, error: 'restored' });
      const webhook = await holding([missed]);
      const other = await added();
      expect(await webhooks().replay(webhook.id, missed.id, NOW)).toBe('missed');
      expect(await webhooks().replay(other.id, missed.id, NOW)).toBeNull();
      expect(await webhooks().replay(webhook.id, uuid(), NOW)).toBeNull();
    });
  });

  it('forgets finished deliveries by their age, a limited number at a time', async () => {
    const given = Array.from({ length: 5 }, (_, i) => change({ created: NOW + i }));
    const webhook = await holding(given);
    const all = await due(webhook.id, NOW + 10);
    const states = ['delivered', 'delivered', 'delivered', 'parked'] as const;
    await settle(
      webhook,
      states.flatMap((state, i) => {
        const delivery = all[i];
        return delivery === undefined ? [] : [{ ...outcome(delivery), now: NOW + i, state }];
      }),
    );
    const { removeFinished } = webhooks();
    expect(await removeFinished('delivered', NOW + 2, 1)).toBe(1);
    expect(await removeFinished('delivered', NOW + 2, MANY)).toBe(1);
    expect(await removeFinished('parked', NOW + 3, MANY)).toBe(0);
    expect(await removeFinished('parked', NOW + 4, MANY)).toBe(1);
    expect((await list(webhook.id)).map(({ state }) => state)).toEqual(['waiting', 'delivered']);
  });

  it('forgets delivered ones beyond a number, of one webhook', async () => {
    const given = Array.from({ length: 7 }, (_, i) => change({ created: NOW + i }));
    const webhook = await holding(given);
    const [parked, ...delivered] = await due(webhook.id, NOW + 6);
    if (parked === undefined) throw new Error('nothing is due');
    const done = delivered.map((one) => ({ ...outcome(one), state: 'delivered' }) as const);
    await settle(webhook, [{ ...outcome(parked), state: 'parked' }, ...done]);
    expect(await webhooks().trim(uuid(), 0, MANY)).toBe(0);
    expect(await webhooks().trim(webhook.id, 2, 2)).toBe(2);
    expect(await webhooks().trim(webhook.id, 2, MANY)).toBe(2);
    expect(await webhooks().trim(webhook.id, 2, MANY)).toBe(0);
    const [first, , , , , sixth, last] = ids(given);
    expect(ids(await list(webhook.id))).toEqual([last, sixth, first]);
  });
}
