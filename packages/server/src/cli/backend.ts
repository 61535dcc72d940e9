import { type Actor, ROLES } from '@baobab/core';
import { adapters } from '../composition/adapters.ts';
import { type Backend, compose } from '../composition/compose.ts';
import type { Config } from '../config.ts';
import { loadSecretKey } from '../secret-key.ts';
import type { CommandDeps } from './deps.ts';

/** Anyone who can run the program on the database may do everything. */
export const OPERATOR: Actor = {
  user: { id: 'operator', name: 'operator', role: ROLES.administrator },
  sessionId: null,
  key: null,
  isAdmin: true,
  isPrivileged: true,
  principals: [],
};

/** Runs `work` with the use cases on the configured database and blob store, without a server. */
export async function withBackend<T>(
  config: Config,
  { logger }: CommandDeps,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  const backend = compose(
    adapters({
      database: config.database,
      blobs: config.blobs,
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
