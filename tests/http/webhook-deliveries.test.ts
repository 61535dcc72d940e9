import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { answering } from '../support/receiver.ts';
import { isSignedBy, told, webhookScenarios } from '../support/webhooks.ts';

const clock = createHandDrivenClock();
const DAY = 24 * 60 * MINUTE;

onEveryStorage(
  'deliveries of webhooks',
  (world) => {
    const scenarios = webhookScenarios(world);
    const { admin, collection: newCollection, receiver, hook, hooked } = scenarios;
    const { deliver, deliveries, document, change, remove } = scenarios;

    it('tell the newest state of each document, signed', async () => {
      const { collection, to, id, secret } = await hooked();
      const [one, two] = [await document(collection, { title: 'a' }), await document(collection, { title: 'b' })];
      await change(collection, one, { title: 'a2' });
      await deliver();
      expect(told(to).sort()).toEqual(['document.put a2', 'document.put b']);
      const [got] = to.received.filter(({ body }) => body.data.id === one);
      const shown = (await admin('GET', `/document/${collection}/${one}`)).data;
      const { timestamp, ...rest } = got?.body ?? {};
      expect(rest).toEqual({
        type: 'document.put',
        data: { type: 'put', collection, id: one, version: 2, document: shown },
      });
      expect(timestamp).toBe(new Date(clock.now()).toISOString());
      expect(isSignedBy(secret, got)).toBe(true);
      await remove(collection, two);
      await deliver();
      expect(to.received.at(-1)?.body).toMatchObject({
        type: 'document.gone',
        data: { type: 'gone', collection, id: two },
      });
      const done = { state: 'delivered', attempts: 1, next: null, status: 204, body: '', error: null, collection };
      const listed = await deliveries(id);
      expect(listed[0]).toMatchObject({ ...done, type: 'document.gone', document: two });
      expect(listed).toHaveLength(3);
      expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    });

    it('tell a patch of several fields as one change', async () => {
      const { collection, to } = await hooked();
      const id = await document(collection, { title: 'a', likes: 1 });
      await deliver();
      const patch = { set: { title: 'b' }, increment: { likes: 1 }, append: { tags: ['x', 'y'] } };
      await admin('PATCH', `/document/${collection}/${id}`, patch);
      await deliver();
      expect(told(to)).toEqual(['document.put a', 'document.put b']);
      const changed = { version: 2, document: { title: 'b', likes: 2, tags: ['x', 'y'] } };
      expect(to.received.at(-1)?.body.data).toMatchObject(changed);
    });

    it('tell only what concerns the webhook: since its creation, its collections, its types', async () => {
      const [collection, other] = [await newCollection(), await newCollection()];
      await document(collection, { title: 'before' });
      const [all, gone] = [await receiver(), await receiver()];
      await hook(all.url, [collection, other]);
      await hook(gone.url, [collection], { types: ['gone'] });
      const [one, two] = [await document(collection, { title: 'a' }), await document(other, { title: 'b' })];
      await deliver();
      await remove(collection, one);
      await remove(other, two);
      await deliver();
      expect(told(all)).toHaveLength(4);
      expect(told(gone)).toEqual([`document.gone ${one}`]);
    });

    it('follow a condition: what no longer satisfies it is gone, what never did is nothing', async () => {
      const { collection, to } = await hooked({ where: 'open = true and _author = "admin"' });
      const one = await document(collection, { title: 'a', open: true });
      const two = await document(collection, { title: 'b', open: false });
      await deliver();
      expect(told(to)).toEqual(['document.put a']);
      await change(collection, one, { title: 'a2', open: false });
      await deliver();
      await change(collection, two, { title: 'b2', open: true });
      await deliver();
      expect(told(to).slice(1)).toEqual([`document.gone ${one}`, 'document.put b2']);
    });

    it('cost a bounded number of rows, however many documents wait', async () => {
      const { collection, to, id } = await hooked();
      to.behave(answering(500));
      const operations = Array.from({ length: 100 }, (_, i) => ({
        method: 'POST',
        path: `/document/${collection}`,
        body: { title: `t${i}` },
      }));
      for (let i = 0; i < 11; i++) await admin('POST', '/batch', { atomic: true, operations });
      await deliver();
      const count = async () => (await deliveries(id, '?state=waiting')).length;
      expect(await count()).toBe(1_000);
      to.behave(answering(200));
      clock.advance(DAY);
      await deliver();
      expect(await count()).toBe(0);
      const ids = new Set(to.received.map(({ body }) => body.data.id));
      expect(ids.size).toBe(1_100);
    });

    it('are paged, and the delivered ones are forgotten after some days', async () => {
      const { collection, id } = await hooked();
      for (const title of ['a', 'b', 'c']) {
        await document(collection, { title });
        await deliver();
      }
      const newest = await deliveries(id);
      const first = await admin('GET', `/admin/webhook/${id}/deliveries?recordsPerPage=2`);
      expect([first.data, first.body.more]).toEqual([newest.slice(0, 2), true]);
      const next = await admin('GET', `/admin/webhook/${id}/deliveries?recordsPerPage=2&cursor=${first.body.next}`);
      expect([next.data, next.body.more]).toEqual([newest.slice(2), false]);
      clock.advance(3 * DAY - 1);
      await world.backend.sweep();
      expect(await deliveries(id)).toHaveLength(3);
      clock.advance(2);
      await world.backend.sweep();
      expect(await deliveries(id)).toEqual([]);
    });

    it('are signed by both secrets for a day after a rotation', async () => {
      const { collection, to, id, secret } = await hooked();
      const { data } = await admin('POST', `/admin/webhook/${id}/secret`);
      expect(data.secret).not.toBe(secret);
      const verifies = async (by: string) => {
        await document(collection, { title: 'x' });
        await deliver();
        return isSignedBy(by, to.received.at(-1));
      };
      expect([await verifies(secret), await verifies(data.secret)]).toEqual([true, true]);
      clock.advance(DAY - 1);
      expect(await verifies(secret)).toBe(true);
      clock.advance(1);
      expect([await verifies(secret), await verifies(data.secret)]).toEqual([false, true]);
    });

    it('report the removal of a collection, and cannot replay that', async () => {
      const { collection, to, id } = await hooked();
      await document(collection, { title: 'a' });
      await deliver();
      await admin('DELETE', `/admin/collection/${collection}`);
      await deliver();
      await deliver();
      const [missed, ...rest] = await deliveries(id);
      expect(missed).toMatchObject({ type: 'missed', state: 'parked', collection, document: null, attempts: 0 });
      expect(missed.error).toContain(collection);
      expect(rest).toHaveLength(1);
      expect(to.received).toHaveLength(1);
      const { status, body } = await admin('POST', `/admin/webhook/${id}/deliveries/${missed.id}/replay`);
      expect([status, body.code]).toEqual([400, 'webhook.not_replayable']);
    });

    describe('of type test', () => {
      it('are sent at once, once, and shown', async () => {
        const { to, id, secret } = await hooked({ enabled: false });
        const { status, data } = await admin('POST', `/admin/webhook/${id}/test`);
        expect([status, data.state, data.status, data.type]).toEqual([200, 'delivered', 204, 'test']);
        const [got] = to.received;
        expect(got?.body).toMatchObject({ type: 'test', data: {} });
        expect(isSignedBy(secret, got)).toBe(true);
        to.behave(answering(500, {}, 'oh no'));
        const failed = await admin('POST', `/admin/webhook/${id}/test`);
        expect(failed.data).toMatchObject({ state: 'parked', status: 500, body: 'oh no', attempts: 1 });
        expect(await deliveries(id)).toEqual([failed.data, data]);
      });
    });
  },
  { webhookPrivate: true, clock },
);
