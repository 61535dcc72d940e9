import {
  createAppendWatches,
  createAssets,
  createAuthentication,
  createBatches,
  createCollections,
  createDocuments,
  createDocumentTransactions,
  createFiles,
  createFollows,
  createIdempotency,
  createIndexes,
  createPasswordReset,
  createPushDelivery,
  createPushDevices,
  createPushMessages,
  createQueryParser,
  createResizing,
  createRoleAdmin,
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
import { ContainerModule, type ResolutionContext, type ServiceIdentifier } from 'inversify';
import { TOKENS } from './tokens.ts';

type Get = ResolutionContext['get'];

/** Dependencies of most use cases; each takes the ones that it names. */
const common = (get: Get) => ({
  storage: get(TOKENS.storage),
  secrets: get(TOKENS.secrets),
  clock: get(TOKENS.clock),
  logger: get(TOKENS.logger),
  passwords: get(TOKENS.passwords),
  limiter: get(TOKENS.limiter),
});

/** The same wiring for production, tests and embedders: only the adapters differ. */
export const useCases = new ContainerModule(({ bind }) => {
  const once = <T>(token: ServiceIdentifier<T>, create: (get: Get) => T) =>
    bind(token)
      .toDynamicValue(({ get }) => create(get))
      .inSingletonScope();

  once(TOKENS.settings, (get) => createSettings({ ...common(get), groups: get(TOKENS.settingGroups) })).onDeactivation(
    (settings) => settings.dispose(),
  );
  once(TOKENS.authentication, (get) =>
    createAuthentication({ ...common(get), settings: get(TOKENS.settings) }),
  ).onDeactivation((authentication) => authentication.dispose());
  once(TOKENS.users, (get) => createUsers({ ...common(get), settings: get(TOKENS.settings) }));
  once(TOKENS.sessions, (get) =>
    createSessions({
      ...common(get),
      authentication: get(TOKENS.authentication),
      settings: get(TOKENS.settings),
    }),
  );
  once(TOKENS.collections, (get) => createCollections(common(get)));
  once(TOKENS.indexes, (get) => createIndexes(common(get)));
  once(TOKENS.parseQuery, (get) => createQueryParser(common(get)));
  once(TOKENS.appendWatches, (get) => {
    const { secrets, clock } = common(get);
    return createAppendWatches({ node: secrets.token(), clock, steady: () => performance.now() });
  });
  once(TOKENS.idempotency, (get) => createIdempotency(common(get)));
  const onDocuments = (get: Get) => ({
    ...common(get),
    settings: get(TOKENS.settings),
    watchAppends: get(TOKENS.appendWatches),
  });
  once(TOKENS.documents, (get) => createDocuments(onDocuments(get)));
  once(TOKENS.documentTransactions, (get) =>
    createDocumentTransactions({ ...onDocuments(get), idempotency: get(TOKENS.idempotency) }),
  );
  once(TOKENS.batches, (get) =>
    createBatches({ documents: get(TOKENS.documents), transact: get(TOKENS.documentTransactions) }),
  );
  once(TOKENS.resizing, (get) =>
    createResizing({
      blobs: get(TOKENS.blobs),
      images: get(TOKENS.images),
      settings: get(TOKENS.settings),
      limits: get(TOKENS.resizingLimits),
      gauges: get(TOKENS.gauges),
      clock: get(TOKENS.clock),
    }),
  );
  once(TOKENS.assets, (get) =>
    createAssets({ ...common(get), blobs: get(TOKENS.blobs), resizing: get(TOKENS.resizing) }),
  );
  once(TOKENS.files, (get) =>
    createFiles({ ...common(get), blobs: get(TOKENS.blobs), resizing: get(TOKENS.resizing) }),
  );
  once(TOKENS.userLists, (get) => createUserLists(common(get)));
  once(TOKENS.follows, (get) => createFollows(common(get)));
  once(TOKENS.userAdmin, (get) => createUserAdmin({ ...common(get), settings: get(TOKENS.settings) }));
  once(TOKENS.roles, (get) => createRoleAdmin(common(get)));
  once(TOKENS.pushDelivery, (get) =>
    createPushDelivery({ ...common(get), services: get(TOKENS.pushServices) }),
  ).onDeactivation((delivery) => delivery.dispose());
  once(TOKENS.pushMessages, (get) =>
    createPushMessages({
      ...common(get),
      settings: get(TOKENS.settings),
      services: get(TOKENS.pushServices),
      delivery: get(TOKENS.pushDelivery),
    }),
  );
  once(TOKENS.pushDevices, (get) => createPushDevices(common(get)));
  once(TOKENS.passwordReset, (get) =>
    createPasswordReset({
      ...common(get),
      mailer: get(TOKENS.mailer),
      settings: get(TOKENS.settings),
      publicUrl: get(TOKENS.publicUrl),
    }),
  );
  once(TOKENS.sessionAdmin, (get) => createSessionAdmin({ ...common(get), settings: get(TOKENS.settings) }));
  once(TOKENS.statistics, (get) => createStatistics({ ...common(get), settings: get(TOKENS.settings) }));
  once(TOKENS.testMail, (get) =>
    createTestMail({
      mailer: get(TOKENS.mailer),
      settings: get(TOKENS.settings),
      publicUrl: get(TOKENS.publicUrl),
    }),
  );
  once(TOKENS.social, (get) =>
    createSocial({ ...common(get), networks: get(TOKENS.networks), settings: get(TOKENS.settings) }),
  );
});
