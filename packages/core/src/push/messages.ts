import { type Actor, blockableViewer, requireAdmin, requireAuthor } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Transact } from '../idempotency/idempotency.ts';
import type { JsonValue } from '../json-text.ts';
import { userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { PushServices } from '../ports/push.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Platform } from '../ports/storage/devices.ts';
import type { DeliveryCount, PushMessage, SentPushMessage, ShownDelivery } from '../ports/storage/outbox.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserIdentity } from '../ports/storage/users.ts';
import type { RateLimiter } from '../protection/limits.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { isUuid } from '../wire.ts';
import type { PushDelivery } from './delivery.ts';
import { type PushPayload, parsePayload, parseRecipients } from './payload.ts';

const SECOND = 1_000;
/** Time for which sending is retried if the sender specifies no time to live, in milliseconds. */
const DEFAULT_LIFE_MS = 24 * 60 * 60 * SECOND;
/** Minimum time for which sending is retried, even with a shorter time to live, in milliseconds. */
const SHORTEST_LIFE_MS = 60 * SECOND;

/** A message as sent by its author. */
export interface SentMessage {
  readonly body: JsonValue;
  /** Name of the only recipient; null: those in the member `users` of the body. */
  readonly to: string | null;
}

export interface DeliveryPage {
  readonly skip: number;
  readonly limit: number;
}

/** A message in the list of all messages. */
export interface ListedMessage extends Pick<PushMessage, 'id' | 'created' | 'expires'> {
  /** Name of the sender; null if that user has been removed. */
  readonly sender: string | null;
  /** Displayed text. */
  readonly text: string;
}

function listed({ id, created, expires, sender, payload }: SentPushMessage): ListedMessage {
  const { message } = JSON.parse(payload) as PushPayload;
  return { id, created, expires, sender, text: message };
}

/** Progress of a message. */
export interface MessageState {
  readonly message: PushMessage;
  readonly counts: readonly DeliveryCount[];
  readonly deliveries: readonly ShownDelivery[];
  readonly more: boolean;
}

export interface PushMessagesDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly pushServices: PushServices;
  readonly pushDelivery: Pick<PushDelivery, 'lanes'>;
  /** Limits senders who are not administrators. */
  readonly limiter: RateLimiter;
}

export type PushMessages = ReturnType<typeof createPushMessages>;

/** Notifications to users, on all their devices. */
export function createPushMessages(deps: PushMessagesDeps) {
  const { storage, secrets, clock, settings, pushServices, pushDelivery, limiter } = deps;

  /**
   * @throws `push.unconfigured`, `push.refused` if every configured push service rejects our credentials or settings
   */
  async function configuredPlatforms(): Promise<readonly Platform[]> {
    const configured: Platform[] = [];
    const refusals: string[] = [];
    for (const [os, service] of Object.entries(pushServices)) {
      if ((await service.channel()) === null) continue;
      configured.push(os);
      const refusal = pushDelivery.lanes.get(os)?.refusal() ?? null;
      if (refusal !== null) refusals.push(refusal);
    }
    const [reason] = refusals;
    if (configured.length === 0) throw new AppError('push.unconfigured');
    if (reason !== undefined && refusals.length === configured.length) {
      throw new AppError('push.refused', { detail: reason });
    }
    return configured;
  }

  /** Returns the ids of users. Users who block the sender count as unknown, unless the sender is an administrator. */
  async function idsOf(usernames: readonly string[], actor: Actor): Promise<readonly string[]> {
    const keys = new Map<string, string>();
    for (const name of usernames) keys.set(userKey(name), name);
    const ids = await storage.users.identify([...keys.keys()], blockableViewer(actor));
    for (const [key, name] of keys) {
      if (!ids.has(key)) throw new AppError('user.not_found', { detail: `"${name}"` });
    }
    return [...ids.values()];
  }

  function messageOf(payload: PushPayload, sender: UserIdentity): PushMessage {
    const created = clock.now();
    const life = payload.timeToLive === null ? DEFAULT_LIFE_MS : payload.timeToLive * SECOND;
    return {
      id: secrets.uuid(created),
      senderId: sender.id,
      payload: JSON.stringify(payload),
      created,
      expires: created + Math.max(life, SHORTEST_LIFE_MS),
    };
  }

  async function deliveriesOf({ outbox }: Pick<Stores, 'outbox'>, messageId: string, { skip, limit }: DeliveryPage) {
    const found = await outbox.list(messageId, { skip, limit: limit + 1 });
    return { deliveries: found.slice(0, limit), more: found.length > limit };
  }

  return {
    /**
     * Accepts a message to all devices of its recipients, and stores it in the outbox.
     *
     * @throws `auth.required`, `admin.required`, `input.*`, `push.too_large`, `push.unconfigured`, `push.refused`,
     * `rate.limited`, `user.not_found`
     */
    async send(
      actor: Actor,
      { body, to }: SentMessage,
      page: DeliveryPage,
      transact: Transact = storage.transaction,
    ): Promise<MessageState> {
      const values = await settings.current();
      if (values['push.senders'] !== 'registereduser') requireAdmin(actor);
      const sender = requireAuthor(actor);
      if (!actor.isAdmin) await limiter.take({ 'push/account': sender.id });
      const payload = parsePayload(body);
      const names = to === null ? parseRecipients(body) : [to];
      const platforms = await configuredPlatforms();
      const message = messageOf(payload, sender);
      const recipients = { userIds: await idsOf(names, actor), platforms };
      return transact(async (stores) => {
        const counts = await stores.outbox.add(message, recipients);
        if (counts.some(({ state }) => state === 'waiting')) {
          await stores.announcer.announce({ topic: 'push', key: message.id });
        } else if (counts.length > 0) {
          const detail = 'no push service is configured for the devices of these users';
          throw new AppError('push.unconfigured', { detail });
        }
        return { message, counts, ...(await deliveriesOf(stores, message.id, page)) };
      });
    },

    /**
     * Returns the messages of all senders, newest first, for administrators.
     *
     * @param page.after returns only those before the message with this id; null for the newest
     * @throws `auth.required`, `admin.required`
     */
    async list(
      actor: Actor,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<{ readonly messages: readonly ListedMessage[]; readonly more: boolean }> {
      requireAdmin(actor);
      const found = await storage.outbox.recent({ after, limit: limit + 1 });
      return { messages: found.slice(0, limit).map(listed), more: found.length > limit };
    },

    /**
     * Returns the state of a message, for its sender and administrators.
     *
     * @throws `auth.required`, `push.message_not_found`
     */
    async state(actor: Actor, id: string, page: DeliveryPage): Promise<MessageState> {
      const user = requireAuthor(actor);
      const message = isUuid(id) ? await storage.outbox.find(id) : null;
      if (message === null || (message.senderId !== user.id && !actor.isAdmin)) {
        throw new AppError('push.message_not_found');
      }
      const [counts, found] = await Promise.all([storage.outbox.counts(id), deliveriesOf(storage, id, page)]);
      return { message, counts, ...found };
    },
  };
}
