import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../support/client-failures.ts';
import { type ClientService, openClientService } from '../support/client-service.ts';
import { answering, type Receiver, startReceiver } from '../support/receiver.ts';

async function allOf<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

describe('webhooks by the client', () => {
  let service: ClientService;
  let receiver: Receiver;

  beforeAll(async () => {
    service = await openClientService('memory:', 1, { webhookPrivate: true });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await service.close();
  });

  it('are managed by administrators, and show what was delivered', async () => {
    const root = await service.admin();
    const { webhooks } = root.admin;
    const collection = await service.collection();
    const { id, secret, ...created } = await webhooks.create({ url: receiver.url, collections: [collection] });
    expect([secret.startsWith('whsec_'), created.types, created.enabled]).toEqual([true, ['put', 'gone'], true]);
    expect(await webhooks.list()).toEqual([{ id, ...created }]);
    const changed = await webhooks.update(id, { types: ['put'], where: 'n > 1', description: 'Tracking' });
    expect(await webhooks.get(id)).toEqual(changed);
    expect((await webhooks.rotateSecret(id)).secret).not.toBe(secret);
    expect(await webhooks.test(id)).toMatchObject({ type: 'test', state: 'delivered', status: 204 });

    receiver.behave(answering(500, {}, 'no room'));
    const document = await root.collection(collection).create({ n: 2 });
    await service.backend.deliver();
    const all = await allOf(webhooks.deliveries(id));
    expect(all.map(({ type, state }) => [type, state])).toEqual([
      ['document.put', 'waiting'],
      ['test', 'delivered'],
    ]);
    const [waiting] = await allOf(webhooks.deliveries(id, { state: 'waiting' }));
    expect(waiting).toMatchObject({ collection, document: document.id, status: 500, body: 'no room', attempts: 1 });
    receiver.behave(answering(204));
    expect((await webhooks.replay(id, waiting?.id ?? '')).state).toBe('waiting');
    await service.backend.deliver();
    expect(receiver.received.at(-1)?.body).toMatchObject({ type: 'document.put', data: { id: document.id } });
    expect(await allOf(webhooks.deliveries(id, { state: 'waiting' }))).toEqual([]);

    await webhooks.remove(id);
    expect(await codeOf(webhooks.get(id))).toBe('webhook.not_found');
    const user = await service.user();
    expect(await codeOf(user.admin.webhooks.list())).toBe('admin.required');
  });

  it('have more deliveries than one page holds', async () => {
    const { webhooks } = (await service.admin()).admin;
    const { id } = await webhooks.create({ url: receiver.url, collections: [await service.collection()] });
    for (let at = 0; at < 101; at++) await webhooks.test(id);
    const found = await allOf(webhooks.deliveries(id));
    expect(new Set(found.map((delivery) => delivery.id)).size).toBe(101);
    await webhooks.remove(id);
  });
});
