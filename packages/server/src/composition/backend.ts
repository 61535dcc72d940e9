import type { Logger } from '@baobab/core';
import type { Config } from '../config.ts';
import { loadSecretKey } from '../secret-key.ts';
import { adapters } from './adapters.ts';
import { type Backend, compose } from './compose.ts';

/** Runs `work` with the use cases on the configured database and blob store, without a server. */
export async function withBackend<T>(
  config: Config,
  { logger }: { readonly logger: Logger },
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  const { database } = config;
  const backend = compose(
    adapters({
      config: {
        ...config,
        // Commands are short, and their users expect to see the latest writes of all clients.
        database: database.kind === 'postgres' ? { ...database, readUrls: [] } : database,
        workers: 1,
        slowMs: 0,
      },
      secretKey: config.secretKey ?? loadSecretKey(config.dataDir),
      publicUrl: config.publicUrl ?? '',
      logger,
    }),
  );
  try {
    return await work(backend);
  } finally {
    await backend.dispose();
  }
}
