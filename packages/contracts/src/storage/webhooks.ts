import type { Storage } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { NOW, uuid } from './fixtures.ts';
import { change, ids, LEASE, newWebhook, webhookFixtures } from './webhook-fixtures.ts';

export function webhooksContract(current: () => Storage): void {
  const { webhooks, claim, due, list, added, holding, advance, outcome, settle, only } = webhookFixtures(current);

  describe('the settings', () => {
    it('are found as they were stored, oldest first', async () => {
      const first = await added();
      const second = await added({ where: 'a = 1', enabled: false, previous: 'old', previousUntil: NOW });
      expect(await webhooks().find(second.id)).toEqual(second);
      expect(await webhooks().find(uuid())).toBeNull();
      expect(await webhooks().list()).toEqual([first, second]);
    });

    it('are limited in number', async () => {
      await added();
      expect(await webhooks().add(newWebhook(), 1)).toBe(false);
      expect(await webhooks().list()).toHaveLength(1);
    });

    it('are changed where they are given', async () => {
      const webhook = await added({ where: 'a = 1' });
      const { id } = webhook;
      expect(await webhooks().update(id, { url: 'http://other/', enabled: false }, NOW)).toEqual({
        ...webhook,
        url: 'http://other/',
        enabled: false,
      });
      const rest = { collections: ['x'], types: ['gone'] as const, where: null, description: '' };
      expect(await webhooks().update(id, rest, NOW)).toMatchObject({ ...rest, url: 'http://other/', enabled: false });
      expect(await webhooks().find(id)).toMatchObject(rest);
      expect(await webhooks().update(uuid(), { enabled: true }, NOW)).toBeNull();
    });

    it('rotate the secret', async () => {
      const webhook = await added();
      const rotated = { ...webhook, secret: 'new', previous: 'sealed', previousUntil: NOW + 1 };
      expect(await webhooks().rotate(webhook.id, 'new', NOW + 1)).toEqual(rotated);
      expect(await webhooks().find(webhook.id)).toEqual(rotated);
      expect(await webhooks().rotate(uuid(), 'new', NOW)).toBeNull();
    });

    it('are removed with the deliveries', async () => {
      const webhook = await holding([change()]);
      expect(await webhooks().remove(webhook.id)).toBe(true);
      expect(await webhooks().remove(webhook.id)).toBe(false);
      expect([await webhooks().find(webhook.id), await list(webhook.id)]).toEqual([null, []]);
    });
  });

  describe('the lease', () => {
    it('goes to exactly one of many nodes, which renews it, until it has ended', async () => {
      const webhook = await added();
      const claims = await Promise.all(Array.from({ length: 20 }, (_, i) => claim(`node ${i}`)));
      expect(claims.filter((held) => held.length === 1)).toHaveLength(1);
      const holder = `node ${claims.findIndex((held) => held.length === 1)}`;
      expect(await claim(holder, NOW + LEASE - 1)).toEqual([webhook]);
      expect(await claim('other', NOW + LEASE)).toEqual([]);
      expect(await claim('other', NOW + 2 * LEASE - 1)).toEqual([webhook]);
      expect(await claim(holder, NOW + 2 * LEASE)).toEqual([]);
    });

    it('is not given for a webhook that is switched off', async () => {
      const webhook = await added({ enabled: false });
      expect(await claim('a')).toEqual([]);
      await webhooks().update(webhook.id, { enabled: true }, NOW);
      expect(await claim('a')).toHaveLength(1);
      await webhooks().update(webhook.id, { enabled: false }, NOW);
      expect(await claim('a')).toEqual([]);
    });

    it('can be given back', async () => {
      await added();
      await claim('a');
      await webhooks().release('b');
      expect(await claim('b')).toEqual([]);
      await webhooks().release('a');
      expect(await claim('b')).toHaveLength(1);
    });

    it('is needed to move the cursor, to settle and to switch off', async () => {
      const webhook = await holding([change()]);
      const delivery = await only(webhook);
      await claim('b', NOW + LEASE);
      const cursor = { epoch: 'e2', place: { position: 9, id: uuid() }, marks: 8 };
      const settlement = { ...outcome(delivery), state: 'delivered' } as const;
      const late = { id: webhook.id, holder: 'a' };
      expect(await webhooks().advance(late, cursor, [change()])).toBe(false);
      expect(await webhooks().settle(late, [settlement])).toBe(false);
      expect(await webhooks().disable(late)).toBe(false);
      expect(await webhooks().find(webhook.id)).toEqual(webhook);
      expect(await only(webhook)).toEqual(delivery);
      const now = { id: webhook.id, holder: 'b' };
      expect(await webhooks().advance(now, cursor, [])).toBe(true);
      expect(await webhooks().settle(now, [settlement])).toBe(true);
      expect(await webhooks().disable(now)).toBe(true);
      expect(await webhooks().find(webhook.id)).toEqual({ ...webhook, cursor, enabled: false });
      expect(await only(webhook)).toMatchObject({ state: 'delivered' });
    });
  });

  describe('a new delivery', () => {
    it('waits, and is due at once', async () => {
      const given = change({ type: 'gone' });
      const webhook = await holding([given]);
      const waiting = { state: 'waiting', revision: 0, attempts: 0, since: null, due: NOW, status: null, body: null };
      expect(await due(webhook.id, NOW - 1)).toEqual([]);
      expect(await due(webhook.id)).toEqual([{ ...given, ...waiting }]);
      expect(await webhooks().backlog(webhook.id)).toEqual({ waiting: 1, parked: 0, oldest: NOW });
    });

    it('is one of many, and each is stored', async () => {
      const given = Array.from({ length: 83 }, (_, i) => change({ created: NOW + i }));
      const webhook = await holding(given);
      expect(ids(await due(webhook.id, NOW + 100))).toEqual(ids(given));
      expect(ids(await due(webhook.id, NOW + 100, 10))).toEqual(ids(given.slice(0, 10)));
      expect(ids(await due(webhook.id, NOW + 4))).toEqual(ids(given.slice(0, 5)));
    });

    it('joins the one of the same document that waits, which keeps its attempts and its time', async () => {
      const [first, other] = [change(), change()];
      const webhook = await holding([first, other]);
      const [delivery] = await due(webhook.id);
      if (delivery === undefined) throw new Error('nothing is due');
      const failed = { ...outcome(delivery), status: 500, error: 'failed' };
      await settle(webhook, [{ ...failed, state: 'waiting', due: NOW + 50 }]);
      await advance(webhook, [change({ document: first.document, type: 'gone', created: NOW + 9 })]);
      const joined = (await list(webhook.id)).find(({ id }) => id === first.id);
      expect(joined).toMatchObject({
        ...first,
        type: 'gone',
        revision: 1,
        attempts: 1,
        due: NOW + 50,
        error: 'failed',
      });
      expect(ids(await list(webhook.id))).toEqual([other.id, first.id]);
    });

    it('is a second one for a document whose delivery is finished, or that is of another webhook', async () => {
      const first = change();
      const webhook = await holding([first]);
      await settle(webhook, [{ ...outcome(await only(webhook)), state: 'delivered' }]);
      const second = change({ document: first.document });
      await advance(webhook, [second]);
      const other = await added();
      await claim('a');
      const third = change({ document: first.document });
      await advance(other, [third]);
      expect(ids(await list(webhook.id))).toEqual([second.id, first.id]);
      expect(ids(await list(other.id))).toEqual([third.id]);
    });

    it('is parked from the beginning if it reports missed changes', async () => {
      const missed = change({ type: 'missed', document: null, collection: null, error: 'restored' });
      const removed = change({ type: 'missed', document: null, error: 'removed' });
      const webhook = await holding([missed, removed]);
      expect(await due(webhook.id)).toEqual([]);
      const parked = { state: 'parked', attempts: 0, status: null, body: null };
      expect(await list(webhook.id)).toMatchObject([
        { ...removed, ...parked },
        { ...missed, ...parked },
      ]);
      expect(await webhooks().backlog(webhook.id)).toEqual({ waiting: 0, parked: 2, oldest: null });
    });
  });
}
