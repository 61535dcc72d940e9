import type { Announcer, SignalFeed } from '../signals.ts';
import type { ApiKeyStore } from './api-keys.ts';
import type { AssetStore } from './assets.ts';
import type { AuditStore } from './audit.ts';
import type { BlockStore } from './blocks.ts';
import type { ChallengeStore } from './challenges.ts';
import type { ChangeStore } from './changes.ts';
import type { CollectionStore } from './collections.ts';
import type { DeviceStore } from './devices.ts';
import type { DocumentStore } from './documents.ts';
import type { EmailStore } from './emails.ts';
import type { FactorStore } from './factors.ts';
import type { FileStore } from './files.ts';
import type { FollowStore } from './follows.ts';
import type { GroupInvitationStore } from './group-invitations.ts';
import type { GroupStore } from './groups.ts';
import type { IdempotencyStore } from './idempotency.ts';
import type { IndexStore } from './indexes.ts';
import type { InvitationCodeStore } from './invitation-codes.ts';
import type { JobStore } from './jobs.ts';
import type { LockoutStore } from './lockouts.ts';
import type { MailStore } from './mails.ts';
import type { OutboxStore } from './outbox.ts';
import type { PasskeyStore } from './passkeys.ts';
import type { RateLimitStore } from './rate-limits.ts';
import type { ResetTokenStore } from './reset-tokens.ts';
import type { RoleStore } from './roles.ts';
import type { SealedStore } from './sealed.ts';
import type { SearchIndexStore } from './search-indexes.ts';
import type { SessionStore } from './sessions.ts';
import type { SettingStore } from './settings.ts';
import type { SocialLinkStore } from './social-links.ts';
import type { StatisticsStore } from './statistics.ts';
import type { UserStore } from './users.ts';
import type { WebhookStore } from './webhooks.ts';

/**
 * All stored data of the server. Every method is atomic, and its effect is durable when it resolves. Every method may
 * throw `storage.unavailable`. Arguments are copied, so changing an object afterwards changes nothing stored. Texts are
 * stored and compared by code point. Times are whole milliseconds since 1970.
 */
export interface Stores {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly apiKeys: ApiKeyStore;
  readonly devices: DeviceStore;
  readonly roles: RoleStore;
  readonly collections: CollectionStore;
  readonly documents: DocumentStore;
  readonly changes: ChangeStore;
  readonly files: FileStore;
  readonly assets: AssetStore;
  readonly follows: FollowStore;
  readonly groups: GroupStore;
  readonly groupInvitations: GroupInvitationStore;
  readonly invitationCodes: InvitationCodeStore;
  readonly blocks: BlockStore;
  readonly settings: SettingStore;
  readonly resetTokens: ResetTokenStore;
  readonly factors: FactorStore;
  readonly challenges: ChallengeStore;
  readonly passkeys: PasskeyStore;
  readonly rateLimits: RateLimitStore;
  readonly lockouts: LockoutStore;
  readonly idempotency: IdempotencyStore;
  readonly jobs: JobStore;
  readonly outbox: OutboxStore;
  readonly mails: MailStore;
  readonly emails: EmailStore;
  readonly socialLinks: SocialLinkStore;
  readonly webhooks: WebhookStore;
  readonly sealed: SealedStore;
  readonly audit: AuditStore;
  readonly announcer: Announcer;
}

/** The port to implement for another database. */
export interface Storage extends Stores {
  readonly signals: SignalFeed;
  /** Not part of `Stores`, because a transaction cannot undo the building of an index. */
  readonly indexes: IndexStore;
  readonly searchIndexes: SearchIndexStore;
  /** Not part of `Stores`, because measuring takes too long for a transaction. */
  readonly statistics: StatisticsStore;
  /**
   * Runs `work` with stores that commit together, or not at all if `work` rejects. `work` must let the error of a store
   * through, because the transaction cannot continue after one. No slow work inside (mail, network). If the database
   * aborts the transaction in favour of another (a deadlock), `work` is called again from the start; therefore it must
   * have no effects except through the stores.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  /**
   * Migrates the schema to the version that this program needs, while other programs use the database. Safe to run on
   * several nodes concurrently; continues after a crash.
   *
   * @param options `evenUnfinished`: migrate even if a transfer into the database is incomplete
   * @throws `storage.schema_too_new` if the database is too new for this program, `storage.migration_blocked` if other
   * transactions held locks for too long, `storage.transfer_unfinished`
   */
  migrate(options?: { readonly evenUnfinished?: boolean }): Promise<void>;
  /**
   * Removes up to `limit` expired rows of each kind: tokens, claims, challenges, codes, ended windows of limits and
   * lockouts, idempotency keys, and push messages that expired `KEPT_MESSAGES_MS` ago, with their deliveries. Resolves
   * to their number.
   */
  removeExpired(now: number, limit: number): Promise<number>;
  /**
   * Corrects times that were stored while the clock was fast, by more than `TIME_TOLERANCE_MS`. Mails and deliveries
   * that wait for longer than `LONGEST_WAITS` are due at `now`, and such leases of webhooks end then. Sessions and
   * guests that were last seen after `latest` were seen then. Links last until `latest` plus `LONGEST_LINK_MS`.
   * Resolves to the number of corrected rows.
   */
  correctTimes(now: number, latest: number): Promise<number>;
  /**
   * For a storage with work to do in the background: removes up to about `limit` rows of each user, collection and
   * group whose removal has begun, each in a transaction, or does other work once nothing is left of them. Concurrent
   * calls are harmless. Resolves to true if anything is left to remove.
   */
  maintain?(limit: number): Promise<boolean>;
  /**
   * For a storage that reads some lists from replicas, which lag behind: ensures that from now on the lists of this
   * user (null: of anonymous callers) include everything committed by now, in every process. Called before a write of
   * the user is acknowledged, and before a cursor of the change feed is returned. Returns null if there is nothing to
   * wait for.
   */
  readonly acknowledge?: (userId: string | null) => Promise<void> | null;
  /** @throws `storage.unavailable` if it cannot serve, `storage.schema_too_new` as `migrate` */
  health(): Promise<void>;
  /** Finishes calls in progress and closes the connections. Afterwards every call throws `storage.unavailable`. */
  close(): Promise<void>;
}
