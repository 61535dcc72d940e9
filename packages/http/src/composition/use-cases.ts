import { createAuthentication, createCollections, createDocuments, createSessions, createUsers } from '@baobab/core';
import { ContainerModule, type ResolutionContext } from 'inversify';
import { TOKENS } from './tokens.ts';

type Get = ResolutionContext['get'];

const common = (get: Get) => ({
  storage: get(TOKENS.storage),
  secrets: get(TOKENS.secrets),
  clock: get(TOKENS.clock),
});

/** The same wiring for production, tests and embedders: only the adapters differ. */
export const useCases = new ContainerModule(({ bind }) => {
  bind(TOKENS.policy).toConstantValue({ sessionTimeout: 15 * 60_000, followersRead: true });
  bind(TOKENS.authentication)
    .toDynamicValue(({ get }) =>
      createAuthentication({
        ...common(get),
        passwords: get(TOKENS.passwords),
        logger: get(TOKENS.logger),
        policy: get(TOKENS.policy),
      }),
    )
    .inSingletonScope()
    .onDeactivation((authentication) => authentication.dispose());
  bind(TOKENS.users)
    .toDynamicValue(({ get }) => createUsers({ ...common(get), passwords: get(TOKENS.passwords) }))
    .inSingletonScope();
  bind(TOKENS.sessions)
    .toDynamicValue(({ get }) => createSessions({ ...common(get), authentication: get(TOKENS.authentication) }))
    .inSingletonScope();
  bind(TOKENS.collections)
    .toDynamicValue(({ get }) => createCollections(common(get)))
    .inSingletonScope();
  bind(TOKENS.documents)
    .toDynamicValue(({ get }) => createDocuments({ ...common(get), policy: get(TOKENS.policy) }))
    .inSingletonScope();
});
