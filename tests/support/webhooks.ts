import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach } from 'vitest';
import type { World } from './backend.ts';
import { type ReceivedMessage, type Receiver, startReceiver } from './receiver.ts';

/** A webhook in the response to its creation. */
export interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

/** Creates helpers for webhook scenarios. Webhooks and receivers end with their test. */
export function webhookScenarios(world: World) {
  let receivers: Receiver[] = [];
  let ids: string[] = [];

  beforeEach(() => {
    receivers = [];
    ids = [];
  });
  afterEach(async () => {
    for (const id of ids) await admin('DELETE', `/admin/webhook/${id}`);
    for (const receiver of receivers) await receiver.close();
  });

  async function admin(method: string, url: string, body?: unknown) {
    // Credentials instead of a session, which would expire because the tests move the clock.
    const basic = ['admin', world.backend.adminPassword] as const;
    return world.call(method, url, { basic, ...(body === undefined ? {} : { body }) });
  }

  const scenarios = {
    admin,
    async collection(): Promise<string> {
      const name = world.unique('books');
      const { status, text } = await admin('POST', `/admin/collection/${name}`);
      if (status !== 201) throw new Error(text);
      return name;
    },
    async receiver(): Promise<Receiver> {
      const receiver = await startReceiver();
      receivers.push(receiver);
      return receiver;
    },
    async hook(url: string, collections: readonly string[], more: object = {}): Promise<CreatedWebhook> {
      await world.caughtUp();
      const { status, data, text } = await admin('POST', '/admin/webhook', { url, collections, ...more });
      if (status !== 201) throw new Error(text);
      ids.push(data.id);
      return data;
    },
    /** Sends pending deliveries. */
    async deliver() {
      await world.caughtUp();
      await world.backend.deliver();
    },
    deliveries: async (id: string, query = '') => (await admin('GET', `/admin/webhook/${id}/deliveries${query}`)).data,
    async document(collection: string, content: object): Promise<string> {
      const { data, text } = await admin('POST', `/document/${collection}`, content);
      if (data === undefined) throw new Error(text);
      return data.id;
    },
    change: (collection: string, id: string, content: object) => admin('PUT', `/document/${collection}/${id}`, content),
    remove: (collection: string, id: string) => admin('DELETE', `/document/${collection}/${id}`),
  };

  return {
    ...scenarios,
    /** Creates a collection with a webhook and its receiver. */
    async hooked(more: object = {}) {
      const [collection, to] = [await scenarios.collection(), await scenarios.receiver()];
      const { id, secret } = await scenarios.hook(to.url, [collection], more);
      return { collection, to, id, secret };
    },
  };
}

/** Returns the document events that a receiver got: the type, and a member of the content. */
export const told = ({ received }: Receiver) =>
  received.map(({ body }) => `${body.type} ${body.data.document?.title ?? body.data.id ?? ''}`.trim());

/**
 * Returns true if one of the signatures is by this secret. The library's `verify` would compare the time with its own
 * clock.
 */
export function isSignedBy(secret: string, message: ReceivedMessage | undefined): boolean {
  if (message === undefined) return false;
  const { headers, text } = message;
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  const expected = new Webhook(secret).sign(String(headers['webhook-id']), at, text);
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
