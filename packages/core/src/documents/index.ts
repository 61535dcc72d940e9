// Exports of documents for other packages.

export type { DocumentPath } from './address.ts';
export {
  type Batch,
  type Batches,
  type BatchOperation,
  createBatches,
  MAX_BATCH_OPERATIONS,
} from './batch.ts';
export { expectedVersion, grantMembers } from './body.ts';
export { type Cascades, type CascadesDeps, createCascades } from './cascades.ts';
export { createDocuments, type DocumentSearch, type Documents } from './documents.ts';
export type {
  DocumentFieldChange,
  DocumentFieldPath,
  DocumentFieldRemoval,
  DocumentPatch,
} from './edits.ts';
export type { ExpandedDocument, ExpandedMember } from './expansion.ts';
export { parseFieldPath, parseTargetPath } from './field-path.ts';
export type { FoundBySearch } from './found.ts';
export type { GrantChange } from './grant-changes.ts';
export type { PatchKind } from './patch.ts';
export { parseExpand, type Reference } from './references.ts';
export { createRuleTests, type RuleTests } from './rule-tests.ts';
export { createRuleViolations, type RuleViolations } from './rule-violations.ts';
export { withRules } from './ruled-rights.ts';
export {
  createDocumentTransactions,
  createHookedDocuments,
  type DocumentTransaction,
  type DocumentTransactions,
} from './transactions.ts';
export { createSchemaValidators } from './validators.ts';
export type { WrittenDocument } from './written.ts';
