import { collectionKey } from '../collections/collections.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { WebhookSettings } from '../ports/storage/webhooks.ts';
import type { WebhookSender } from '../ports/webhooks.ts';
import { isStorable } from '../utf8.ts';
import { documentTest } from './changes.ts';

export const MAX_WEBHOOK_COLLECTIONS = 100;
export const MAX_WEBHOOK_DESCRIPTION = 1_000;

/** Settings sent by a client. Absent members stay unchanged. */
export type WebhookChange = { readonly [Member in keyof WebhookSettings]?: WebhookSettings[Member] | undefined };

export interface SettingsDeps {
  readonly storage: Storage;
  readonly webhookSender: WebhookSender;
  readonly clock: Clock;
}

const invalid = (input: string, detail: string) => new AppError('input.invalid', { detail, input });

/** Returns the URL as it will be called, so that the shown URL is the called one. @throws `webhook.url_refused` */
function urlOf(sender: WebhookSender, given: string): string {
  const read = sender.read(given);
  if ('problem' in read) throw new AppError('webhook.url_refused', { detail: read.problem, input: '/url' });
  return read.url;
}

/** @throws `criteria.invalid`, `input.invalid` */
function checkWhere(where: string, collections: readonly string[], now: number): void {
  if (collections.length !== 1) throw invalid('/where', 'a condition is allowed with exactly one collection');
  try {
    documentTest(where, now);
  } catch (error) {
    if (!isAppError(error) || error.detail === null) throw error;
    throw new AppError(error.code, { detail: error.detail, input: '/where' });
  }
}

/** Returns the names of the collections, each once. @throws `collection.not_found` */
async function namesOf({ collections }: Storage, given: readonly string[]): Promise<string[]> {
  const names = new Map<string, string>();
  for (const [at, name] of given.entries()) {
    const key = collectionKey(name);
    if (names.has(key)) continue;
    const known = await collections.findName(key);
    const input = `/collections/${at}`;
    if (known === null) throw new AppError('collection.not_found', { detail: `"${name}"`, input });
    names.set(key, known);
  }
  return [...names.values()];
}

/** Returns the members that are not undefined. */
function given<T extends object>(members: T): Partial<{ [Name in keyof T]: Exclude<T[Name], undefined> }> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<{ [Name in keyof T]: Exclude<T[Name], undefined> }>;
}

/**
 * Validates a change together with the unchanged settings.
 *
 * @throws `webhook.url_refused`, `collection.not_found`, `criteria.invalid`, `input.invalid`
 */
export async function checkSettings(
  { storage, webhookSender, clock }: SettingsDeps,
  change: WebhookChange,
  before: Omit<WebhookSettings, 'url'>,
): Promise<Partial<WebhookSettings>> {
  const { types, description, enabled } = change;
  const url = change.url === undefined ? undefined : urlOf(webhookSender, change.url);
  if (description !== undefined && !isStorable(description)) throw invalid('/description', 'it is not valid text');
  const collections = change.collections === undefined ? undefined : await namesOf(storage, change.collections);
  // An empty filter counts as none.
  const where = change.where === undefined || change.where?.trim() !== '' ? change.where : null;
  const condition = where === undefined ? before.where : where;
  if (condition !== null) checkWhere(condition, collections ?? before.collections, clock.now());
  return given({ url, collections, types: types && [...new Set(types)], where, description, enabled });
}
