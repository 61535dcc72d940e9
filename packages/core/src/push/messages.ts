import { type Actor, requireAdmin, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { JsonValue } from '../json-text.ts';
import { userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { PushServices } from '../ports/push.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Platform } from '../ports/storage/devices.ts';
import type { DeliveryCount, PushMessage, ShownDelivery } from '../ports/storage/outbox.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserIdentity } from '../ports/storage/users.ts';
import type { RateLimiter } from '../protection/rate-limits.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { isUuid } from '../uuid.ts';
import type { PushDelivery } from './delivery.ts';
import { type PushPayload, parsePayload, parseRecipients } from './payload.ts';

const SECOND = 1_000;
/** How long sending is retried when the sender names no time to live. Milliseconds. */
const DEFAULT_LIFE_MS = 24 * 60 * 60 * SECOND;
/** Sending is retried for at least this long, even with a shorter time to live. Milliseconds. */
const SHORTEST_LIFE_MS = 60 * SECOND;

export interface DeliveryPage {
  readonly skip: number;
  readonly limit: number;
}

/** The progress of a message. */
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

  function requireSender(actor: Actor, values: SettingValues): UserIdentity {
    return values['push.senders'] === 'registereduser' ? requireUser(actor) : requireAdmin(actor);
  }

  /** @throws `push.unconfigured`, `push.refused` when every configured service rejects our credentials or settings */
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

  /** Users who block the sender are unknown, unless an administrator sends. */
  async function idsOf(usernames: readonly string[], { user, isAdmin }: Actor): Promise<readonly string[]> {
    const keys = new Map<string, string>();
    for (const name of usernames) keys.set(userKey(name), name);
    const ids = await storage.users.identify([...keys.keys()], isAdmin ? null : (user?.id ?? null));
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

  async function stateOf(message: PushMessage, { skip, limit }: DeliveryPage): Promise<MessageState> {
    const [counts, found] = await Promise.all([
      storage.outbox.counts(message.id),
      storage.outbox.list(message.id, { skip, limit: limit + 1 }),
    ]);
    return { message, counts, deliveries: found.slice(0, limit), more: found.length > limit };
  }

  async function store(message: PushMessage, userIds: readonly string[], platforms: readonly Platform[]) {
    await storage.transaction(async ({ outbox, announcer }) => {
      const waiting = await outbox.add(message, { userIds, platforms });
      if (waiting > 0) await announcer.announce({ topic: 'push', key: message.id });
      else if ((await outbox.counts(message.id)).length > 0) {
        throw new AppError('push.unconfigured', {
          detail: 'no push service is configured for the devices of these users',
        });
      }
    });
  }

  async function send(
    actor: Actor,
    body: JsonValue,
    page: DeliveryPage,
    namesIn: (body: JsonValue) => readonly string[],
  ): Promise<MessageState> {
    const values = await settings.current();
    const sender = requireSender(actor, values);
    if (!actor.isAdmin) await limiter.take({ 'push/account': sender.id });
    const payload = parsePayload(body);
    const names = namesIn(body);
    const platforms = await configuredPlatforms();
    const message = messageOf(payload, sender);
    await store(message, await idsOf(names, actor), platforms);
    return stateOf(message, page);
  }

  return {
    /**
     * Accepts a message to all devices of the users in `users`: stores it, to be sent from the outbox.
     *
     * @throws `auth.required`, `admin.required`, `input.*`, `push.too_large`, `push.unconfigured`, `push.refused`,
     *   `rate.limited`, `user.not_found`
     */
    send: (actor: Actor, body: JsonValue, page: DeliveryPage) => send(actor, body, page, parseRecipients),

    /** As `send`, to one user. */
    sendTo: (actor: Actor, username: string, body: JsonValue, page: DeliveryPage) =>
      send(actor, body, page, () => [username]),

    /**
     * The state of a message, for its sender and administrators.
     *
     * @throws `auth.required`, `push.message_not_found`
     */
    async state(actor: Actor, id: string, page: DeliveryPage): Promise<MessageState> {
      const user = requireUser(actor);
      const message = isUuid(id) ? await storage.outbox.find(id) : null;
      if (message === null || (message.senderId !== user.id && !actor.isAdmin)) {
        throw new AppError('push.message_not_found');
      }
      return stateOf(message, page);
    },
  };
}
