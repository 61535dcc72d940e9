import {
  type ApiKey,
  AppError,
  type AuditLink,
  type Challenge,
  type CollectionRules,
  type DeliveryState,
  type Device,
  type EmailClaim,
  type FollowPolicy,
  type Group,
  type GroupInvitation,
  type GroupRole,
  type IndexedSet,
  type InvitationCode,
  type KeyClaim,
  type MemberRemoval,
  type NewApiKey,
  type NewAsset,
  type NewAuditRecord,
  type NewFile,
  type NewUser,
  type Passkey,
  type PlacedDocument,
  type PushMessage,
  type RateWindow,
  type ResetToken,
  type Role,
  type Session,
  type SessionOrigin,
  type SocialLink,
  type StoredAnswer,
  type StoredIndex,
  type StoredSchema,
  type StoredSearchIndex,
  type StoredSetting,
  type TotpSecret,
  type UserName,
  type VisibilityChange,
  type WaitingMail,
  type Webhook,
  type WebhookDelivery,
} from '@baobab/core';
import { createFeedPositions } from './feed.ts';
import type { Grants } from './grants.ts';
import { createJournal, createTable } from './tables.ts';

export interface CollectionRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly created: number;
  /** Role keys of each rule. Null until rules are set. */
  readonly rules: CollectionRules | null;
  readonly schema: StoredSchema | null;
  readonly search: StoredSearchIndex | null;
}

export interface DocumentRow {
  readonly id: string;
  readonly collection: string;
  readonly authorId: string;
  /** Id of the user who wrote the current version. */
  readonly updatedBy: string;
  readonly version: number;
  readonly created: number;
  readonly updated: number;
  readonly content: string;
  readonly grants: Grants;
  /** Position of its last change in the change feed. */
  readonly position: number;
}

export interface FileRow extends Omit<NewFile, 'grants'> {
  readonly grants: Grants;
}

export interface AssetRow extends Omit<NewAsset, 'authorId'> {
  /** Null after the removal of the user. */
  readonly authorId: string | null;
}

interface IndexRow {
  /** The indexed set: `c:` and the key of a collection, or `l:` and the name of another list. */
  readonly set: string;
  /** Paths, as JSON. */
  readonly path: string;
  readonly state: StoredIndex['state'];
  readonly isUnique: boolean;
}

export const setOf = (of: IndexedSet): string => ('list' in of ? `l:${of.list}` : `c:${of.collection}`);

interface Follow {
  readonly follower: string;
  readonly followed: string;
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

export interface UserRow extends NewUser {
  /** Time from which on the user is removed, in milliseconds. */
  readonly eraseAt: number | null;
  /** Last activity of a guest, in milliseconds. */
  readonly guestSeen: number;
  /** Last time the address was replaced or removed, in milliseconds. */
  readonly emailChanged: number | null;
}

export interface SessionRow extends Session, SessionOrigin {
  /** Time of the login. */
  readonly loggedIn: number;
}

/** A name reserved for its former owner. */
export interface FormerNameRow extends Omit<UserName, 'name'> {
  readonly userId: string;
  readonly expires: number;
}

export interface GroupMemberRow {
  readonly groupId: string;
  readonly userId: string;
  readonly role: GroupRole;
  readonly joined: number;
  readonly counted: boolean;
}

/** The policy that a user chose. */
export interface PolicyRow {
  readonly userId: string;
  readonly policy: FollowPolicy;
}

/** A change of the visibility of a document for an audience: a grant, a revocation, or the removal of the document. */
export interface AccessChangeRow {
  /** Key of the collection. */
  readonly collection: string;
  readonly document: string;
  readonly audience: string;
  readonly position: number;
  readonly recorded: number;
}

export interface AuditRow extends NewAuditRecord {
  /** Null until the event joins the chain. */
  readonly link: AuditLink | null;
}

export type State = ReturnType<typeof createState>;

const BUILT_IN: readonly Role[] = [
  { name: 'registereduser', description: 'Every signed-up user', builtIn: true },
  { name: 'administrator', description: 'May do everything', builtIn: true },
  { name: 'BackOffice', description: 'Reaches every document and file', builtIn: true },
  { name: 'anonymous', description: 'Callers without credentials', builtIn: true },
];

/**
 * Meaning of a column with ids of users, or null. The rows of an `owner` are removed with the user. Those of a `user`
 * have code in `user-removal.ts`.
 */
type Column = 'user' | 'owner';

export function createState() {
  const journal = createJournal();
  /** Functions that each remove the rows of a user. */
  const removals: Array<(userId: string) => void> = [];

  function requireUser(id: string): void {
    if (!users.has(id)) throw new AppError('user.not_found');
  }

  function table<V extends object>(key: readonly (keyof V)[], columns: { readonly [Name in keyof V]?: Column } = {}) {
    const ofUsers = Object.entries(columns) as [keyof V, Column][];
    const created = createTable<V>(journal, key, (row) => {
      for (const [name] of ofUsers) if (row[name] !== null) requireUser(String(row[name]));
    });
    for (const [name, column] of ofUsers) {
      if (column === 'owner') removals.push((userId) => created.remove((row) => row[name] === userId));
    }
    return created;
  }

  const users = table<UserRow>(['id']);
  const state = {
    journal,
    feed: createFeedPositions(),
    removals,
    requireUser,
    users,
    formerNames: table<FormerNameRow>(['key'], { userId: 'owner' }),
    sessions: table<SessionRow>(['id'], { userId: 'owner' }),
    devices: table<Device>(['id'], { userId: 'owner' }),
    follows: table<Follow>(['follower', 'followed'], { follower: 'owner', followed: 'user' }),
    followRequests: table<Follow>(['follower', 'followed'], { follower: 'owner', followed: 'owner' }),
    followPolicies: table<PolicyRow>(['userId'], { userId: 'owner' }),
    blocks: table<{ readonly blocker: string; readonly blocked: string }>(['blocker', 'blocked'], {
      blocker: 'owner',
      blocked: 'owner',
    }),
    groups: table<Group>(['id']),
    groupMembers: table<GroupMemberRow>(['groupId', 'userId'], { userId: 'user' }),
    groupInvitations: table<GroupInvitation>(['groupId', 'userId'], { userId: 'owner', by: 'owner' }),
    groupPolicies: table<PolicyRow>(['userId'], { userId: 'owner' }),
    invitationCodes: table<InvitationCode & { readonly digest: string }>(['id'], { by: 'owner' }),
    removedMembers: table<MemberRemoval & { readonly expires: number }>(['groupId', 'userId'], { userId: 'owner' }),
    settings: table<StoredSetting>(['key']),
    resetTokens: table<ResetToken>(['userId'], { userId: 'owner' }),
    apiKeys: table<ApiKey & NewApiKey>(['id'], { ownerId: 'owner' }),
    totpSecrets: table<TotpSecret & { readonly userId: string; readonly lastStep: number }>(['userId'], {
      userId: 'owner',
    }),
    recoveryCodes: table<{ readonly userId: string; readonly digest: string }>(['userId', 'digest'], {
      userId: 'owner',
    }),
    challenges: table<Challenge & { readonly attempts: number }>(['digest'], { userId: 'owner' }),
    passkeys: table<Passkey>(['id'], { userId: 'owner' }),
    socialLinks: table<SocialLink>(['network', 'personId'], { userId: 'owner' }),
    rateLimits: table<Omit<RateWindow, 'taken'> & { readonly key: string }>(['key']),
    lockouts: table<LockoutRow>(['key']),
    idempotency: table<StoredAnswer & Omit<KeyClaim, 'now'>>(['userId', 'digest'], { userId: 'owner' }),
    orphans: table<PlacedDocument>(['id']),
    /** Removed documents that have left files behind. */
    leftFiles: table<{ readonly document: string }>(['document']),
    jobs: table<{ readonly name: string; readonly holder: string | null; readonly due: number }>(['name']),
    pushMessages: table<PushMessage>(['id']),
    deliveries: table<DeliveryRow>(['message', 'device']),
    mails: table<WaitingMail & { readonly due: number; readonly attempts: number }>(['id'], { userId: 'owner' }),
    emailClaims: table<EmailClaim & { readonly attempts: number }>(['userId'], { userId: 'owner' }),
    verifiedEmails: table<{ readonly key: string; readonly userId: string }>(['key'], { userId: 'owner' }),
    webhooks: table<WebhookRow>(['id']),
    webhookDeliveries: table<WebhookDeliveryRow>(['id']),
    roles: table<Role & { readonly key: string }>(['key']),
    indexes: table<IndexRow>(['set', 'path']),
    collections: table<CollectionRow>(['key']),
    files: table<FileRow>(['id'], { authorId: 'user' }),
    assets: table<AssetRow>(['id'], { authorId: 'user' }),
    documents: table<DocumentRow>(['id'], { authorId: 'user' }),
    accessChanges: table<AccessChangeRow>(['collection', 'document', 'audience']),
    visibilityMarks: table<VisibilityChange & { readonly recorded: number }>(['audience', 'collection', 'reason']),
    auditEvents: table<AuditRow>(['id']),
    /** Both ends of the chain of audit events, in one row. */
    auditChain: table<{ readonly anchor: AuditLink; readonly head: AuditLink }>([]),
    /** See `FeedState`, in one row. */
    feedStates: table<{ readonly oldest: number }>([]),
  };
  for (const role of BUILT_IN) state.roles.set({ ...role, key: role.name.toLowerCase() });
  return state;
}
