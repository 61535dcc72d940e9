import { randomBytes } from 'node:crypto';
import type { Logger } from '@baobab/core';
import { inspectClock, inspectMail } from '../composition/inspections.ts';
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

/** Key for what opens the database without reading encrypted values. */
const anyKey = () => randomBytes(32).toString('base64url');

async function checkClock({ config, logger, surroundings }: CheckContext, database: DatabaseReport) {
  const skew = checkSkew(database);
  if (database.schema?.state !== 'current') return [skew];
  const finding = checkLastReading(await inspectClock(config, anyKey(), logger), surroundings.now());
  return finding === null ? [skew] : [skew, finding];
}

async function checkMail(context: CheckContext, { schema }: DatabaseReport): Promise<Finding> {
  if (schema === null || schema.state === 'behind') {
    return skipped('The settings of the mail server are in the database, which has no schema yet or cannot be read');
  }
  const secretKey = keyOf(context) ?? anyKey();
  return checkMailServer(() => inspectMail(context.config, secretKey, context.logger));
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
  add('clock', await checkClock(context, database));
  add('blobs', [await checkBlobs(context)]);
  add('backups', await checkBackups(context, keyOf(context) ?? anyKey(), database));
  add('secrets', await checkSecrets(context, database));
  add('mail', [await checkMail(context, database)]);
  add('extensions', [await checkExtensions(context)]);
  add('exposure', checkExposure(context));
  return found;
}
