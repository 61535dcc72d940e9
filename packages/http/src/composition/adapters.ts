import { ARGON2_DEFAULTS, type Argon2Options, createArgon2Passwords } from '@baobab/adapters/argon2';
import { createMemoryStorage } from '@baobab/adapters/memory';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import type { Clock, Logger, Storage } from '@baobab/core';
import { ContainerModule } from 'inversify';
import type { DatabaseConfig } from '../config.ts';
import { TOKENS } from './tokens.ts';

export interface AdapterOptions {
  readonly database: DatabaseConfig;
  readonly secretKey: string;
  readonly logger: Logger;
  readonly argon2?: Argon2Options;
  readonly clock?: Clock;
}

/** Where a new database is plugged in. */
function createStorage(database: DatabaseConfig, logger: Logger): Storage {
  switch (database.kind) {
    case 'memory':
      return createMemoryStorage();
    case 'sqlite':
      return createSqliteStorage({ path: database.path });
    case 'postgres':
      return createPostgresStorage({ url: database.url, connections: database.connections, logger });
  }
}

export const adapters = ({ database, secretKey, logger, argon2 = ARGON2_DEFAULTS, clock }: AdapterOptions) =>
  new ContainerModule(({ bind }) => {
    bind(TOKENS.logger).toConstantValue(logger);
    bind(TOKENS.clock).toConstantValue(clock ?? createSystemClock());
    bind(TOKENS.secrets).toConstantValue(createNodeSecrets(secretKey));
    bind(TOKENS.passwords).toConstantValue(createArgon2Passwords(argon2));
    bind(TOKENS.storage)
      .toDynamicValue(() => createStorage(database, logger))
      .inSingletonScope()
      .onDeactivation((storage) => storage.close());
  });
