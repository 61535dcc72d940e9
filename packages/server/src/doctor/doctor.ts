import { randomBytes } from 'node:crypto';
import { type Logger, lastReading } from '@baobab/core';
import { withBackend } from '../composition/backend.ts';
import type { Backend } from '../composition/compose.ts';
import { logInToMailServer } from '../composition/inspections.ts';
import type { Environment } from '../config.ts';
import type { UnknownVariable } from '../environment.ts';
import { checkBackups } from './backups.ts';
import { checkBlobs } from './blobs.ts';
import { type CheckContext, type Finding, fault, HERE, ok, type Surroundings, skipped } from './check.ts';
import { checkLastReading } from './clock.ts';
import { checkWorkers, readConfiguration } from './configuration.ts';
import { checkDatabase, type DatabaseReport } from './database.ts';
import { checkDisk } from './disk.ts';
import { checkExposure } from './exposure.ts';
import { checkExtensions } from './extensions.ts';
import { checkMailServer } from './mail.ts';
import { checkMemory } from './memory.ts';
import { checkPorts, checkProxy } from './network.ts';
import { checkSecrets, keyOf } from './secrets.ts';

export interface CheckedFinding extends Finding {
  readonly check: string;
}

/** Maximum clock difference in milliseconds, because sessions expire by each node's own clock. */
const MOST_SKEW = 2_000;
const MS_PER_S = 1_000;

function checkSkew({ skew }: DatabaseReport): Finding {
  if (skew === null) return skipped('There is no other clock to compare with');
  const seconds = `${Math.abs(skew / MS_PER_S).toFixed(1)} s ${skew > 0 ? 'behind' : 'ahead of'} the database`;
  if (Math.abs(skew) <= MOST_SKEW) return ok('The clock agrees with that of the database');
  return fault(`The clock of this machine is ${seconds}`, 'Synchronize the clocks of both machines by NTP');
}

async function checkClock(database: DatabaseReport, { surroundings }: CheckContext, backend: Backend | null) {
  const skew = checkSkew(database);
  if (backend === null) return [skew];
  const finding = checkLastReading(await lastReading(backend.storage), surroundings.now());
  return finding === null ? [skew] : [skew, finding];
}

async function checkMail({ config }: CheckContext, backend: Backend | null): Promise<Finding> {
  if (backend === null) {
    return skipped('The settings of the mail server are in the database, which has no schema yet or cannot be read');
  }
  return checkMailServer(async () => logInToMailServer(config, await backend.settings.current()));
}

interface DoctorOptions {
  readonly env: Environment;
  /** Variables of the environment and of `.env` with misspelled names. */
  readonly unknown: readonly UnknownVariable[];
  readonly logger: Logger;
  /** Default: those of this machine. */
  readonly surroundings?: Surroundings;
}

/** Checks all requirements of the server without changing anything. */
export async function examine(options: DoctorOptions): Promise<CheckedFinding[]> {
  const { env, unknown, logger, surroundings = HERE } = options;
  const found: CheckedFinding[] = [];
  const add = (check: string, findings: readonly Finding[]) => {
    for (const finding of findings) found.push({ check, ...finding });
  };
  const { config, faults } = readConfiguration(env, unknown);
  if (config === null) {
    add('configuration', [...faults, skipped('The other checks need a valid configuration')]);
    return found;
  }
  const context: CheckContext = { env, config, logger, surroundings };
  add('configuration', faults.length > 0 ? faults : [ok('Every variable is valid')]);
  add('workers', [checkWorkers(context)]);
  add('memory', [checkMemory(context)]);
  add('port', await checkPorts(context));
  add('proxy', [checkProxy(config)]);
  add('disk', await checkDisk(context));
  const database = await checkDatabase(context);
  add('database', database.findings);
  async function examineContent(backend: Backend | null): Promise<void> {
    add('clock', await checkClock(database, context, backend));
    add('blobs', [await checkBlobs(context)]);
    add('backups', await checkBackups(context, backend));
    add('secrets', await checkSecrets(context, backend));
    add('mail', [await checkMail(context, backend)]);
  }
  // Without a key yet, nothing is encrypted.
  const secretKey = keyOf(context) ?? randomBytes(32).toString('base64url');
  if (database.isReadable)
    await withBackend({ ...config, blobs: { kind: 'memory' }, secretKey }, context, examineContent);
  else await examineContent(null);
  add('extensions', [await checkExtensions(context)]);
  add('exposure', checkExposure(context));
  return found;
}
