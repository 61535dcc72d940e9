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
  createSessions,
  createSettings,
  createSocial,
  createUserAdmin,
  createUserLists,
  createUsers,
} from '@baobab/core';
import { ContainerModule, type ResolutionContext, type ServiceIdentifier } from 'inversify';
import { TOKENS } from './tokens.ts';

type Get = ResolutionContext['get'];

/** What most use cases stand on; each takes from it what it names. */
const ground = (get: Get) => ({
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

  once(TOKENS.settings, (get) => createSettings({ ...ground(get), groups: get(TOKENS.settingGroups) })).onDeactivation(
    (settings) => settings.dispose(),
  );
  once(TOKENS.authentication, (get) =>
    createAuthentication({ ...ground(get), settings: get(TOKENS.settings) }),
  ).onDeactivation((authentication) => authentication.dispose());
  once(TOKENS.users, (get) => createUsers(ground(get)));
  once(TOKENS.sessions, (get) =>
    createSessions({
      ...ground(get),
      authentication: get(TOKENS.authentication),
      settings: get(TOKENS.settings),
    }),
  );
  once(TOKENS.collections, (get) => createCollections(ground(get)));
  once(TOKENS.indexes, (get) => createIndexes(ground(get)));
  once(TOKENS.parseQuery, (get) => createQueryParser(ground(get)));
  once(TOKENS.appendWatches, (get) => {
    const { secrets, clock } = ground(get);
    return createAppendWatches({ node: secrets.token(), clock, steady: () => performance.now() });
  });
  once(TOKENS.idempotency, (get) => createIdempotency(ground(get)));
  const onDocuments = (get: Get) => ({
    ...ground(get),
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
    createAssets({ ...ground(get), blobs: get(TOKENS.blobs), resizing: get(TOKENS.resizing) }),
  );
  once(TOKENS.files, (get) =>
    createFiles({ ...ground(get), blobs: get(TOKENS.blobs), resizing: get(TOKENS.resizing) }),
  );
  once(TOKENS.userLists, (get) => createUserLists(ground(get)));
  once(TOKENS.follows, (get) => createFollows(ground(get)));
  once(TOKENS.userAdmin, (get) => createUserAdmin(ground(get)));
  once(TOKENS.roles, (get) => createRoleAdmin(ground(get)));
  once(TOKENS.pushDelivery, (get) =>
    createPushDelivery({ ...ground(get), services: get(TOKENS.pushServices) }),
  ).onDeactivation((delivery) => delivery.dispose());
  once(TOKENS.pushMessages, (get) =>
    createPushMessages({
      ...ground(get),
      settings: get(TOKENS.settings),
      services: get(TOKENS.pushServices),
      delivery: get(TOKENS.pushDelivery),
    }),
  );
  once(TOKENS.pushDevices, (get) => createPushDevices(ground(get)));
  once(TOKENS.passwordReset, (get) =>
    createPasswordReset({
      ...ground(get),
      mailer: get(TOKENS.mailer),
      settings: get(TOKENS.settings),
      publicUrl: get(TOKENS.publicUrl),
    }),
  );
  once(TOKENS.social, (get) =>
    createSocial({ ...ground(get), networks: get(TOKENS.networks), settings: get(TOKENS.settings) }),
  );
});
