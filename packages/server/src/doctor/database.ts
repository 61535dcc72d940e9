import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ArchiveError, isAppError, type SchemaStatus } from '@baobab/core';
import { openArchive } from '../composition/archives.ts';
import { inspectPostgres, type PostgresFacts } from '../composition/inspections.ts';
import { databaseLocation } from '../config/database-url.ts';
import type { Config, DatabaseConfig } from '../config.ts';
import { rootCause } from '../faults/causes.ts';
import { explainPostgres } from '../faults/postgres.ts';
import {
  type CheckContext,
  causeText,
  codeOf,
  explained,
  type Finding,
  fault,
  ok,
  sentence,
  skipped,
} from './check.ts';
import { checkWritable } from './folders.ts';

/** Results of the database checks, with the data that later checks need. */
export interface DatabaseReport {
  readonly findings: Finding[];
  /** True if this program can read the data. */
  readonly isReadable: boolean;
  /** The database's clock minus ours, in milliseconds; null if it has no separate clock or does not respond. */
  readonly skew: number | null;
}

const LEAST_POSTGRES = 13;
/** Connections reserved for people and tools, in addition to those of the server. */
const SPARE = 5;

function checkSchema(status: SchemaStatus): Finding {
  const { state, current, needed } = status;
  switch (state) {
    case 'ahead':
      return fault(
        `The schema has version ${current}; this program knows only ${needed}`,
        'Start the newer program, or restore a backup from before the upgrade',
      );
    case 'behind':
      return ok(
        current === 0
          ? 'There is no schema yet: the first start creates it'
          : `The schema has version ${current} of ${needed}: the next start of this program migrates it`,
      );
    default:
      return ok(`The schema has version ${current}`);
  }
}

function checkServer(facts: PostgresFacts, { database, workers }: Config): Finding[] {
  const findings = [ok(`Postgres ${facts.version} answers`)];
  if (facts.majorVersion < LEAST_POSTGRES) {
    findings.push(fault(`Postgres ${facts.version} is too old`, `Upgrade it to version ${LEAST_POSTGRES} or newer`));
  }
  findings.push(...facts.unmet.map(({ problem, remedy }) => fault(sentence(problem), sentence(remedy))));
  if (facts.isStandby) {
    findings.push(fault('The server accepts no writes', 'Set DATABASE_URL to the primary server, not a standby'));
  }
  const wanted = database.kind === 'postgres' ? workers * (database.connections + 1) : 0;
  if (wanted + SPARE > facts.maxConnections) {
    findings.push(
      fault(
        `This node opens up to ${wanted} connections, and the server allows ${facts.maxConnections} in all`,
        'Lower DATABASE_CONNECTIONS or WORKERS, or raise max_connections of the server',
      ),
    );
  }
  return findings;
}

type PostgresConfig = Extract<DatabaseConfig, { kind: 'postgres' }>;

async function checkPostgres(database: PostgresConfig, { config, surroundings }: CheckContext) {
  try {
    const facts = await inspectPostgres({ ...database, processes: config.workers });
    return { findings: checkServer(facts, config), skew: facts.now - surroundings.now() };
  } catch (error) {
    const cause = rootCause(error);
    const { url, listenUrl } = database;
    const failed = cause?.variable === 'DATABASE_LISTEN_URL' && listenUrl !== null ? listenUrl : url;
    const text = `Postgres at ${databaseLocation(failed)} cannot be used: ${causeText(error)}`;
    const explanation = cause === null ? null : explainPostgres(cause, database);
    return { findings: [explained(text, explanation, 'Correct DATABASE_URL')], skew: null };
  }
}

async function checkSqlite(path: string): Promise<Finding> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    return (await checkWritable({ path: dirname(path), variable: 'DATABASE_URL' })) === null
      ? ok(`SQLite; the first start creates ${path}`)
      : skipped(`The first start cannot create ${path}: see the check "disk"`);
  }
  if (found.isFile()) return ok(`SQLite in ${path}`);
  return fault(`${path} is not a file`, 'Set DATABASE_URL to a file, such as sqlite:/var/lib/baobab/baobab.db');
}

async function schemaOf({ config: { database }, logger }: CheckContext) {
  try {
    const status = await openArchive(database, logger).status();
    return { finding: checkSchema(status), isReadable: status.state === 'current' };
  } catch (error) {
    if (!(error instanceof ArchiveError) && !isAppError(error) && codeOf(error) === '') throw error;
    const remedy = 'Set DATABASE_URL to a database of Baobab, or restore a backup';
    return { finding: fault(`The schema cannot be read: ${causeText(error)}`, remedy), isReadable: false };
  }
}

export async function checkDatabase(context: CheckContext): Promise<DatabaseReport> {
  const { database } = context.config;
  if (database.kind === 'memory') {
    return { findings: [skipped('memory: data is lost when the program ends')], isReadable: false, skew: null };
  }
  const { findings, skew } =
    database.kind === 'postgres'
      ? await checkPostgres(database, context)
      : { findings: [await checkSqlite(database.path)], skew: null };
  if (findings[0]?.state === 'fault') return { findings, isReadable: false, skew };
  const { finding, isReadable } = await schemaOf(context);
  return { findings: [...findings, finding], isReadable, skew };
}
