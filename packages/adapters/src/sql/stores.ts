import type { Announcer, Stores } from '@baobab/core';
import { createAssetStore } from './assets.ts';
import { createCollectionStore } from './collections.ts';
import { createDeviceStore } from './devices.ts';
import { createDocumentStore } from './documents.ts';
import type { SqlExecutor } from './executor.ts';
import { createFileStore } from './files.ts';
import { createFollowStore } from './follows.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { createJobStore } from './jobs.ts';
import { createOutboxStore } from './outbox.ts';
import { createRateLimitStore } from './rate-limits.ts';
import { createResetTokenStore } from './reset-tokens.ts';
import { createRoleStore } from './roles.ts';
import { createSessionStore } from './sessions.ts';
import { createSettingStore } from './settings.ts';
import { createSocialLinkStore } from './social-links.ts';
import { createUserStore } from './users.ts';

type StoreName = Exclude<keyof Stores, 'announcer'>;

const FACTORIES: { readonly [Name in StoreName]: (executor: SqlExecutor) => Stores[Name] } = {
  users: createUserStore,
  sessions: createSessionStore,
  devices: createDeviceStore,
  roles: createRoleStore,
  collections: createCollectionStore,
  documents: createDocumentStore,
  files: createFileStore,
  assets: createAssetStore,
  follows: createFollowStore,
  settings: createSettingStore,
  resetTokens: createResetTokenStore,
  rateLimits: createRateLimitStore,
  idempotency: createIdempotencyStore,
  jobs: createJobStore,
  outbox: createOutboxStore,
  socialLinks: createSocialLinkStore,
};
const NAMES = Object.keys(FACTORIES) as StoreName[];

/** The stores of a storage. */
export function createSqlStores(executor: SqlExecutor, announcer: Announcer): Stores {
  const stores = Object.fromEntries(NAMES.map((name) => [name, FACTORIES[name](executor)]));
  return { ...(stores as unknown as Stores), announcer };
}

class LazyStores {
  readonly announcer: Announcer;
  readonly executor: SqlExecutor;
  readonly created: { [Name in StoreName]?: Stores[StoreName] } = {};

  constructor(executor: SqlExecutor, announcer: Announcer) {
    this.executor = executor;
    this.announcer = announcer;
  }
}

for (const name of NAMES) {
  const create = FACTORIES[name];
  Object.defineProperty(LazyStores.prototype, name, {
    get(this: LazyStores) {
      this.created[name] ??= create(this.executor);
      return this.created[name];
    },
  });
}

/** The stores of a transaction. Each is created when it is first used, because a transaction uses few of them. */
export function createTransactionStores(executor: SqlExecutor, announcer: Announcer): Stores {
  return new LazyStores(executor, announcer) as unknown as Stores;
}
