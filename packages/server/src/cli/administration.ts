import { type Actor, ArchiveError, isAppError } from '@baobab/core';
import { openArchive } from '../composition/archives.ts';
import { withBackend } from '../composition/backend.ts';
import type { Backend } from '../composition/compose.ts';
import { builtInAdministrator } from '../composition/operator.ts';
import { type Config, parseConfig } from '../config.ts';
import type { CommandDeps } from './deps.ts';

/** Dependencies of administrator commands. */
interface Administration {
  readonly services: Backend;
  /** Built-in administrator. */
  readonly actor: Actor;
  readonly config: Config;
}

const LONG_MS = 60_000;

/** @throws `ArchiveError` if there is no shared database, or its schema is not current */
async function requireSchema({ database }: Config, { logger }: CommandDeps): Promise<void> {
  if (database.kind === 'memory') {
    throw new ArchiveError('A memory database belongs to one process: set DATABASE_URL to the database of the server');
  }
  const { state, current, needed } = await openArchive(database, logger).status();
  if (state !== 'behind') return;
  throw new ArchiveError(
    current === 0
      ? 'The database is empty: check DATABASE_URL and DATA_DIR, or start the server once'
      : `The schema has version ${current} of ${needed}: run "baobab migrate up" first`,
  );
}

/** Warns of a difference between a command and a request to the server, which loads the extensions. */
export function warnOfExtensions({ env, host }: CommandDeps, difference: string): void {
  if (env.EXTENSIONS) host.stderr.write(`baobab: EXTENSIONS has no effect on this command: ${difference}\n`);
}

/**
 * Runs `work` as the built-in administrator, also while servers run, under the same rules as their requests.
 *
 * @throws `ArchiveError` for a database that is empty, needs migration or has no administrator
 */
export async function administrate<T>(deps: CommandDeps, work: (on: Administration) => Promise<T>): Promise<T> {
  const config = parseConfig(deps.env);
  await requireSchema(config, deps);
  // The backend's timers do not keep a process alive; this one does, while the command waits for them.
  const hold = setInterval(() => undefined, LONG_MS);
  return withBackend(config, deps, async (backend) => {
    await backend.storage.health(); // refuses a newer schema
    const actor = await builtInAdministrator(backend).catch((error: unknown) => {
      if (!isAppError(error) || error.code !== 'user.not_found') throw error;
      throw new ArchiveError('There is no administrator yet: start the server once');
    });
    return work({ services: backend, actor, config });
  }).finally(() => clearInterval(hold));
}
