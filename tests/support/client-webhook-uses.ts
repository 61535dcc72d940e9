import type { AdminClient } from '@baobab/client/admin';

/** Client calls for webhooks, by operation. */
export const WEBHOOK_USES: Readonly<Record<string, readonly ((client: AdminClient) => unknown)[]>> = {
  createWebhook: [
    ({ admin }) => admin.webhooks.create({ url: 'https://a.example', collections: ['c'], where: 'a = 1' }),
  ],
  listWebhooks: [({ admin }) => admin.webhooks.list()],
  readWebhook: [({ admin }) => admin.webhooks.get('x')],
  changeWebhook: [({ admin }) => admin.webhooks.update('x', { enabled: false })],
  removeWebhook: [({ admin }) => admin.webhooks.remove('x')],
  rotateWebhookSecret: [({ admin }) => admin.webhooks.rotateSecret('x')],
  testWebhook: [({ admin }) => admin.webhooks.test('x')],
  listWebhookDeliveries: [
    ({ admin }) => admin.webhooks.deliveries('x', { state: 'parked' })[Symbol.asyncIterator]().next(),
  ],
  replayWebhookDelivery: [({ admin }) => admin.webhooks.replay('x', 'y')],
};
