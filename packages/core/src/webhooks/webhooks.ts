import { type Actor, requireAdmin } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryState,
  WebhookSettings,
} from '../ports/storage/webhooks.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import { isUuid } from '../wire.ts';
import { type AttemptDeps, createAttempts } from './attempts.ts';
import { handlerAt } from './handlers.ts';
import { startCursor } from './reader.ts';
import { checkSettings, type WebhookChange } from './settings.ts';

/** Maximum number of webhooks, because each reads the feed separately. */
const MAX_WEBHOOKS = 100;
/** Time for which the previous secret also signs after a rotation, in milliseconds. */
const ROTATION_MS = 24 * 60 * 60_000;

/** A webhook with its secret, which is shown only once. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

export interface DeliveriesWanted {
  readonly id: string;
  readonly state: WebhookDeliveryState | null;
  /** Returns only deliveries with a smaller id; null from the newest. */
  readonly after: string | null;
  readonly skip: number;
  readonly limit: number;
}

function idOf(id: string, code: 'webhook.not_found' | 'webhook.delivery_not_found'): string {
  if (!isUuid(id)) throw new AppError(code);
  return id.toLowerCase();
}

const existing = <T>(found: T | null): T => {
  if (found === null) throw new AppError('webhook.not_found');
  return found;
};

/** @throws `webhook.of_extension` if the receiver is a function of an extension */
function refuseHandler({ url }: Webhook): void {
  if (handlerAt(url) !== null) throw new AppError('webhook.of_extension');
}

/** A webhook to create or to change. */
interface GivenWebhook<Change> {
  readonly settings: Change;
  readonly presence: Presence;
}

/** Returns the settings that differ from the current ones. */
const differing = (settings: Partial<WebhookSettings>, before: Webhook): Partial<WebhookSettings> =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof WebhookSettings]),
    ),
  );

/** Returns true unless a change only describes or disables the webhook: it can send other documents, or elsewhere. */
const sendsMore = ({ description: _description, enabled = false, ...others }: Partial<WebhookSettings>) =>
  enabled || Object.keys(others).length > 0;

export interface WebhooksDeps extends AttemptDeps {
  readonly audit: Audit;
  readonly freshLogin: FreshLogin;
}

const partyOf = (id: string) => ({ kind: 'webhook', id, name: null }) as const;

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * Webhook management for administrators. A webhook receives documents until it is removed, so a stolen session or key
 * must not create one. Every method: @throws `auth.required`, `admin.required`
 */
export function createWebhooks(deps: WebhooksDeps) {
  const { storage, webhookSender, clock, secrets, audit, freshLogin } = deps;
  const { send } = createAttempts(deps);

  const signalChange = (key: string, { announcer }: Stores = storage) => announcer.announce({ topic: 'webhooks', key });

  async function find(id: string): Promise<Webhook> {
    return existing(await storage.webhooks.find(idOf(id, 'webhook.not_found')));
  }

  const checked = (change: WebhookChange, now: Omit<WebhookSettings, 'url'>) => checkSettings(deps, change, now);

  return {
    /**
     * Creates a webhook for the changes from now on.
     *
     * @throws `webhook.limit`, `webhook.url_refused`, `collection.not_found`, `criteria.invalid`, `input.invalid`, the
     * errors of `FreshLogin.ensure`
     */
    async create(
      actor: Actor,
      { settings: given, presence }: GivenWebhook<WebhookChange & { readonly url: string }>,
    ): Promise<WebhookWithSecret> {
      requireAdmin(actor);
      await freshLogin.ensure(actor, presence);
      const created = clock.now();
      const defaults = {
        collections: [],
        types: ['put', 'gone'],
        where: null,
        description: '',
        enabled: true,
      } as const;
      const settings = { ...defaults, url: given.url, ...(await checked(given, defaults)) };
      const secret = webhookSender.createSecret();
      const webhook: Webhook = {
        ...settings,
        id: secrets.uuid(created),
        created,
        secret: secrets.encrypt(secret),
        previous: null,
        previousUntil: 0,
        cursor: await startCursor(storage),
      };
      await audit.transaction(storage.transaction, async (stores, record) => {
        if (!(await stores.webhooks.add(webhook, MAX_WEBHOOKS))) {
          throw new AppError('webhook.limit', { detail: `at most ${MAX_WEBHOOKS}` });
        }
        await signalChange(webhook.id, stores);
        record(actor, 'webhook.created', { to: partyOf(webhook.id) });
      });
      return { webhook, secret };
    },

    async list(actor: Actor): Promise<Webhook[]> {
      requireAdmin(actor);
      return storage.webhooks.list();
    },

    /** @throws `webhook.not_found` */
    async read(actor: Actor, id: string): Promise<Webhook> {
      requireAdmin(actor);
      return find(id);
    },

    /**
     * @throws `webhook.not_found`, `webhook.url_refused`, `collection.not_found`, `criteria.invalid`, `input.invalid`,
     * `webhook.of_extension`; unless it only describes or disables the webhook, the errors of `FreshLogin.ensure`
     */
    async change(
      actor: Actor,
      id: string,
      { settings: change, presence }: GivenWebhook<WebhookChange>,
    ): Promise<Webhook> {
      requireAdmin(actor);
      const before = await find(id);
      if (Object.keys(change).some((name) => name !== 'enabled')) refuseHandler(before);
      // Without those that do not change: a caller who may not set them must not undo a concurrent change either.
      const settings = differing(await checked(change, before), before);
      if (sendsMore(settings)) await freshLogin.ensure(actor, presence);
      return audit.transaction(storage.transaction, async (stores, record) => {
        const changed = existing(await stores.webhooks.update(before.id, settings, clock.now()));
        await signalChange(before.id, stores);
        record(actor, 'webhook.changed', { to: partyOf(before.id) });
        return changed;
      });
    },

    /** @throws `webhook.not_found`, `webhook.of_extension` */
    async remove(actor: Actor, id: string): Promise<void> {
      requireAdmin(actor);
      const key = idOf(id, 'webhook.not_found');
      refuseHandler(await find(id));
      await audit.transaction(storage.transaction, async (stores, record) => {
        if (!(await stores.webhooks.remove(key))) throw new AppError('webhook.not_found');
        await signalChange(key, stores);
        record(actor, 'webhook.removed', { to: partyOf(key) });
      });
    },

    /**
     * Creates a new secret. The previous one also signs for 24 hours.
     *
     * @throws `webhook.not_found`, the errors of `FreshLogin.ensure`
     */
    async rotate(actor: Actor, id: string, presence: Presence): Promise<WebhookWithSecret> {
      requireAdmin(actor);
      const key = idOf(id, 'webhook.not_found');
      await freshLogin.ensure(actor, presence);
      const secret = webhookSender.createSecret();
      const until = clock.now() + ROTATION_MS;
      const sealed = secrets.encrypt(secret);
      return audit.transaction(storage.transaction, async (stores, record) => {
        const webhook = existing(await stores.webhooks.rotate(key, sealed, until));
        await signalChange(key, stores);
        record(actor, 'webhook.secret_rotated', { to: partyOf(key) });
        return { webhook, secret };
      });
    },

    /**
     * Sends a message of type `test` once, even if the webhook is disabled. Resolves to its outcome.
     *
     * @throws `webhook.not_found`
     */
    async test(actor: Actor, id: string): Promise<WebhookDelivery> {
      requireAdmin(actor);
      const webhook = await find(id);
      const created = clock.now();
      const sent = { id: secrets.uuid(created), revision: 0 };
      const { status, body, error } = await send(webhook, sent, { type: 'test' });
      const delivery: WebhookDelivery = {
        ...sent,
        type: 'test',
        collection: null,
        document: null,
        created,
        state: error === null ? 'delivered' : 'parked',
        attempts: 1,
        since: created,
        due: created,
        status,
        body,
        error,
      };
      if (!(await storage.webhooks.record(webhook.id, delivery))) throw new AppError('webhook.not_found');
      return delivery;
    },

    /** Returns a page of the deliveries of a webhook, newest first. @throws `webhook.not_found` */
    async deliveries(actor: Actor, { id, after, limit, ...page }: DeliveriesWanted) {
      requireAdmin(actor);
      const webhook = await find(id);
      const wanted: WebhookDeliveryPage = { ...page, before: after, limit: limit + 1 };
      const found = await storage.webhooks.deliveries(webhook.id, wanted);
      return { deliveries: found.slice(0, limit), more: found.length > limit };
    },

    /**
     * Sends a delivery again, with the newest state of its document. Resolves to the waiting delivery.
     *
     * @throws `webhook.not_found`, `webhook.delivery_not_found`, `webhook.not_replayable`
     */
    async replay(actor: Actor, id: string, deliveryId: string): Promise<WebhookDelivery> {
      requireAdmin(actor);
      const webhook = await find(id);
      const key = idOf(deliveryId, 'webhook.delivery_not_found');
      const delivery = await storage.webhooks.replay(webhook.id, key, clock.now());
      if (delivery === null) throw new AppError('webhook.delivery_not_found');
      if (delivery === 'missed') throw new AppError('webhook.not_replayable');
      await signalChange(webhook.id);
      return delivery;
    },
  };
}
