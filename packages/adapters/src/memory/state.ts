import type {
  Challenge,
  CollectionRules,
  DeliveryState,
  Device,
  IndexedSet,
  KeyClaim,
  NewAsset,
  NewFile,
  NewServerKey,
  NewUser,
  Passkey,
  PushMessage,
  RateWindow,
  ResetToken,
  Rights,
  Role,
  ServerKey,
  Session,
  SessionOrigin,
  SocialLink,
  StoredAnswer,
  StoredIndex,
  StoredSchema,
  StoredSetting,
  TotpSecret,
  Webhook,
  WebhookDelivery,
} from '@baobab/core';
import type { AuditChainRow, AuditRow } from './audit-store.ts';
import type { FeedPositions } from './feed.ts';
import {
  type AccessChangeRow,
  accessChangeKey,
  type FeedStateRow,
  type VisibilityMarkRow,
  visibilityMarkKey,
} from './feed-rows.ts';
import { groupTables, type PolicyRow } from './group-rows.ts';
import { mailTables } from './mail-rows.ts';
import { createTable, type Journal } from './tables.ts';

export interface CollectionRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly created: number;
  /** Role keys of each rule. Absent until rules are set. */
  readonly rules?: CollectionRules;
  readonly schema?: StoredSchema | null;
}

export interface DocumentRow {
  readonly id: string;
  readonly collection: string;
  readonly authorId: string;
  readonly version: number;
  readonly created: number;
  readonly updated: number;
  readonly content: string;
  readonly grants: ReadonlyMap<string, Rights>;
  /** Position of its last change in the change feed. */
  readonly position: number;
}

export interface FileRow extends Omit<NewFile, 'grants'> {
  readonly grants: ReadonlyMap<string, Rights>;
}

export interface AssetRow extends Omit<NewAsset, 'authorId'> {
  /** Null after the removal of the user. */
  readonly authorId: string | null;
}

export interface IndexRow {
  /** The indexed set: `c:` and the key of a collection, or `l:` and the name of another list. */
  readonly set: string;
  /** Paths, as JSON. */
  readonly path: string;
  readonly state: StoredIndex['state'];
}

export const setOf = (of: IndexedSet): string => ('list' in of ? `l:${of.list}` : `c:${of.collection}`);
export const indexKey = (set: string, path: string) => `${set} ${path}`;

export interface RoleRow extends Role {
  readonly key: string;
}

export interface FollowRow {
  readonly follower: string;
  readonly followed: string;
}

export interface BlockRow {
  readonly blocker: string;
  readonly blocked: string;
}

export const followKey = (follower: string, followed: string) => `${follower} ${followed}`;

export const socialLinkKey = (network: string, personId: string) => `${network} ${personId}`;

export interface RateLimitRow extends Omit<RateWindow, 'taken'> {
  readonly key: string;
}

export interface LockoutRow {
  readonly key: string;
  /** Number of guesses that count. */
  readonly counted: number;
  /** Number of all guesses in the window. */
  readonly place: number;
  readonly ends: number;
  /** Number of correct guesses that stop counting at `excusedAt`. */
  readonly excused: number;
  readonly excusedAt: number;
}

export interface JobRow {
  readonly name: string;
  readonly holder: string | null;
  readonly due: number;
}

export interface DeliveryRow {
  readonly message: string;
  readonly device: string;
  readonly userId: string;
  readonly os: Device['os'];
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly due: number;
  readonly reason: string | null;
}

export const deliveryKey = (message: string, device: string) => `${message} ${device}`;

export interface WebhookRow extends Webhook {
  readonly holder: string | null;
  /** End of the lease, or 0 without one. */
  readonly lease: number;
}

export interface WebhookDeliveryRow extends WebhookDelivery {
  readonly webhookId: string;
  /** End of the delivery. Null while it waits. */
  readonly finished: number | null;
}

export type IdempotencyRow = StoredAnswer & Pick<KeyClaim, 'userId' | 'digest' | 'expires'>;

export const idempotencyKey = ({ userId, digest }: Pick<KeyClaim, 'userId' | 'digest'>) => `${userId} ${digest}`;

export interface UserRow extends NewUser {
  /** Last activity of a guest, in milliseconds. */
  readonly guestSeen?: number;
  /** Last time the address was replaced or removed, in milliseconds. */
  readonly emailChanged?: number;
}

export interface SessionRow extends Session {
  /** Last login. If absent, the one that created the session. */
  readonly loggedIn?: number;
  /** Absent if unknown. */
  readonly origin?: SessionOrigin;
}

export type ServerKeyRow = ServerKey & NewServerKey;

export interface TotpRow extends TotpSecret {
  readonly userId: string;
  readonly lastStep: number;
}

export interface RecoveryCodeRow {
  readonly userId: string;
  readonly digest: string;
}

export const recoveryCodeKey = (userId: string, digest: string) => `${userId} ${digest}`;

export interface ChallengeRow extends Challenge {
  readonly attempts: number;
}
export const waitingKey = (webhookId: string, document: string) => `${webhookId} ${document}`;

export type State = ReturnType<typeof createState>;

const BUILT_IN: readonly RoleRow[] = [
  { key: 'registereduser', name: 'registereduser', description: 'Every signed-up user', builtIn: true },
  { key: 'administrator', name: 'administrator', description: 'May do everything', builtIn: true },
  { key: 'backoffice', name: 'BackOffice', description: 'Reaches every document and file', builtIn: true },
  { key: 'anonymous', name: 'anonymous', description: 'Callers without credentials', builtIn: true },
];

export function createState(journal: Journal, feed: FeedPositions) {
  const state = {
    feed,
    users: createTable<UserRow>({
      journal,
      key: ({ id }) => id,
      indexes: { key: ({ key }) => key, role: ({ role }) => role, skeleton: ({ skeleton }) => skeleton },
    }),
    sessions: createTable<SessionRow>({
      journal,
      key: ({ id }) => id,
      indexes: { user: ({ userId }) => userId, device: ({ deviceId }) => deviceId },
    }),
    devices: createTable<Device>({ journal, key: ({ id }) => id, indexes: { user: ({ userId }) => userId } }),
    follows: createTable<FollowRow>({
      journal,
      key: ({ follower, followed }) => followKey(follower, followed),
      indexes: { follower: ({ follower }) => follower, followed: ({ followed }) => followed },
    }),
    ...groupTables(journal),
    followRequests: createTable<FollowRow>({
      journal,
      key: ({ follower, followed }) => followKey(follower, followed),
      indexes: { follower: ({ follower }) => follower, followed: ({ followed }) => followed },
    }),
    followPolicies: createTable<PolicyRow>({ journal, key: ({ userId }) => userId }),
    blocks: createTable<BlockRow>({
      journal,
      key: ({ blocker, blocked }) => followKey(blocker, blocked),
      indexes: { blocker: ({ blocker }) => blocker, blocked: ({ blocked }) => blocked },
    }),
    settings: createTable<StoredSetting>({ journal, key: ({ key }) => key }),
    resetTokens: createTable<ResetToken>({
      journal,
      key: ({ userId }) => userId,
      indexes: { digest: ({ digest }) => digest },
    }),
    serverKeys: createTable<ServerKeyRow>({
      journal,
      key: ({ id }) => id,
      indexes: { digest: ({ digest }) => digest, owner: ({ ownerId }) => ownerId, role: ({ role }) => role },
    }),
    totpSecrets: createTable<TotpRow>({ journal, key: ({ userId }) => userId }),
    recoveryCodes: createTable<RecoveryCodeRow>({
      journal,
      key: ({ userId, digest }) => recoveryCodeKey(userId, digest),
      indexes: { user: ({ userId }) => userId },
    }),
    challenges: createTable<ChallengeRow>({
      journal,
      key: ({ digest }) => digest,
      indexes: { user: ({ userId }) => userId },
    }),
    passkeys: createTable<Passkey>({
      journal,
      key: ({ id }) => id,
      indexes: { user: ({ userId }) => userId, credential: ({ credential }) => credential },
    }),
    socialLinks: createTable<SocialLink>({
      journal,
      key: ({ network, personId }) => socialLinkKey(network, personId),
      indexes: { user: ({ userId }) => userId },
    }),
    rateLimits: createTable<RateLimitRow>({ journal, key: ({ key }) => key }),
    lockouts: createTable<LockoutRow>({ journal, key: ({ key }) => key }),
    idempotency: createTable<IdempotencyRow>({
      journal,
      key: idempotencyKey,
      indexes: { user: ({ userId }) => userId },
    }),
    jobs: createTable<JobRow>({ journal, key: ({ name }) => name }),
    pushMessages: createTable<PushMessage>({ journal, key: ({ id }) => id }),
    deliveries: createTable<DeliveryRow>({
      journal,
      key: ({ message, device }) => deliveryKey(message, device),
      indexes: {
        message: ({ message }) => message,
        device: ({ device }) => device,
        waiting: ({ os, state: of }) => (of === 'waiting' ? os : null),
      },
    }),
    ...mailTables(journal),
    webhooks: createTable<WebhookRow>({ journal, key: ({ id }) => id }),
    webhookDeliveries: createTable<WebhookDeliveryRow>({
      journal,
      key: ({ id }) => id,
      indexes: {
        webhook: ({ webhookId }) => webhookId,
        waiting: ({ webhookId, state: of }) => (of === 'waiting' ? webhookId : null),
        document: ({ webhookId, document, state: of }) =>
          of === 'waiting' && document !== null ? waitingKey(webhookId, document) : null,
      },
    }),
    roles: createTable<RoleRow>({ journal, key: ({ key }) => key }),
    indexes: createTable<IndexRow>({
      journal,
      key: ({ set, path }) => indexKey(set, path),
      indexes: { set: ({ set }) => set },
    }),
    collections: createTable<CollectionRow>({ journal, key: ({ key }) => key }),
    files: createTable<FileRow>({ journal, key: ({ id }) => id, indexes: { author: ({ authorId }) => authorId } }),
    assets: createTable<AssetRow>({
      journal,
      key: ({ id }) => id,
      indexes: { name: ({ name }) => name, author: ({ authorId }) => authorId },
    }),
    documents: createTable<DocumentRow>({
      journal,
      key: ({ id }) => id,
      indexes: { collection: ({ collection }) => collection, author: ({ authorId }) => authorId },
    }),
    accessChanges: createTable<AccessChangeRow>({
      journal,
      key: accessChangeKey,
      indexes: { collection: ({ collection }) => collection, audience: ({ audience }) => audience },
    }),
    visibilityMarks: createTable<VisibilityMarkRow>({
      journal,
      key: visibilityMarkKey,
      indexes: { audience: ({ audience }) => audience },
    }),
    auditEvents: createTable<AuditRow>({
      journal,
      key: ({ id }) => id,
      indexes: { waiting: ({ link }) => (link === null ? 'yes' : null) },
    }),
    auditChain: createTable<AuditChainRow>({ journal, key: () => 'chain' }),
    feedStates: createTable<FeedStateRow>({ journal, key: ({ key }) => key }),
  };
  for (const role of BUILT_IN) state.roles.set({ ...role });
  return state;
}
