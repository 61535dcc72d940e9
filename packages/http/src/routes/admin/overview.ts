import { type Actor, requireAdmin } from '@baobab/core';
import { type Static, Type } from 'typebox';
import type { RequestMetrics } from '../../program/observers.ts';
import { sendData } from '../../responses/envelope.ts';
import { NullableText, OneOf } from '../../schemas/common.ts';
import { DEFAULT_LIMIT, LoggedRequest, RequestLogQuery } from '../../schemas/requests.ts';
import { Traffic } from '../../schemas/traffic.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('administration');

const CHECKS = [
  'database',
  'blobs',
  'backups',
  'mail',
  'push',
  'social',
  'password',
  'app_code',
  'public_url',
  'address',
  'secret_key',
  'secrets',
  'rate_limit',
  'webhooks',
  'proxy',
  'folders',
  'disk',
  'workers',
  'memory',
  'clock',
] as const;

export type ServiceCheckName = (typeof CHECKS)[number];

const Check = Type.Object(
  {
    check: OneOf(CHECKS, 'The check'),
    state: OneOf(['ok', 'fault', 'skipped'], '`skipped`: not set up, or nothing to check'),
    text: Type.String({ description: 'The result' }),
    remedy: NullableText(),
    variables: Type.Array(Type.String(), { description: 'The environment variables that fix it' }),
    section: NullableText(),
  },
  { title: 'ServiceCheck' },
);

/** Result of a check of the running server. */
export type ServiceCheck = Static<typeof Check>;

export interface OverviewOptions {
  readonly metrics: RequestMetrics | null;
  /** Runs all checks, or one. */
  readonly checks: (actor: Actor, only?: ServiceCheckName) => Promise<readonly ServiceCheck[]>;
}

/** First view of administrators: issues to fix, and traffic. */
export const overviewRoutes: Routes<OverviewOptions> = async (app, { metrics, checks }) => {
  app.get(
    '/admin/checks',
    operation('readChecks', 'Check the setup and the health of the server', {
      description: 'Runs the checks of `baobab doctor` that work on a running server. Each call runs them again.',
      querystring: Type.Object({
        check: Type.Optional(OneOf(CHECKS, 'Only this check')),
      }),
      data: Type.Array(Check),
    }),
    async ({ actor, query }, reply) => {
      requireAdmin(actor);
      return sendData(reply, await checks(actor, query.check));
    },
  );

  if (metrics === null) return;
  app.get(
    '/admin/traffic',
    operation('readTraffic', 'Read requests, errors and durations of the last 60 minutes', {
      description: 'All processes of the answering node, since its start.',
      data: Traffic,
    }),
    async ({ actor }, reply) => {
      requireAdmin(actor);
      return sendData(reply, await metrics.traffic());
    },
  );

  app.get(
    '/admin/requests',
    operation('listRequests', 'List the newest requests, newest first', {
      description:
        'All processes of the answering node, since its start. The settings `requests.log.level` and ' +
        '`requests.log.size` select the requests that are kept in memory. Bodies, queries and headers are not logged, nor are ' +
        'health checks, metrics, the files of the console and successful reads under `/admin/`.',
      querystring: RequestLogQuery,
      data: Type.Array(LoggedRequest),
    }),
    async ({ actor, query }, reply) => {
      requireAdmin(actor);
      const { limit = DEFAULT_LIMIT, ...filter } = query;
      return sendData(reply, await metrics.requests({ ...filter, limit: Number(limit) }));
    },
  );
};
