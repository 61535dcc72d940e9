import { join } from 'node:path';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { runCommand } from '../support/command.ts';
import { createFolder } from '../support/databases.ts';
import { startReceiver } from '../support/receiver.ts';

const ends: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(databaseUrl: string) {
  const backend = await createTestBackend({ databaseUrl, webhookPrivate: true });
  const { call } = createWorld(backend);
  const basic = ['admin', 'admin'] as const;
  return {
    backend,
    as: (method: string, url: string, body?: unknown) =>
      call(method, url, { basic, ...(body === undefined ? {} : { body }) }),
  };
}

it('a webhook in a copied database says that changes were missed, and goes on from there', async () => {
  const { path, remove } = createFolder();
  ends.push(remove);
  const [here, there] = ['here.db', 'there.db'].map((name) => `sqlite:${join(path, name)}`);
  if (here === undefined || there === undefined) throw new Error('two databases');
  const receiver = await startReceiver();
  ends.push(receiver.close);

  const first = await serve(here);
  await first.as('POST', '/admin/collection/books');
  const { id } = (await first.as('POST', '/admin/webhook', { url: receiver.url, collections: ['books'] })).data;
  await first.as('POST', '/document/books', { title: 'a' });
  await first.backend.deliver();
  await first.as('POST', '/document/books', { title: 'not delivered' });
  await first.backend.close();
  expect(receiver.received).toHaveLength(1);

  const { code, errors } = await runCommand(['transfer', '--from', here, '--to', there], {});
  expect([code, errors]).toEqual([0, '']);

  const second = await serve(there);
  ends.push(() => second.backend.close());
  const deliveries = async () => (await second.as('GET', `/admin/webhook/${id}/deliveries`)).data;
  expect(await deliveries()).toEqual([]);
  await second.backend.deliver();
  const missed = { type: 'missed', state: 'parked', attempts: 0, collection: null, document: null };
  expect(await deliveries()).toMatchObject([missed]);
  expect((await deliveries())[0].error).toContain('restored');

  // This copy has another secret key, so nothing can be signed until the webhook has a new secret.
  await second.as('POST', '/document/books', { title: 'b' });
  await second.backend.deliver();
  const [unsigned] = await deliveries();
  expect(unsigned).toMatchObject({ type: 'document.put', state: 'waiting', attempts: 1, status: null });
  expect(unsigned.error).toContain('SECRET_KEY');
  expect(receiver.received).toHaveLength(1);
  await second.as('POST', `/admin/webhook/${id}/secret`);
  await second.as('POST', `/admin/webhook/${id}/deliveries/${unsigned.id}/replay`);
  await second.backend.deliver();
  expect(receiver.received.map(({ body }) => body.data.document.title)).toEqual(['a', 'b']);
  expect(await deliveries()).toMatchObject([{ id: unsigned.id, state: 'delivered' }, missed]);
});
