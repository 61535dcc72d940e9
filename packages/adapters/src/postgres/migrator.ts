import { AppError, isAppError, type Logger } from '@baobab/core';
import { createCompiler } from '../sql/compile.ts';
import {
  type Migration,
  type NewIndex,
  NO_SCHEMA,
  nextStep,
  READ_STATE,
  refuseUnfinished,
  type SchemaState,
  UNFINISHED,
} from '../sql/migrations.ts';
import { type MigrationDriver, migrateAll } from '../sql/migrator.ts';
import { refuseWorker } from './citus/detect.ts';
import { type Client, inTransaction } from './clients.ts';
import { isCreationRace, isGivenUp, isLockTimeout, isMissing, translate, translating } from './errors.ts';
import { createPatientClient } from './patient-client.ts';
import { acquireSchemaLock } from './schema-lock.ts';
import type { Send } from './send.ts';
import type { PostgresSql, Servers } from './servers.ts';

/**
 * A session that waits for a lock blocks everybody who comes after it, even for compatible locks. So a schema change
 * gives up soon and retries, with a timeout that grows from `first` to `most` milliseconds. `most` exceeds
 * `deadlock_timeout` (1 s), after which an autovacuum in the way is cancelled.
 */
const LOCK_MS = { first: 200, most: 2_000 };
/** Backoff between two attempts, in which blocked requests catch up. Milliseconds. */
const PAUSE_MS = { first: 250, most: 5_000 };
/** How long it retries, and waits for another node that migrates. Milliseconds. */
const TIMEOUT_MS = 10 * 60_000;

/** How often a retry follows because another session created the same thing at the same moment. */
const RACES = 10;

const growing = ({ first, most }: { first: number; most: number }, attempt: number) =>
  Math.min(most, first * 2 ** attempt);
const pauseOf = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface MigratorOptions {
  readonly servers: Servers;
  readonly logger: Logger;
  readonly migrations: readonly Migration[];
  /** How long to wait for locks and for other programs that migrate, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Called before anything else: whether connections are what the program needs. */
  readonly verify?: (client: Client) => Promise<void>;
  /** Called when the schema is up to date. */
  readonly prepared?: (send: Send) => Promise<void>;
}

function blocked(what: string, timeout: number, cause?: unknown): AppError {
  const detail = `${what} for ${Math.round(timeout / 1000)} seconds; look for transactions that have been open for long`;
  return new AppError('storage.migration_blocked', { detail, cause });
}

/** The state of the schema; null when there is no schema table, or it lacks a column. */
async function readState({ send }: Client): Promise<SchemaState | null> {
  try {
    const [row] = (await send(READ_STATE)).rows as SchemaState[];
    return row === undefined ? null : { version: row.version, compatibleFrom: row.compatibleFrom };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const PREPARE = `
  create table if not exists schema_version
    (id int primary key, version int not null, compatible_from int not null default ${NO_SCHEMA.compatibleFrom});
  alter table schema_version add column if not exists compatible_from int not null default ${NO_SCHEMA.compatibleFrom};
  insert into schema_version (id, version) values (1, ${NO_SCHEMA.version}) on conflict do nothing`;

function driverOn(
  client: Client,
  sql: PostgresSql,
  { logger, timeout = TIMEOUT_MS }: MigratorOptions,
): MigrationDriver {
  const compile = createCompiler('dollar');

  /** Retries `work` until it gets its locks; `work` receives the lock timeout in milliseconds. */
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

  /** Sets the lock timeout of the connection. */
  const setLockTimeout = (ms: number) => sql`select set_config('lock_timeout', ${String(ms)}, false)`;

  /** An invalid index answers no query, but every write updates it, and fails on it if it is unique. */
  async function dropUnlessWhole({ name }: NewIndex): Promise<void> {
    const [row] = await sql<{ valid: boolean }[]>`
      select indisvalid as valid from pg_index where indexrelid = to_regclass(${name}::text)`;
    if (row?.valid === false) await sql`drop index concurrently if exists ${sql(name)}`;
  }

  async function cleanUp(index: NewIndex): Promise<void> {
    await setLockTimeout(LOCK_MS.most);
    await dropUnlessWhole(index);
  }

  return {
    state: () => readState(client),
    async prepare() {
      for (let attempt = 1; ; attempt++) {
        try {
          await withLockRetry((lockMs) => client.send(`set lock_timeout = ${lockMs}; ${PREPARE}`));
          return;
        } catch (error) {
          // `if not exists` does not prevent two sessions from creating it at the same moment.
          if (!isCreationRace(error) || attempt === RACES) throw error;
        }
      }
    },
    advance: (from, to, statements) =>
      withLockRetry((lockMs) =>
        inTransaction(client, async (send) => {
          await send(`set local lock_timeout = ${lockMs}`);
          const { rows } = await send('select version from schema_version where id = 1 for update');
          if ((rows as { version: number }[])[0]?.version !== from) return false;
          for (const statement of statements) await send(statement);
          await send(
            `update schema_version set version = ${to.version}, compatible_from = ${to.compatibleFrom} where id = 1`,
          );
          return true;
        }),
      ),
    // The build waits for transactions that began before it; nobody waits for the build.
    build: (_from, index) =>
      withLockRetry(async () => {
        await setLockTimeout(timeout);
        await dropUnlessWhole(index);
        try {
          const kind = index.isUnique === true ? 'unique index' : 'index';
          await client.send(`create ${kind} concurrently if not exists ${index.name} on ${index.on}`);
        } catch (error) {
          // On a connection error the next start cleans up.
          if (!isAppError(translate(error))) await cleanUp(index).catch(() => undefined);
          throw error;
        }
      }),
    async read<Row>(text: string, params: Parameters<MigrationDriver['read']>[1]) {
      const compiled = compile(text);
      return (await client.send(compiled.text, compiled.bind(params))).rows as Row[];
    },
    async change(text, params) {
      const compiled = compile(text);
      await withLockRetry((lockMs) =>
        inTransaction(client, async (send) => {
          await send(`set local lock_timeout = ${lockMs}`);
          await send(compiled.text, compiled.bind(params));
        }),
      );
    },
  };
}

/** Migrates while nodes serve requests, on a connection of its own. */
export function createMigrator(options: MigratorOptions) {
  const { servers, logger, migrations, timeout = TIMEOUT_MS, verify, prepared } = options;
  const open = new Set<Client>();
  let closed = false;

  function connect(): Client {
    if (closed) throw new AppError('storage.unavailable', { detail: 'the database adapter is closed' });
    const client = createPatientClient(servers, 'baobab migrations');
    open.add(client);
    return client;
  }

  async function using<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = connect();
    try {
      return await translating(work(client));
    } finally {
      open.delete(client);
      await client.end(1);
    }
  }

  async function isDone(client: Client): Promise<boolean> {
    const state = await readState(client);
    return state !== null && nextStep(migrations, state) === null;
  }

  async function bringUp(client: Client): Promise<void> {
    await refuseWorker(client.send);
    const deadline = performance.now() + timeout;
    const sql = await client.opened;
    const hasTurn = await acquireSchemaLock(sql, async () => {
      if (performance.now() > deadline) throw blocked('another program has been changing the schema', timeout);
      return isDone(client);
    });
    if (hasTurn) await migrateAll(driverOn(client, sql, options), migrations, logger);
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
    async close(): Promise<void> {
      closed = true;
      await Promise.all(Array.from(open, (client) => client.end(0)));
    },
  };
}
