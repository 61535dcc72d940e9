import type { Announcer, SignalFeed } from '../signals.ts';
import type { AssetStore } from './assets.ts';
import type { CollectionStore } from './collections.ts';
import type { DeviceStore } from './devices.ts';
import type { DocumentStore } from './documents.ts';
import type { FileStore } from './files.ts';
import type { FollowStore } from './follows.ts';
import type { IdempotencyStore } from './idempotency.ts';
import type { IndexStore } from './indexes.ts';
import type { JobStore } from './jobs.ts';
import type { OutboxStore } from './outbox.ts';
import type { RateLimitStore } from './rate-limits.ts';
import type { ResetTokenStore } from './reset-tokens.ts';
import type { RoleStore } from './roles.ts';
import type { SessionStore } from './sessions.ts';
import type { SettingStore } from './settings.ts';
import type { SocialLinkStore } from './social-links.ts';
import type { UserStore } from './users.ts';

/**
 * All that is kept. Every method is atomic by itself and durable when it resolves; every one may throw
 * `storage.unavailable`. What goes in is copied, so that changing it afterwards changes nothing stored. Texts
 * are stored and compared by code point. Times are whole milliseconds since 1970.
 */
export interface Stores {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly devices: DeviceStore;
  readonly roles: RoleStore;
  readonly collections: CollectionStore;
  readonly documents: DocumentStore;
  readonly files: FileStore;
  readonly assets: AssetStore;
  readonly follows: FollowStore;
  readonly settings: SettingStore;
  readonly resetTokens: ResetTokenStore;
  readonly rateLimits: RateLimitStore;
  readonly idempotency: IdempotencyStore;
  readonly jobs: JobStore;
  readonly outbox: OutboxStore;
  readonly socialLinks: SocialLinkStore;
  readonly announcer: Announcer;
}

/** What an operator implements to bring another database. */
export interface Storage extends Stores {
  readonly signals: SignalFeed;
  /** Building one is nothing that a transaction could undo. */
  readonly indexes: IndexStore;
  /**
   * Runs `work` against stores that commit together, or not at all when it rejects. The error of a store must be
   * let through: after one, nothing more can be done in that transaction. No slow work inside (mail, network).
   * Where the database gives a transaction up for another one (a deadlock), `work` is called again from the start: it
   * changes nothing but what the stores keep.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  /**
   * Brings the schema to what this program needs, while other programs serve on it; safe when several do it at once, and
   * gone on with after a crash. A newer schema stays as it is where it says that this program can work with it.
   *
   * @param options `evenUnfinished`: also where a transfer into it has not been finished
   * @throws `storage.schema_too_new` when the database is newer and this program cannot work with it,
   *   `storage.migration_blocked` when others held what had to be changed for too long, `storage.transfer_unfinished`
   */
  migrate(options?: { readonly evenUnfinished?: boolean }): Promise<void>;
  /** @throws `storage.unavailable` when it cannot serve, `storage.schema_too_new` as `migrate` */
  health(): Promise<void>;
  /** Finishes what runs and lets go; afterwards every call throws `storage.unavailable`. */
  close(): Promise<void>;
}
