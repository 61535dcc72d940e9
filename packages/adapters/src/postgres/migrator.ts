import { AppError, type Logger } from '@baobab/core';
import {
  assertKnown,
  type Migration,
  type MigrationDriver,
  migrateAll,
  READ_VERSION,
  refuseUnfinished,
  UNFINISHED,
  type VersionRow,
} from '../sql/migrations.ts';
import { refuseWorker } from './citus/detect.ts';
import { type Client, inTransaction } from './clients.ts';
import { isGivenUp, isLockTimeout, isMissing } from './errors.ts';
import { createPatientClients } from './patient-client.ts';
import { acquireSchemaLock } from './schema-lock.ts';
import type { Send } from './send.ts';
import type { Servers } from './servers.ts';

/**
 * A session that waits for a lock blocks all later ones, even for compatible locks. So a schema change gives up soon
 * and retries, with a timeout that grows from `first` to `most` milliseconds. `most` exceeds `deadlock_timeout` (1
 * s), after which an autovacuum in the way is cancelled.
 */
const LOCK_MS = { first: 200, most: 2_000 };
/** Backoff between two attempts, in which blocked requests catch up, in milliseconds. */
const PAUSE_MS = { first: 250, most: 5_000 };
/** Maximum time for retries, and for the wait for another migrating node, in milliseconds. */
const TIMEOUT_MS = 10 * 60_000;

const growing = ({ first, most }: { first: number; most: number }, attempt: number) =>
  Math.min(most, first * 2 ** attempt);
const pauseOf = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface MigratorOptions {
  readonly servers: Servers;
  readonly logger: Logger;
  readonly migrations: readonly Migration[];
  /** Maximum wait for locks and for other migrating programs, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Called first, to check the connections. */
  readonly verify?: (client: Client) => Promise<void>;
  /** Called when the schema is up to date. */
  readonly prepared?: (send: Send) => Promise<void>;
}

function blocked(what: string, timeout: number, cause?: unknown): AppError {
  const detail = `${what} for ${Math.round(timeout / 1000)} seconds; look for transactions that have been open for long`;
  return new AppError('storage.migration_blocked', { detail, cause });
}

/** Returns the schema version, or 0 without a schema. */
async function readVersion({ send }: Client): Promise<number> {
  try {
    const [row] = (await send(READ_VERSION)).rows as VersionRow[];
    return row?.version ?? 0;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function driverOn(client: Client, { logger, timeout = TIMEOUT_MS }: MigratorOptions): MigrationDriver {
  /** Retries `work` until it gets its locks. `work` receives the lock timeout, in milliseconds. */
  async function withLockRetry<T>(work: (lockMs: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + timeout;
    for (let attempt = 0; ; attempt++) {
      try {
        return await work(growing(LOCK_MS, attempt));
      } catch (err) {
        if (!isLockTimeout(err) && !isGivenUp(err)) throw err;
        const pause = growing(PAUSE_MS, attempt) * (0.5 + Math.random());
        if (performance.now() + pause > deadline) throw blocked('a lock was held by others', timeout, err);
        logger.warn({ attempt: attempt + 1, pause: Math.round(pause) }, 'migration blocked by a lock, retrying');
        await pauseOf(pause);
      }
    }
  }

  /** Returns the version, locked until the end of the transaction. */
  async function lockVersion(send: Send): Promise<number | undefined> {
    return ((await send(`${READ_VERSION} for update`)).rows as VersionRow[])[0]?.version;
  }

  return {
    version: () => readVersion(client),
    apply: (from, statements) =>
      withLockRetry((lockMs) =>
        inTransaction(client, async (send) => {
          await send(`set local lock_timeout = ${lockMs}`);
          // Without a schema there is no version to lock. If another program was faster, the first statement fails.
          if (from > 0 && (await lockVersion(send)) !== from) return false;
          for (const statement of statements) await send(statement);
          return true;
        }),
      ),
  };
}

/** Migrates on a separate connection while nodes serve requests. */
export function createMigrator(options: MigratorOptions) {
  const { servers, logger, migrations, timeout = TIMEOUT_MS, verify, prepared } = options;
  const { using, close } = createPatientClients(servers, 'baobab migrations');

  async function isDone(client: Client): Promise<boolean> {
    const version = await readVersion(client);
    assertKnown(migrations, version);
    return version === migrations.length;
  }

  async function bringUp(client: Client): Promise<void> {
    await refuseWorker(client.send);
    const deadline = performance.now() + timeout;
    const hasTurn = await acquireSchemaLock(await client.opened, async () => {
      if (performance.now() > deadline) throw blocked('another program has been changing the schema', timeout);
      return isDone(client);
    });
    if (hasTurn) await migrateAll(driverOn(client, options), migrations, logger);
  }

  return {
    migrate: (evenUnfinished: boolean) =>
      using(async (client) => {
        await verify?.(client);
        // A program older than the database must not wait for a newer one that is migrating.
        if (!(await isDone(client))) await bringUp(client);
        await prepared?.(client.send);
        if (!evenUnfinished) refuseUnfinished((await client.send(UNFINISHED)).rows);
      }),
    close,
  };
}
