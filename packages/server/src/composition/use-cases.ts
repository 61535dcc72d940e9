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
  createFactors,
  createFiles,
  createFollows,
  createFreshLogin,
  createGroups,
  createHousekeeping,
  createIdempotency,
  createIndexes,
  createKeyAuthentication,
  createKnownClients,
  createPasswordReset,
  createPolicies,
  createPushDelivery,
  createPushDevices,
  createPushMessages,
  createQueryParser,
  createResizing,
  createRoleAdmin,
  createSchemaValidators,
  createSecondFactor,
  createServerKeys,
  createSessionAdmin,
  createSessions,
  createSettings,
  createSocial,
  createStatistics,
  createTestMail,
  createUserAdmin,
  createUserLists,
  createUsers,
  createWebhookDelivery,
  createWebhooks,
  type RenderDocument,
} from '@baobab/core';
import { documentJson } from '@baobab/http/format';
import type { Adapters } from './adapters.ts';
import { bindAll } from './bind.ts';

const watchAppends = ({ secrets, clock }: Adapters): AppendWatches =>
  createAppendWatches({ node: secrets.token(), clock, steady: () => performance.now() });

const renderDocument = (): RenderDocument => documentJson;

/**
 * Every use case: its name, and the factory that makes it. A factory takes adapters and other use cases by their names.
 * Register a new use case here; the compiler reports a dependency that does not exist.
 */
const factories = {
  settings: createSettings,
  authentication: createAuthentication,
  keyAuthentication: createKeyAuthentication,
  serverKeys: createServerKeys,
  knownClients: createKnownClients,
  freshLogin: createFreshLogin,
  secondFactor: createSecondFactor,
  factors: createFactors,
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
  renderDocument,
  webhooks: createWebhooks,
  webhookDelivery: createWebhookDelivery,
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
  keyAuthentication: (authentication) => authentication.dispose(),
  policies: (policies) => policies.dispose(),
  changeStreams: (streams) => streams.dispose(),
  pushDelivery: (delivery) => delivery.dispose(),
  webhookDelivery: (delivery) => delivery.dispose(),
});
