import { ensureAdministrator, type Letter } from '@baobab/core';
import { Container, type ContainerModule } from 'inversify';
import type { Extensions } from '../extensions/extensions.ts';
import type { Adapters } from './adapters.ts';
import { USE_CASES, type UseCases, useCases } from './use-cases.ts';

/** A composed backend of plain objects: its use cases. The container remains inside this module. */
export interface Backend extends UseCases, Pick<Adapters, 'blobs' | 'networks' | 'pushServices' | 'storage'> {
  /**
   * Migrates the storage and creates the administrator if there is none. Resolves to the administrator's generated
   * password, or to null if none was generated.
   *
   * @throws `storage.unavailable`, `storage.schema_too_new`, `storage.migration_blocked`, `blobs.unavailable`,
   *   `blobs.misconfigured`
   */
  prepare(options: { readonly adminPassword: string | null }): Promise<string | null>;
  /** Migrates the storage only. @throws as `prepare` */
  migrate(): Promise<void>;
  /** Declares jobs, and stores what extensions declare. To be called after `prepare`. @throws `storage.unavailable` */
  declare(extensions: Pick<Extensions, 'handlers' | 'schedules'> | null): Promise<void>;
  /** Stores a mail to a user, which is sent in the background. @throws `user.not_found`, `storage.unavailable` */
  post(letter: Letter): Promise<void>;
  /** Resolves when the work that requests started, but did not wait for, is stored. */
  settled(): Promise<void>;
  /** Closes databases and all other resources. Work in progress fails. */
  dispose(): Promise<void>;
}

export function compose(adapters: ContainerModule): Backend {
  const container = new Container();
  container.load(adapters, useCases);
  const get = <Name extends keyof Adapters>(name: Name) => container.get<Adapters[Name]>(name);
  const made = Object.fromEntries(USE_CASES.map((name) => [name, container.get(name)])) as UseCases;
  const storage = get('storage');
  const blobs = get('blobs');
  let disposal: Promise<void> | null = null;
  return {
    ...made,
    storage,
    blobs,
    pushServices: get('pushServices'),
    networks: get('networks'),
    migrate: () => storage.migrate(),
    async prepare({ adminPassword }) {
      await blobs.health();
      await storage.migrate();
      await made.timeWatch.begin();
      return ensureAdministrator({
        storage,
        password: adminPassword,
        passwords: get('passwords'),
        secrets: get('secrets'),
        clock: get('clock'),
        logger: get('logger'),
      });
    },
    async declare(extensions) {
      const backup = made.backups.schedule();
      made.schedules.declare([...(extensions?.schedules ?? []), ...(backup === null ? [] : [backup])]);
      await made.extensionHandlers.declare(extensions?.handlers ?? []);
    },
    post: async (letter) => made.outgoingMail.post(storage, await made.settings.current(), letter),
    async settled() {
      await Promise.all([made.loginCodes.settled(), made.audit.settled()]);
    },
    dispose() {
      disposal ??= container.unbindAllAsync();
      return disposal;
    },
  };
}
