import type { AnyApp } from '@baobab/client';
import type { Logger, Schedule } from '@baobab/core';
import { checkName } from './after.ts';
import { parseCron } from './cron.ts';
import { logFailure } from './failures.ts';
import type { AdminData, JobRun } from './types.ts';

export interface JobDeclaration {
  /** Name of the extension. */
  readonly extension: string;
  /** Cron expression. */
  readonly times: string;
  readonly name: string;
  readonly run: (run: JobRun<AnyApp>) => unknown;
  readonly data: AdminData;
  readonly logger: Logger;
}

/** Validates the declaration of a job. @throws `Error` */
export function declareJob({ extension, times, name, run, data, logger }: JobDeclaration): Schedule {
  checkName(name);
  if (typeof run !== 'function') throw new Error(`every "${name}": a function is expected as the last argument`);
  return {
    ...parseCron(times),
    name,
    times,
    async run({ at, missed }, isLost) {
      try {
        await run({ data, at: new Date(at), missed, isLost });
        return true;
      } catch (error) {
        logFailure(error, { extension, part: `every ${name}`, requestId: null }, logger);
        return false;
      }
    },
  };
}
