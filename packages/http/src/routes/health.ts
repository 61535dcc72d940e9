import { AppError, type ErrorCode } from '@baobab/core';
import { Type } from 'typebox';
import { sendData } from '../responses/envelope.ts';
import { within } from '../responses/within.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('health');

interface HealthBackend {
  health(): Promise<void>;
  /** Failure reported if the backend does not answer. */
  readonly silence: ErrorCode;
}

export interface HealthOptions {
  /** Backends that the server needs to be ready. */
  readonly backends: readonly HealthBackend[];
  /** True if the program is serving, neither starting nor stopping. */
  readonly isServing: () => boolean;
}

/** Maximum response time of a backend before it counts as unavailable, in milliseconds. */
const ANSWER_LIMIT_MS = 2_000;

function assertHealthy({ health, silence }: HealthBackend): Promise<void> {
  const late = () => Promise.reject(new AppError(silence, { detail: 'it did not answer in time' }));
  return within(ANSWER_LIMIT_MS, health(), late);
}

export const healthRoutes: Routes<HealthOptions> = async (app, { backends, isServing }) => {
  app.get(
    '/health/live',
    operation('live', 'Check liveness', { data: Type.Literal('alive'), access: 'open' }),
    async (_request, reply) => sendData(reply, 'alive'),
  );

  app.get(
    '/health/ready',
    operation('ready', 'Check readiness', {
      data: Type.Literal('ready'),
      access: 'open',
      fails: [
        'blobs.misconfigured',
        'blobs.unavailable',
        'service.stopping',
        'storage.schema_too_new',
        'storage.migration_blocked',
        'storage.transfer_unfinished',
      ],
    }),
    async (_request, reply) => {
      if (!isServing()) throw new AppError('service.stopping');
      await Promise.all(backends.map(assertHealthy));
      return sendData(reply, 'ready');
    },
  );
};
