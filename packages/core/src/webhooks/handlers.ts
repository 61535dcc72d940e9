import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { ChangeType, Webhook } from '../ports/storage/webhooks.ts';
import type { WebhookSender } from '../ports/webhooks.ts';
import { startCursor } from './reader.ts';

/** Scheme of the URLs of webhooks whose receiver is a function of an extension. */
const SCHEME = 'extension:';

const handlerUrl = (name: string) => SCHEME + name;

/** Returns the name of the handler that receives at this URL; null if it is another receiver. */
export const handlerAt = (url: string): string | null => (url.startsWith(SCHEME) ? url.slice(SCHEME.length) : null);

/** A function of an extension that receives what a webhook would. */
export interface DeclaredHandler {
  /** Derived from the name, so that all nodes know it. A UUID. */
  readonly id: string;
  /** Unique. */
  readonly name: string;
  /** Empty if it receives no changes of documents. */
  readonly collections: readonly string[];
  readonly types: readonly ChangeType[];
  /** Filter as text; null for every document. */
  readonly where: string | null;
  readonly description: string;
}

const settingsOf = ({ collections, types, where, description }: DeclaredHandler) => ({
  collections,
  types,
  where,
  description,
});

export interface ExtensionHandlersDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly webhookSender: WebhookSender;
}

export type ExtensionHandlers = ReturnType<typeof createExtensionHandlers>;

/** Webhooks whose receivers are functions of extensions. */
export function createExtensionHandlers({ storage, clock, secrets, webhookSender }: ExtensionHandlersDeps) {
  async function add(handler: DeclaredHandler): Promise<void> {
    const { id, name } = handler;
    const webhook: Webhook = {
      ...settingsOf(handler),
      id,
      url: handlerUrl(name),
      enabled: true,
      created: clock.now(),
      secret: secrets.encrypt(webhookSender.createSecret()),
      previous: null,
      previousUntil: 0,
      cursor: await startCursor(storage),
    };
    try {
      await storage.webhooks.add(webhook, Number.MAX_SAFE_INTEGER);
    } catch (error) {
      // Another node has added it meanwhile.
      if ((await storage.webhooks.find(id)) === null) throw error;
    }
  }

  return {
    /**
     * Stores the webhooks of the declared handlers, which begin with the changes from now on, and disables those of
     * handlers that no extension declares any more. To be called at the start of every node.
     */
    async declare(handlers: readonly DeclaredHandler[]): Promise<void> {
      const now = clock.now();
      const stored = new Map((await storage.webhooks.list()).map((webhook) => [webhook.id, webhook]));
      for (const handler of handlers) {
        const { id } = handler;
        if (stored.has(id)) await storage.webhooks.update(id, { ...settingsOf(handler), enabled: true }, now);
        else await add(handler);
      }
      const declared = new Set(handlers.map(({ id }) => id));
      for (const { id, url, enabled } of stored.values()) {
        const isForgotten = handlerAt(url) !== null && enabled && !declared.has(id);
        if (isForgotten) await storage.webhooks.update(id, { enabled: false }, now);
      }
      if (handlers.length > 0) await storage.announcer.announce({ topic: 'webhooks', key: '' });
    },
  };
}
