import { markNewUser } from '../changes/marks.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Stores } from '../ports/storage/storage.ts';

export interface NewUserDeps {
  readonly hooks: Hooks;
  readonly secrets: Secrets;
}

/** Records a new user for the change feed, and for the handlers of extensions, in the transaction that adds the user. */
export async function recordNewUser(
  stores: Stores,
  { hooks, secrets }: NewUserDeps,
  userId: string,
  now: number,
): Promise<void> {
  await markNewUser(stores, userId, now);
  for (const handler of hooks.afterUser) {
    await stores.webhooks.record(handler, {
      id: secrets.uuid(now),
      type: 'user',
      collection: null,
      document: userId,
      created: now,
      state: 'waiting',
      revision: 0,
      attempts: 0,
      since: null,
      due: now,
      status: null,
      body: null,
      error: null,
    });
    await stores.announcer.announce({ topic: 'webhooks', key: handler });
  }
}
