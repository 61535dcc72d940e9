import { EVERYTHING } from '../access.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Change, FeedState } from '../ports/storage/changes.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { NewWebhookDelivery, Webhook, WebhookCursor, WebhookHolder } from '../ports/storage/webhooks.ts';
import { changeWanted, type DocumentTest, documentTest, keysOf } from './changes.ts';

/** Maximum number of waiting deliveries per webhook. Further changes stay in the feed, where they cost nothing. */
const MAX_WAITING = 1_000;
/** Maximum number of changes per read. */
const PAGE = 500;
const PAGE_BYTES = 4 * 1_048_576;
/** Interval of storing the cursor if no change matches the webhook, in milliseconds. */
const STORE_CURSOR_MS = 10_000;

const MISSED =
  'Changes may be missing: the database was restored, or the webhook was off for longer than changes are remembered. ' +
  'Read the collections again; the webhook goes on with the changes from this moment on.';
const removed = (collection: string) =>
  `The collection "${collection}" was removed with all its documents; there is no delivery for each of them.`;

/**
 * `more`: there is more to read now. `full`: nothing can be read until deliveries are finished. `lost`: the lease has
 * ended.
 */
export type ReadOutcome = 'more' | 'done' | 'full' | 'lost';

export interface ReaderDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** Returns the current cursor, which skips everything committed before. */
const currentCursor = ({ epoch, horizon }: FeedState): WebhookCursor => ({
  epoch,
  place: { position: horizon, id: '' },
  marks: horizon,
});

export const startCursor = async (storage: Pick<Storage, 'changes'>): Promise<WebhookCursor> =>
  currentCursor(await storage.changes.state());

/** Reads the change feed for one webhook, and stores deliveries. */
export function createReader(holder: string, { storage, clock, secrets }: ReaderDeps) {
  /** Place up to which the feed was read. The stored cursor may be behind it. */
  let cursor: WebhookCursor | null = null;
  let storedAt = 0;

  const newDelivery = (about: Pick<NewWebhookDelivery, 'type' | 'collection' | 'document' | 'error'>) => {
    const created = clock.now();
    return { id: secrets.uuid(created), created, ...about };
  };

  const missed = (collection: string | null, error: string) =>
    newDelivery({ type: 'missed', collection, document: null, error });

  async function advance(of: WebhookHolder, to: WebhookCursor, deliveries: readonly NewWebhookDelivery[]) {
    const isHeld = await storage.webhooks.advance(of, to, deliveries);
    cursor = isHeld ? to : null;
    storedAt = clock.now();
    return isHeld;
  }

  /** Returns entries for the collections removed since the cursor. Marks beyond the horizon wait. */
  async function removals(webhook: Webhook, from: WebhookCursor, horizon: number): Promise<NewWebhookDelivery[]> {
    const find = async (collections: readonly string[]) => {
      const mark = await storage.changes.visibilityChange({ since: from.marks, audiences: ['*'], collections });
      return mark !== null && mark.position < horizon;
    };
    if (!(await find(keysOf(webhook)))) return [];
    const found: NewWebhookDelivery[] = [];
    for (const name of webhook.collections) {
      if (await find(keysOf({ collections: [name] }))) found.push(missed(name, removed(name)));
    }
    return found;
  }

  function deliveryOf(webhook: Webhook, matches: DocumentTest, change: Change): NewWebhookDelivery[] {
    const document = change.type === 'put' ? change.document : null;
    const type = changeWanted(webhook, matches, document);
    if (type === null) return [];
    const { collection, id } = change.type === 'put' ? change.document : change;
    return [newDelivery({ type, collection, document: id, error: null })];
  }

  /**
   * Stores the deliveries and the cursor. Without deliveries, the cursor is stored at intervals only. Resolves to true
   * while the lease is held.
   */
  async function store(
    of: WebhookHolder,
    from: WebhookCursor,
    to: WebhookCursor,
    deliveries: readonly NewWebhookDelivery[],
  ) {
    const hasMoved = to.place.position !== from.place.position || to.place.id !== from.place.id;
    if (deliveries.length > 0 || (hasMoved && clock.now() - storedAt >= STORE_CURSOR_MS)) {
      return advance(of, to, deliveries);
    }
    cursor = to;
    return true;
  }

  async function readFrom(webhook: Webhook, from: WebhookCursor, state: FeedState): Promise<ReadOutcome> {
    const { waiting } = await storage.webhooks.backlog(webhook.id);
    if (waiting >= MAX_WAITING) return 'full';
    const notices = await removals(webhook, from, state.horizon);
    const page = await storage.changes.read({
      collections: keysOf(webhook),
      scope: EVERYTHING,
      openCollections: [],
      after: from.place,
      limit: Math.min(PAGE, MAX_WAITING - waiting),
      maxBytes: PAGE_BYTES,
    });
    const matches = documentTest(webhook.where, clock.now());
    const deliveries = page.changes.flatMap((change) => deliveryOf(webhook, matches, change));
    const to = { epoch: state.epoch, place: page.next, marks: Math.max(from.marks, state.horizon) };
    if (!(await store({ id: webhook.id, holder }, from, to, [...notices, ...deliveries]))) return 'lost';
    return page.more ? 'more' : 'done';
  }

  return {
    /** Reads a page of the feed. @throws `storage.unavailable` */
    async read(webhook: Webhook): Promise<ReadOutcome> {
      const state = await storage.changes.state();
      const from = cursor ?? webhook.cursor;
      if (from.epoch === state.epoch && from.place.position >= state.oldest) return readFrom(webhook, from, state);
      const isHeld = await advance({ id: webhook.id, holder }, currentCursor(state), [missed(null, MISSED)]);
      return isHeld ? 'more' : 'lost';
    },

    /** Discards the cursor. To be called when another node may have moved the stored cursor. */
    forget(): void {
      cursor = null;
    },
  };
}

export type WebhookReader = ReturnType<typeof createReader>;
