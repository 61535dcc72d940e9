// The ports, which adapters implement, and their data types.

export type {
  Archive,
  ArchiveKind,
  ArchiveRow,
  ArchiveSource,
  ArchiveTarget,
  SchemaStatus,
  WriteWatch,
} from './archive.ts';
export { AUDIT_ACTS, type AuditAct, type AuditEvent, type AuditParty, type AuditSink } from './audit.ts';
export type { BackupArchives, OpenArchive, ReadEntry, Restarts, RestoreOutcome } from './backups.ts';
export type {
  BlobContent,
  BlobGroup,
  BlobInfo,
  BlobKey,
  BlobListOptions,
  BlobPage,
  Blobs,
  ByteRange,
  StoredBlob,
} from './blobs.ts';
export type { Clock } from './clock.ts';
export type { CommonPasswords } from './common-passwords.ts';
export type { Gauge, Gauges, LabelledCounts } from './gauges.ts';
export type { ImageFormat, ImageInfo, ImageSize, Images } from './images.ts';
export type { Logger } from './logger.ts';
export type { Mailer, MailMessage } from './mailer.ts';
export type { OAuthNetwork, OAuthNetworks, OAuthPerson, OAuthProof } from './oauth.ts';
export type { OutboundHosts } from './outbound.ts';
export type { Passwords } from './passwords.ts';
export type { PushChannel, PushNotification, PushOutcome, PushService, PushServices } from './push.ts';
export {
  type CompiledSchema,
  type InputProblem,
  MAX_PROBLEMS,
  type SchemaCompilation,
  type SchemaCompiler,
} from './schemas.ts';
export type { Secrets } from './secrets.ts';
export type { Announcer, Signal, SignalFeed, SignalListener, SignalRelay } from './signals.ts';
export type {
  ApiKey,
  ApiKeyStore,
  ApiKeyUse,
  ApiKeyWithOwner,
  NewApiKey,
} from './storage/api-keys.ts';
export type { AssetList, AssetRecord, AssetStore, AssetSummary, NewAsset, StoredFile } from './storage/assets.ts';
export {
  type AuditChainPart,
  type AuditFilter,
  type AuditLink,
  type AuditPage,
  type AuditRecord,
  type AuditStore,
  CHAIN_START,
  type NewAuditRecord,
} from './storage/audit.ts';
export type { Block, BlockOutcome, BlockStore } from './storage/blocks.ts';
export type { Challenge, ChallengeStore } from './storage/challenges.ts';
export type {
  Change,
  ChangeStore,
  ChangesPage,
  ChangesWanted,
  FeedBatch,
  FeedEntry,
  FeedPlace,
  FeedState,
  VisibilityChange,
  VisibilityMark,
  VisibilityReason,
  VisibilityWanted,
} from './storage/changes.ts';
export { MAX_MARKS } from './storage/changes.ts';
export type {
  Check,
  CheckedAction,
  Collection,
  CollectionRules,
  CollectionStore,
  OnDelete,
  ParentAction,
  ParentRule,
  Rule,
  RuleAction,
  RulesChange,
  StoredSchema,
} from './storage/collections.ts';
export { NO_RULES, SAMPLED_DOCUMENTS } from './storage/collections.ts';
export type { Device, DeviceStore, Platform } from './storage/devices.ts';
export type {
  ChangedDocument,
  DocumentAddress,
  DocumentHolders,
  DocumentList,
  DocumentLookUp,
  DocumentRecord,
  DocumentStore,
  DocumentSummary,
  FoundDocument,
  NamedGrant,
  NewDocument,
  PlacedDocument,
  Refusal,
  SummaryRow,
} from './storage/documents.ts';
export type { EmailClaim, EmailStore } from './storage/emails.ts';
export type { FactorStore, TotpConfirmation, TotpSecret, TotpUse } from './storage/factors.ts';
export type {
  FileList,
  FileRecord,
  FileSelection,
  FileStore,
  FileSummary,
  FoundFile,
  NewFile,
} from './storage/files.ts';
export { FOLLOW_POLICIES, type FollowOutcome, type FollowPolicy, type FollowStore } from './storage/follows.ts';
export type {
  GroupInvitation,
  GroupInvitationStore,
  GroupPolicy,
  InvitedRole,
  ReceivedInvitation,
  SentInvitation,
} from './storage/group-invitations.ts';
export type {
  CountedGroup,
  Group,
  GroupCounts,
  GroupMember,
  GroupRole,
  GroupStore,
  Joining,
  OwnGroup,
  RowPage,
} from './storage/groups.ts';
export type { IdempotencyKey, IdempotencyStore, KeyClaim, StoredAnswer } from './storage/idempotency.ts';
export {
  INDEXED_LISTS,
  type IndexedList,
  type IndexedSet,
  type IndexStore,
  type StoredIndex,
} from './storage/indexes.ts';
export {
  type FoundCode,
  type InvitationCode,
  type InvitationCodeStore,
  KEPT_CODE_MS,
  type ListedCode,
  MAX_CODE_LIFETIME_MS,
  type MemberRemoval,
} from './storage/invitation-codes.ts';
export type { JobRun, JobStore } from './storage/jobs.ts';
export type { AnnouncedGuess, LockoutStore } from './storage/lockouts.ts';
export type { ClaimedMail, MailAttempt, MailClaim, MailStore, WaitingMail } from './storage/mails.ts';
export {
  type Claim,
  type ClaimedDelivery,
  DELIVERY_STATES,
  type DeliveryAttempt,
  type DeliveryCount,
  type DeliveryState,
  KEPT_MESSAGES_MS,
  type OutboxStore,
  type PushMessage,
  type Recipients,
  type SentPushMessage,
  type Settlement,
  type ShownDelivery,
} from './storage/outbox.ts';
export type { NewPasskey, Passkey, PasskeyStore, PasskeyUse } from './storage/passkeys.ts';
export type { RateLimit, RateLimitStore, RateWindow } from './storage/rate-limits.ts';
export type { ResetToken, ResetTokenStore } from './storage/reset-tokens.ts';
export type { Role, RoleStore } from './storage/roles.ts';
export { SEALED_KINDS, type SealedKind, type SealedStore, type SealedValue } from './storage/sealed.ts';
export type { SearchIndexStore, StoredSearchIndex } from './storage/search-indexes.ts';
export type {
  ListedSession,
  Session,
  SessionOrigin,
  SessionStore,
  SessionWithUser,
  VerifiedCredentials,
} from './storage/sessions.ts';
export type { SettingStore, StoredSetting } from './storage/settings.ts';
export type { SocialLink, SocialLinkStore } from './storage/social-links.ts';
export type { CreatedOnDay, Measurement, StatisticsStore, Volume } from './storage/statistics.ts';
export type { Storage, Stores } from './storage/storage.ts';
export {
  type CountedBelongings,
  type ListedUser,
  MAX_RESERVED_NAMES,
  type NameReservation,
  type NewUser,
  type ProfileScope,
  type Sections,
  type UserChange,
  type UserCredentials,
  type UserIdentity,
  type UserList,
  type UserLookUp,
  type UserName,
  type UserRecord,
  type UserSelection,
  type UserSet,
  type UserStatus,
  type UserStore,
  type UserSummary,
  type UserWithGroups,
  type ViewedUser,
} from './storage/users.ts';
export {
  CHANGE_TYPES,
  type ChangeType,
  type NewWebhookDelivery,
  WEBHOOK_DELIVERY_STATES,
  type Webhook,
  type WebhookBacklog,
  type WebhookCursor,
  type WebhookDelivery,
  type WebhookDeliveryPage,
  type WebhookDeliveryState,
  type WebhookDeliveryType,
  type WebhookHolder,
  type WebhookResult,
  type WebhookSecrets,
  type WebhookSettings,
  type WebhookSettlement,
  type WebhookStore,
} from './storage/webhooks.ts';
export type { Timers } from './timers.ts';
export type { Totp, TotpAccount } from './totp.ts';
export type {
  AssertionResponse,
  ExpectedAssertion,
  RefusedResponse,
  RegistrationResponse,
  VerifiedCredential,
  WebAuthn,
} from './webauthn.ts';
export type { WebhookAnswer, WebhookRequest, WebhookSender } from './webhooks.ts';
