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
  type InheritedAccess,
  inheritedByFile,
  isByDocument,
  MAX_ANCESTORS,
  type Principal,
  parsePrincipal,
  RIGHTS,
  type Rights,
  type RuledAccess,
  rolePrincipal,
  sufficientRights,
  userPrincipal,
} from './access.ts';
export {
  type Actor,
  ANONYMOUS,
  createActor,
  isSignedIn,
  NOBODY,
  requireAdmin,
  requireSignedIn,
  requireUser,
  type SignedInActor,
} from './actor.ts';
export { BatchFailure, isBatchFailure } from './batch-failure.ts';
export { type BoundedCache, createBoundedCache } from './caches.ts';
export { uniqueValues } from './criteria/unique-values.ts';
export { AppError, ERRORS, type ErrorCode, type ExtensionRefusal, isAppError, readInput } from './errors.ts';
export {
  createHousekeeping,
  HOUSEKEEPING_INTERVAL_MS,
  type Housekeeping,
  type HousekeepingDeps,
  type Sweep,
} from './housekeeping.ts';
export { sortedJson } from './json-identity.ts';
export { elementsOf, membersOf } from './json-parts.ts';
export { BEHIND_LAST, type JsonStep } from './json-steps.ts';
export {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  type ParsedJson,
  parseJson,
  parsePassedJson,
} from './json-text.ts';
export { readJsonAt } from './json-tree.ts';
export { nearestName } from './nearest.ts';
export { createRemovals, type Removals } from './removals.ts';
export { SECTIONS, type SectionName } from './section-names.ts';
export { createSemaphore, type SemaphoreOptions } from './semaphore.ts';
export { exceedsBytes, isStorable } from './utf8.ts';
export { isUuid, parseDate, wireDate, wireDateOrNull } from './wire.ts';

// Archives

export {
  type ArchiveEntry,
  type BackupSize,
  backupEntries,
  MANIFEST,
  type RestoreOptions,
  restoreEntries,
} from './archives/backup.ts';
export { ArchiveError, damaged, inUse, notEmpty } from './archives/errors.ts';
export { transfer } from './archives/transfer.ts';

// Audit

export * from './audit/index.ts';

// Backups

export * from './backups/index.ts';

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
export { type Carrier, type ChangeStreams, createChangeStreams } from './changes/streams.ts';

// Rooms

export type { RoomEvent, RoomMember } from './rooms/members.ts';
export { createRooms, type RoomSeat, type Rooms } from './rooms/rooms.ts';

// Collections

export { type Collections, createCollections } from './collections/collections.ts';
export { createPolicies } from './collections/policies.ts';
export { type CollectionRuleAdmin, createCollectionRuleAdmin, type ShownRules } from './collections/rules.ts';
export { type CollectionSchemas, createCollectionSchemas } from './collections/schemas.ts';

// Criteria

export {
  COLLATIONS,
  type Collation,
  collatedText,
  DOUBLE_QUOTES,
  SINGLE_QUOTES,
} from './criteria/collations.ts';
export { comparedConstant, conjuncts, flipped } from './criteria/conditions.ts';
export { createTest, EARTH_RADIUS_KM, holds, kilometres, matches } from './criteria/evaluate.ts';
export * from './criteria/full-text/index.ts';
export { helpfulIndex, indexedPathOf, isPlain, pathIn } from './criteria/indexed-path.ts';
export {
  documentColumn,
  documentResolver,
  isCreation,
  sectionOf,
  userResolver,
  userSortColumn,
  userSortValues,
} from './criteria/names.ts';
export { meaningsOf } from './criteria/operands.ts';
export {
  compareSortValues,
  createComparator,
  OTHER,
  plainPath,
  SORTED_LENGTH,
  sortedText,
  sortValues,
} from './criteria/order.ts';
export type { ListPage, SummaryPage, SummaryRow } from './criteria/pages.ts';
export { createQueryParser, parseQuery, type QueryParser, type QueryText } from './criteria/query.ts';
export type { PageBounds } from './criteria/search.ts';
export {
  EVERY_OBJECT,
  isSummary,
  type SearchPage,
  type SearchResult,
} from './criteria/search.ts';
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
  IndexedPath,
  ListPosition,
  Operand,
  OrderKey,
  Path,
  PathStep,
  Query,
  Scalar,
  SortValue,
} from './criteria/syntax.ts';
export { canonicalPattern, compareCodePoints, lengthInCodePoints } from './criteria/text.ts';
export { type Resolve, resolverOf, valueAt } from './criteria/values.ts';

// Documents

export * from './documents/index.ts';
export { type BeforeEvent, type BeforeEvents, type Hooks, NO_HOOKS, type ShownDocument } from './hooks/hooks.ts';
export { createSchedules, type Schedule, type Schedules, type Tick } from './hooks/schedules.ts';

// Factors

export { createFactors, type Factors } from './factors/factors.ts';
export { createSecondFactor, type FactorProof, type SecondFactor } from './sessions/second-factor.ts';

// Files

export { contentTypeOf, type TypeEvidence } from './files/content-type.ts';
export { safeFileName } from './files/file-name.ts';
export { fileNames, placeOfFile } from './files/file-names.ts';
export { createFiles, type FileGrantChange, type Files, type FileUpload, type OpenedFile } from './files/files.ts';
export { createOwnedFiles } from './files/owned-files.ts';

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
export {
  createSearchIndexes,
  type DeclaredSearchIndex,
  type SearchIndexes,
  type ShownSearchIndex,
} from './indexes/search-indexes.ts';

// Passkeys

export * from './passkeys/index.ts';

// Mail

export * from './emails/index.ts';
export { createErasurePages, createErasures, ERASE_FIELD, type ErasurePages, type Erasures } from './erasure/index.ts';
export { createMailDelivery, type MailDelivery } from './mail/delivery.ts';
export { createOutgoingMail, type Letter, type OutgoingMail } from './mail/outgoing.ts';
export type { LinkPage } from './mail/pages.ts';
export { createNotices, type Notices } from './notices/notices.ts';
export { type ClockJump, createTimeWatch, lastReading, type TimeWatch } from './time/time-watch.ts';
export { LONGEST_LINK_MS, LONGEST_WAITS, lasts, latestEnd, TIME_TOLERANCE_MS } from './time/waits.ts';
// Keys

export * from './keys/index.ts';
export { createSealedValues, type SealedCounts, type SealedValues } from './secrets/sealed-values.ts';

// Protection

export * from './protection/index.ts';

// Push

export * from './push/index.ts';

// Roles

export { ROLES } from './access.ts';
export { createRoleAdmin, type RoleAdmin, type RoleChange } from './roles/role-admin.ts';

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

export type { SocialConnection } from './social/connections.ts';
export { createSocial, type Social, type SocialLogin, type SocialProof } from './social/social.ts';

// Users

export {
  isInternalName,
  isKeeping,
  KEPT_KEYS,
  newUserName,
  REMOVED_KEYS,
  removedUserName,
  userKey,
} from './names/names.ts';
export { skeletonOf } from './names/skeleton.ts';
export * from './users/index.ts';
export { REMOVED_NAME, shownAuthor } from './wire.ts';

// Webhooks

export * from './webhooks/index.ts';

// Administration

export * from './administration/index.ts';

// Ports

export * from './ports/index.ts';
