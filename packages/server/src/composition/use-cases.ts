import {
  type AppendWatches,
  createAppendWatches,
  createAssets,
  createAuthentication,
  createBatches,
  createBlocks,
  createChangeStreams,
  createChanges,
  createCollectionRuleAdmin,
  createCollectionSchemas,
  createCollections,
  createDocuments,
  createDocumentTransactions,
  createFiles,
  createFollows,
  createGroups,
  createHousekeeping,
  createIdempotency,
  createIndexes,
  createPasswordReset,
  createPolicies,
  createPushDelivery,
  createPushDevices,
  createPushMessages,
  createQueryParser,
  createResizing,
  createRoleAdmin,
  createSchemaValidators,
  createSessionAdmin,
  createSessions,
  createSettings,
  createSocial,
  createStatistics,
  createTestMail,
  createUserAdmin,
  createUserLists,
  createUsers,
} from '@baobab/core';
import type { Adapters } from './adapters.ts';
import { bindAll } from './bind.ts';

const watchAppends = ({ secrets, clock }: Adapters): AppendWatches =>
  createAppendWatches({ node: secrets.token(), clock, steady: () => performance.now() });

/**
 * Every use case: its name, and the factory that makes it. A factory takes adapters and other use cases by their names.
 * Register a new use case here; the compiler reports a dependency that does not exist.
 */
const factories = {
  settings: createSettings,
  authentication: createAuthentication,
  users: createUsers,
  sessions: createSessions,
  policies: createPolicies,
  collections: createCollections,
  collectionRules: createCollectionRuleAdmin,
  collectionSchemas: createCollectionSchemas,
  schemaValidators: createSchemaValidators,
  indexes: createIndexes,
  parseQuery: createQueryParser,
  watchAppends,
  idempotency: createIdempotency,
  documents: createDocuments,
  changes: createChanges,
  changeStreams: createChangeStreams,
  transact: createDocumentTransactions,
  batches: createBatches,
  resizing: createResizing,
  assets: createAssets,
  files: createFiles,
  userLists: createUserLists,
  follows: createFollows,
  groups: createGroups,
  blocks: createBlocks,
  userAdmin: createUserAdmin,
  roles: createRoleAdmin,
  pushDelivery: createPushDelivery,
  pushMessages: createPushMessages,
  pushDevices: createPushDevices,
  passwordReset: createPasswordReset,
  social: createSocial,
  sessionAdmin: createSessionAdmin,
  testMail: createTestMail,
  statistics: createStatistics,
  housekeeping: createHousekeeping,
};

export type UseCases = { readonly [Name in keyof typeof factories]: ReturnType<(typeof factories)[Name]> };
export const USE_CASES = Object.keys(factories) as readonly (keyof UseCases)[];

/** The same wiring for production, tests and embedders: only the adapters differ. */
export const useCases = bindAll<UseCases, Adapters & UseCases>(factories, {
  settings: (settings) => settings.dispose(),
  authentication: (authentication) => authentication.dispose(),
  policies: (policies) => policies.dispose(),
  changeStreams: (streams) => streams.dispose(),
  pushDelivery: (delivery) => delivery.dispose(),
});
