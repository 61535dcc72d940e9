import { AppError, type Storage } from '@baobab/core';
import { Type } from 'typebox';
import { sendData } from '../envelope.ts';
import { Envelope, failures } from '../schemas/common.ts';
import type { Routes } from './plugin.ts';

export interface HealthOptions {
  /** What must serve for this service to serve. */
  readonly backends: readonly Pick<Storage, 'health'>[];
  /** Whether the program is on its way up or down. */
  readonly isServing: () => boolean;
}

export const healthRoutes: Routes<HealthOptions> = async (app, { backends, isServing }) => {
  app.get(
    '/health/live',
    {
      schema: {
        operationId: 'live',
        summary: 'Whether the program runs',
        tags: ['health'],
        response: { 200: Envelope(Type.Literal('alive')), ...failures },
      },
    },
    async (_request, reply) => sendData(reply, 'alive'),
  );

  app.get(
    '/health/ready',
    {
      schema: {
        operationId: 'ready',
        summary: 'Whether requests will be served',
        tags: ['health'],
        response: { 200: Envelope(Type.Literal('ready')), ...failures },
      },
    },
    async (_request, reply) => {
      if (!isServing()) throw new AppError('service.stopping');
      await Promise.all(backends.map((backend) => backend.health()));
      return sendData(reply, 'ready');
    },
  );
};
