import {
  createHousekeeping,
  ensureAdministrator,
  fillAllSkeletons,
  type Housekeeping,
  type PushDelivery,
} from '@baobab/core';
import type { Services } from '@baobab/http';
import { Container, type ContainerModule } from 'inversify';
import { TOKENS } from './tokens.ts';
import { useCases } from './use-cases.ts';

/** A composed backend: plain objects. The container does not leave this module. */
export interface Backend {
  readonly services: Services;
  /**
   * Migrates the storage and creates the administrator if there is none. Resolves to the generated password of the
   * administrator, or to null when none was generated.
   *
   * @throws `storage.unavailable`, `storage.schema_too_new`, `storage.migration_blocked`, `blobs.unavailable`,
   * `blobs.misconfigured`
   */
  prepare(options: { readonly adminPassword: string | null }): Promise<string | null>;
  /** Migrates the storage and does nothing else. @throws as `prepare` */
  migrate(): Promise<void>;
  readonly housekeeping: Housekeeping;
  readonly pushDelivery: PushDelivery;
  /** Closes databases and everything else. Work in progress fails. */
  dispose(): Promise<void>;
}

export function compose(adapters: ContainerModule): Backend {
  const container = new Container();
  container.load(adapters, useCases);
  const storage = container.get(TOKENS.storage);
  const blobs = container.get(TOKENS.blobs);
  let disposal: Promise<void> | null = null;
  return {
    services: {
      storage,
      blobs,
      authentication: container.get(TOKENS.authentication),
      users: container.get(TOKENS.users),
      sessions: container.get(TOKENS.sessions),
      collections: container.get(TOKENS.collections),
      indexes: container.get(TOKENS.indexes),
      parseQuery: container.get(TOKENS.parseQuery),
      documents: container.get(TOKENS.documents),
      documentTransactions: container.get(TOKENS.documentTransactions),
      assets: container.get(TOKENS.assets),
      batches: container.get(TOKENS.batches),
      files: container.get(TOKENS.files),
      userLists: container.get(TOKENS.userLists),
      follows: container.get(TOKENS.follows),
      userAdmin: container.get(TOKENS.userAdmin),
      roles: container.get(TOKENS.roles),
      settings: container.get(TOKENS.settings),
      pushMessages: container.get(TOKENS.pushMessages),
      pushDevices: container.get(TOKENS.pushDevices),
      passwordReset: container.get(TOKENS.passwordReset),
      social: container.get(TOKENS.social),
      sessionAdmin: container.get(TOKENS.sessionAdmin),
      testMail: container.get(TOKENS.testMail),
      statistics: container.get(TOKENS.statistics),
    },
    migrate: () => storage.migrate(),
    async prepare({ adminPassword }) {
      await blobs.health();
      await storage.migrate();
      const password = await ensureAdministrator({
        storage,
        password: adminPassword,
        passwords: container.get(TOKENS.passwords),
        secrets: container.get(TOKENS.secrets),
        clock: container.get(TOKENS.clock),
        logger: container.get(TOKENS.logger),
      });
      // After the administrator has been created: a user of an older program whose name looks like the administrator's
      // must not prevent that.
      await fillAllSkeletons(storage);
      return password;
    },
    pushDelivery: container.get(TOKENS.pushDelivery),
    housekeeping: createHousekeeping({
      storage,
      blobs,
      clock: container.get(TOKENS.clock),
      secrets: container.get(TOKENS.secrets),
      settings: container.get(TOKENS.settings),
      logger: container.get(TOKENS.logger),
    }),
    dispose() {
      disposal ??= container.unbindAllAsync();
      return disposal;
    },
  };
}
