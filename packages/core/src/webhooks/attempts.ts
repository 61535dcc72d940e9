import { EVERYTHING } from '../access.ts';
import { collectionKey } from '../collections/collections.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Webhook, WebhookDelivery, WebhookSettlement } from '../ports/storage/webhooks.ts';
import type { WebhookAnswer, WebhookSender } from '../ports/webhooks.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { changeWanted, documentTest, keysOf } from './changes.ts';
import { handlerAt } from './handlers.ts';
import { messageBody, messageId, type RenderDocument, type Told } from './messages.ts';
import { retryAt } from './retries.ts';

export interface AttemptDeps {
  readonly storage: Storage;
  readonly webhookSender: WebhookSender;
  readonly renderDocument: RenderDocument;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly timeWatch: Pick<TimeWatch, 'earliest' | 'latest'>;
}

/** The receiver wants no further messages. */
const GONE = 410;

const NO_ANSWER = { status: null, body: null, isRefused: false, retryAfter: null } as const;
const UNREADABLE =
  'The secret of this webhook cannot be decrypted, because SECRET_KEY has changed: give it a new one with POST …/secret';

/** Returns the current signing secrets, the newest first; empty if they cannot be decrypted. */
function signingSecrets(secrets: Secrets, { secret, previous, previousUntil }: Webhook, now: number): string[] {
  const sealed = previous !== null && previousUntil > now ? [secret, previous] : [secret];
  return sealed.flatMap((one) => secrets.decrypt(one) ?? []);
}

/** Makes delivery attempts: reads the newest state of a document, and sends it. */
export function createAttempts(deps: AttemptDeps) {
  const { storage, webhookSender, renderDocument, clock, secrets, timeWatch } = deps;
  /** Returns the current message; null if there is nothing to send. */
  async function tellable(webhook: Webhook, { type, collection, document }: WebhookDelivery): Promise<Told | null> {
    if (type === 'test') return { type };
    if (document === null) return null;
    return type === 'user' ? newUser(document) : change(webhook, { collection, document });
  }

  async function newUser(id: string): Promise<Told | null> {
    const user = await storage.users.find(id);
    return user === null ? null : { type: 'user', user };
  }

  async function change(
    webhook: Webhook,
    { collection, document }: { readonly collection: string | null; readonly document: string },
  ): Promise<Told | null> {
    if (collection === null) return null;
    const key = collectionKey(collection);
    if (!keysOf(webhook).includes(key)) return null;
    const found = await storage.documents.find({ collection: key, id: document }, EVERYTHING);
    const wanted = changeWanted(webhook, documentTest(webhook.where, clock.now()), found);
    if (wanted === null) return null;
    return wanted === 'put' && found !== null
      ? { type: wanted, document: found }
      : { type: 'gone', collection, id: document };
  }

  async function send(webhook: Webhook, delivery: Pick<WebhookDelivery, 'id' | 'revision'>, told: Told) {
    const now = clock.now();
    const signing = signingSecrets(secrets, webhook, now);
    if (signing.length === 0 && handlerAt(webhook.url) === null) return { ...NO_ANSWER, error: UNREADABLE };
    return webhookSender.send({
      url: webhook.url,
      id: messageId(delivery),
      timestamp: Math.floor(now / 1_000),
      body: messageBody(told, now, renderDocument),
      secrets: signing,
    });
  }

  function settlementOf(delivery: WebhookDelivery, answer: WebhookAnswer, began: number): WebhookSettlement {
    const { id, revision } = delivery;
    const [now, earliest] = [clock.now(), timeWatch.earliest()];
    const { status, body, error, retryAfter } = answer;
    const settled = { id, revision, now: timeWatch.latest(), status, body, error };
    if (error === null) return { ...settled, state: 'delivered' };
    if (status === GONE) return { ...settled, state: 'parked' };
    // A jump of the clock does not count as time without a delivery.
    const since = (delivery.since ?? began) + now - earliest;
    const due = retryAt({ attempts: delivery.attempts + 1, since, now, retryAfter }, Math.random);
    return due === null ? { ...settled, state: 'parked' } : { ...settled, state: 'waiting', due };
  }

  return {
    send,

    /** Makes one attempt. `answer` is null if there is nothing to send any more. @throws `storage.unavailable` */
    async attempt(
      webhook: Webhook,
      delivery: WebhookDelivery,
    ): Promise<{ readonly settlement: WebhookSettlement; readonly answer: WebhookAnswer | null }> {
      const began = clock.now();
      const told = await tellable(webhook, delivery);
      if (told === null) {
        const { id, revision } = delivery;
        const settlement = { id, revision, now: began, status: null, body: null, error: null, state: 'void' } as const;
        return { settlement, answer: null };
      }
      const answer = await send(webhook, delivery, told);
      return { settlement: settlementOf(delivery, answer, began), answer };
    },

    /** Returns true if the answer disables the webhook. */
    isFinal: (answer: WebhookAnswer | null) => answer?.status === GONE,
  };
}

export type Attempts = ReturnType<typeof createAttempts>;
