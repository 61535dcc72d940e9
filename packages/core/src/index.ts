// Exports of the core for other packages, by feature. The ports have a separate list.

// Shared by all features

export {
  ACTIONS,
  type AccessScope,
  type Action,
  allows,
  allowsEverywhere,
  authorAudience,
  EVERY_RIGHT,
  EVERYBODY,
  EVERYTHING,
  type Grant,
  type GranteeKind,
  groupPrincipal,
  type Principal,
  parsePrincipal,
  RIGHTS,
  type Rights,
  rolePrincipal,
  sufficientRights,
  userPrincipal,
} from './access.ts';
export {
  type Actor,
  ANONYMOUS,
  createActor,
  isSignedIn,
  requireAdmin,
  requireSignedIn,
  requireUser,
  type SignedInActor,
} from './actor.ts';
export { BatchFailure, isBatchFailure } from './batch-failure.ts';
export { type BoundedCache, createBoundedCache } from './bounded-cache.ts';
export { AppError, ERRORS, type ErrorCode, isAppError } from './errors.ts';
export {
  createHousekeeping,
  HOUSEKEEPING_INTERVAL_MS,
  type Housekeeping,
  type HousekeepingDeps,
  type Sweep,
} from './housekeeping.ts';
export { BEHIND_LAST, type JsonStep, readJsonAt, removeJsonAt, writeJsonAt } from './json-edit.ts';
export { elementsOf, membersOf } from './json-parts.ts';
export {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  type ParsedJson,
  parseJson,
} from './json-text.ts';
export { nearestName } from './nearest.ts';
export { createRemovals, type Removals, type Removing } from './removals.ts';
export { SECTIONS, type SectionName } from './section-names.ts';
export { createSemaphore } from './semaphore.ts';
export { exceedsBytes } from './utf8.ts';
export { isUuid } from './uuid.ts';
export { parseDate, wireDate, wireDateOrNull } from './wire-date.ts';

// Archives

export {
  type ArchiveEntry,
  type BackupSize,
  backupEntries,
  type ReadEntry,
  restoreEntries,
} from './archives/backup.ts';
export { ArchiveError, damaged, notEmpty } from './archives/errors.ts';
export { transfer } from './archives/transfer.ts';

// Audit

export * from './audit/index.ts';

// Assets

export { assetNames } from './assets/asset-names.ts';
export {
  type AssetDetails,
  type Assets,
  type AssetUpload,
  assetDetails,
  createAssets,
  type FileAsset,
} from './assets/assets.ts';

// Blobs

export { blobGroup, blobKey, parseBlobKey } from './blobs/keys.ts';

// Changes

export { type Changes, createChanges } from './changes/changes.ts';
export type { StreamEvent, StreamSink } from './changes/stream.ts';
export { type ChangeStreams, createChangeStreams, DEFAULT_MAX_STREAMS } from './changes/streams.ts';

// Collections

export { type Collections, createCollections } from './collections/collections.ts';
export { createPolicies } from './collections/policies.ts';
export { type CollectionRuleAdmin, createCollectionRuleAdmin, type ShownRules } from './collections/rules.ts';
export { type CollectionSchemas, createCollectionSchemas, type Violations } from './collections/schemas.ts';

// Criteria

export { createTest, EARTH_RADIUS_KM, kilometres, matches } from './criteria/evaluate.ts';
export {
  documentColumn,
  documentResolver,
  sectionOf,
  userResolver,
  userSortColumn,
  userSortValues,
} from './criteria/names.ts';
export { compareSortValues, createComparator, OTHER, SORTED_LENGTH, sortedText, sortValues } from './criteria/order.ts';
export type { PageBounds } from './criteria/page.ts';
export { createQueryParser, parseQuery, type QueryParser, type QueryText } from './criteria/query.ts';
export { EVERY_OBJECT, type SearchPage, type SearchResult } from './criteria/search.ts';
export {
  assetColumn,
  fileColumn,
  isStoredId,
  type StoredColumn,
  storedResolver,
  storedSortValues,
} from './criteria/stored-names.ts';
export { roundAggregate, type SummaryRequest, type SummaryValue, summarize } from './criteria/summary.ts';
export type {
  Aggregate,
  Comparison,
  Condition,
  Constant,
  ListPosition,
  Operand,
  OrderKey,
  Path,
  PathStep,
  Query,
  Scalar,
  SortValue,
} from './criteria/syntax.ts';
export {
  canonicalPattern,
  compareCodePoints,
  isStorable,
  lengthInCodePoints,
} from './criteria/text.ts';
export { type PageWithTotal, withTotal } from './criteria/totals.ts';
export { meaningsOf, type Resolve, resolverOf, valueAt } from './criteria/values.ts';

// Documents

export type { DocumentPath } from './documents/address.ts';
export {
  type Batch,
  type Batches,
  type BatchOperation,
  createBatches,
  MAX_BATCH_OPERATIONS,
} from './documents/batch.ts';
export { expectedVersion } from './documents/content.ts';
export {
  createDocuments,
  type DocumentPage,
  type DocumentPageResult,
  type DocumentSearch,
  type Documents,
} from './documents/documents.ts';
export type {
  DocumentFieldChange,
  DocumentFieldPath,
  DocumentFieldRemoval,
  DocumentPatch,
} from './documents/edits.ts';
export type { ExpandedDocument, ExpandedMember } from './documents/expansion.ts';
export { parseFieldPath, parseTargetPath } from './documents/field-path.ts';
export type { GrantChange } from './documents/grant-changes.ts';
export { grantMembers } from './documents/grants.ts';
export type { PatchKind } from './documents/patch.ts';
export { parseExpand, type Reference } from './documents/references.ts';
export {
  createDocumentTransactions,
  type DocumentTransaction,
  type DocumentTransactions,
} from './documents/transactions.ts';
export { createSchemaValidators } from './documents/validators.ts';
export type { WrittenDocument } from './documents/written.ts';

// Factors

export { createFactors, type Factors } from './factors/factors.ts';
export { createSecondFactor, type FactorProof, type SecondFactor } from './sessions/second-factor.ts';

// Files

export { contentTypeOf, type TypeEvidence } from './files/content-type.ts';
export { safeFileName } from './files/file-name.ts';
export { fileNames } from './files/file-names.ts';
export { createFiles, type FileGrantChange, type Files, type FileUpload, type OpenedFile } from './files/files.ts';

// Follows

export { type Blocks, createBlocks } from './follows/blocks.ts';
export { createFollows, type FollowPair, type Follows } from './follows/follows.ts';
export { type FollowState, followOutcome } from './follows/outcome.ts';

// Groups

export { createGroups, type GroupPath, type Groups, type MemberPath } from './groups/groups.ts';
export { createInvitationCodes, type InvitationCodes } from './groups/invitation-codes.ts';
export { createGroupInvitations, type GroupInvitations } from './groups/invitations.ts';

// Idempotency

export {
  createIdempotency,
  type Idempotency,
  type KeyedAnswer,
  type KeyedRequest,
  type Outcome,
  parseIdempotencyKey,
  type Transact,
} from './idempotency/idempotency.ts';

// Images

export * from './images/index.ts';

// Indexes

export { canIndex } from './indexes/index-paths.ts';
export {
  createIndexes,
  type DeclaredIndex,
  type IndexAdvice,
  type Indexes,
  type IndexPlace,
  type ShownIndex,
} from './indexes/indexes.ts';
export { createSearchCosts, type SearchCosts } from './indexes/search-costs.ts';

// Passkeys

export * from './passkeys/index.ts';

// Mail

export * from './emails/index.ts';
export { createMailDelivery, type MailDelivery } from './mail/delivery.ts';
export { createOutgoingMail, type OutgoingMail } from './mail/outgoing.ts';
export { createNotices, type Notices } from './notices/notices.ts';
// Keys

export * from './keys/index.ts';
export { createSealedValues, type SealedCounts, type SealedValues } from './secrets/sealed-values.ts';

// Protection

export * from './protection/index.ts';

// Push

export * from './push/index.ts';

// Roles

export { createRoleAdmin, type RoleAdmin, type RoleChange } from './roles/role-admin.ts';
export { ROLES } from './roles/roles.ts';

// Sessions

export { createGuests, type Guests } from './guests/guests.ts';
export * from './sessions/index.ts';
export { createPasswordForms, type PasswordForms } from './sessions/password-forms.ts';

// Settings

export type { SettingValues } from './settings/catalogue.ts';
export { defineSettings } from './settings/definitions.ts';
export {
  type AdapterWithSettings,
  type Check,
  type Definition,
  oneLine,
  SETTING_SECTIONS,
  type SettingGroup,
  type SettingsSource,
  setting,
  type ValuesOf,
} from './settings/setting.ts';
export { createSettings, type Settings } from './settings/settings.ts';

// Social

export {
  createSocial,
  type Social,
  type SocialConnection,
  type SocialLogin,
  type SocialProof,
} from './social/social.ts';

// Users

export {
  isInternalName,
  newUserName,
  REMOVED_KEYS,
  REMOVED_NAME,
  removedUserName,
  userKey,
} from './names/names.ts';
export { skeletonOf } from './names/skeleton.ts';
export * from './users/index.ts';

// Webhooks

export { createWebhookDelivery, type WebhookDeliveries } from './webhooks/delivery.ts';
export type { RenderDocument } from './webhooks/messages.ts';
export { retryAt } from './webhooks/retries.ts';
export { MAX_WEBHOOK_COLLECTIONS, MAX_WEBHOOK_DESCRIPTION, type WebhookChange } from './webhooks/settings.ts';
export { createWebhooks, type Webhooks } from './webhooks/webhooks.ts';

// Administration

export * from './administration/index.ts';

// Ports

export * from './ports/index.ts';
