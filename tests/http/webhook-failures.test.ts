import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { answering } from '../support/receiver.ts';
import { told, webhookScenarios } from '../support/webhooks.ts';

const clock = createHandDrivenClock();
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

onEveryStorage(
  'webhooks whose receivers fail',
  (world) => {
    const { admin, receiver, hook, hooked, deliver, deliveries, document, change } = webhookScenarios(world);

    it('are retried after 5 seconds, then less and less often, with the same id', async () => {
      const { collection, to, id } = await hooked();
      to.behave(answering(500, {}, 'oh no'));
      const created = clock.now();
      await document(collection, { title: 'a' });
      await deliver();
      const [first] = await deliveries(id);
      expect(first).toMatchObject({ state: 'waiting', attempts: 1, status: 500, body: 'oh no' });
      const waits: number[] = [];
      for (let attempt = 1; attempt <= 6; attempt++) {
        const [delivery] = await deliveries(id);
        const wait = Date.parse(delivery.next.replace('+0000', 'Z')) - clock.now();
        waits.push(wait);
        clock.advance(wait - 1);
        await deliver();
        expect(to.received).toHaveLength(attempt);
        clock.advance(1);
        await deliver();
        expect(to.received).toHaveLength(attempt + 1);
      }
      for (const [i, wait] of waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(5_000 * 2 ** i);
        expect(wait).toBeLessThanOrEqual(6_000 * 2 ** i);
      }
      expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(to.received.map(({ headers }) => Number(headers['webhook-timestamp'])).at(-1)).toBe(
        Math.floor(clock.now() / 1_000),
      );
      to.behave(answering(200));
      clock.advance(DAY);
      await deliver();
      expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 8, error: null }]);
      expect(clock.now()).toBeGreaterThan(created);
    });

    it('are given up after three days, shown, and can be replayed', async () => {
      const { collection, to, id } = await hooked();
      await to.close();
      const began = clock.now();
      const document1 = await document(collection, { title: 'a' });
      await deliver();
      for (let hours = 0; hours < 71; hours++) {
        clock.advance(HOUR);
        await deliver();
      }
      expect(await deliveries(id)).toMatchObject([{ state: 'waiting', status: null }]);
      expect((await deliveries(id))[0].error).toContain('ECONNREFUSED');
      clock.advance(HOUR);
      await deliver();
      expect(clock.now() - began).toBe(3 * DAY);
      const [parked] = await deliveries(id, '?state=parked');
      expect(parked).toMatchObject({ state: 'parked', next: null, document: document1 });
      expect(parked.attempts).toBeGreaterThan(15);
      expect(parked.attempts).toBeLessThan(40);
      await to.open();
      await admin('PUT', `/admin/webhook/${id}`, { url: to.url });
      clock.advance(DAY);
      await deliver();
      expect(to.received).toEqual([]);
      await change(collection, document1, { title: 'a2' });
      const replayed = await admin('POST', `/admin/webhook/${id}/deliveries/${parked.id}/replay`);
      expect([replayed.status, replayed.data.state, replayed.data.attempts]).toEqual([200, 'waiting', 0]);
      await deliver();
      expect(new Set(told(to))).toEqual(new Set(['document.put a2']));
      expect((await deliveries(id, '?state=parked')).length).toBe(0);
    });

    it('arrive after a receiver was down for a day, in order per document', async () => {
      const { collection, to, id } = await hooked();
      await to.close();
      const ids = [await document(collection, { title: 'a 0' }), await document(collection, { title: 'b 0' })];
      for (let hour = 1; hour <= 24; hour++) {
        await deliver();
        clock.advance(HOUR);
        await change(collection, ids[0] ?? '', { title: `a ${hour}` });
      }
      await to.open();
      await admin('PUT', `/admin/webhook/${id}`, { url: to.url });
      for (let hour = 0; hour < 12; hour++) {
        await deliver();
        clock.advance(HOUR);
      }
      expect(told(to).sort()).toEqual(['document.put a 24', 'document.put b 0']);
      expect(await deliveries(id)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
    });

    it('never tell an older state after a newer one, whatever the receiver does', async () => {
      const { collection, to } = await hooked();
      const documents = await Promise.all(['a', 'b', 'c'].map((title) => document(collection, { title, n: 0 })));
      let count = 0;
      to.behave((response, _message, request) => {
        const nth = ++count % 5;
        if (nth === 0) request.socket.destroy();
        else if (nth === 1) response.writeHead(500).end();
        else setTimeout(() => response.end(), nth);
      });
      for (let n = 1; n <= 20; n++) {
        for (const id of documents) await change(collection, id, { title: 'x', n });
        await deliver();
        clock.advance(7_000);
      }
      to.behave(answering(200));
      clock.advance(DAY);
      await deliver();
      for (const id of documents) {
        const of = to.received.filter(({ body }) => body.data.id === id).map(({ body }) => body.data.version);
        expect(of).toEqual(of.toSorted((a, b) => a - b));
        expect(of.at(-1)).toBe(21);
      }
    });

    it('of a document that changes while it is sent are sent once more, as another message', async () => {
      const { collection, to } = await hooked();
      const id = await document(collection, { title: 'a' });
      let changed: Promise<unknown> = Promise.resolve();
      to.behave((response) => {
        to.behave(answering(200));
        changed = change(collection, id, { title: 'b' }).finally(() => response.end());
      });
      await deliver();
      await changed;
      await deliver();
      expect(told(to)).toEqual(['document.put a', 'document.put b']);
      expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    });

    it('wait as long as a receiver asks to with 429', async () => {
      const { collection, to, id } = await hooked();
      to.behave(answering(429, { 'retry-after': '1800' }));
      await document(collection, { title: 'a' });
      await deliver();
      clock.advance(30 * MINUTE - 1);
      await deliver();
      expect(to.received).toHaveLength(1);
      to.behave(answering(200));
      clock.advance(1);
      await deliver();
      expect(to.received).toHaveLength(2);
      expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    });

    it('stop with 410, until the webhook is switched on', async () => {
      const { collection, to, id } = await hooked();
      to.behave(answering(410, {}, 'never again'));
      const one = await document(collection, { title: 'a' });
      await deliver();
      expect((await admin('GET', `/admin/webhook/${id}`)).data.enabled).toBe(false);
      expect(await deliveries(id)).toMatchObject([{ state: 'parked', status: 410, body: 'never again' }]);
      to.behave(answering(200));
      await document(collection, { title: 'b' });
      clock.advance(HOUR);
      await deliver();
      expect(to.received).toHaveLength(1);
      await admin('PUT', `/admin/webhook/${id}`, { enabled: true });
      await deliver();
      expect(told(to)).toEqual(['document.put a', 'document.put b']);
      expect(to.received[0]?.body.data.id).toBe(one);
    });

    it('that fail delay no others, and a slow receiver delays no other', async () => {
      const { collection, to } = await hooked();
      const other = await receiver();
      await hook(other.url, [collection]);
      let release: () => void = () => undefined;
      const waiting = new Promise<void>((resolve) => {
        release = resolve;
      });
      let [open, mostOpen] = [0, 0];
      other.behave(async (response) => {
        mostOpen = Math.max(mostOpen, ++open);
        await waiting;
        open--;
        response.end();
      });
      to.behave((response, { body }) => response.writeHead(body.data.document.title === 'bad' ? 500 : 200).end());
      const titles = ['bad', ...Array.from({ length: 20 }, (_, i) => `t${i}`)];
      for (const title of titles) await document(collection, { title });
      const delivering = deliver();
      await expect.poll(() => told(to).length).toBe(titles.length);
      await expect.poll(() => open).toBe(8);
      release();
      await delivering;
      expect(other.received).toHaveLength(titles.length);
      expect(mostOpen).toBe(8);
    });
  },
  { webhookPrivate: true, clock },
);
