import { type Actor, type BelongingsUseCases, MAX_COUNTED, requireAdmin, wireDate } from '@baobab/core';
import { type Static, Type } from 'typebox';
import { sendData } from '../envelope.ts';
import type { RequestMetrics } from '../observers.ts';
import { NullableText, OneOf } from '../schemas/common.ts';
import { Traffic } from '../schemas/traffic.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('administration');
const userAdministration = operationsIn('user administration');

const CHECKS = [
  'database',
  'blobs',
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
] as const;

export type ServiceCheckName = (typeof CHECKS)[number];

const Check = Type.Object(
  {
    check: OneOf(CHECKS, 'What was checked'),
    state: OneOf(['ok', 'fault', 'skipped'], '`skipped`: it is not set up, or there is nothing to check'),
    text: Type.String({ description: 'What was found' }),
    remedy: NullableText(),
    variables: Type.Array(Type.String(), { description: 'The environment variables that mend it' }),
    section: NullableText(),
  },
  { title: 'ServiceCheck' },
);

/** Result of a check of the running server. */
export type ServiceCheck = Static<typeof Check>;

export interface OverviewOptions {
  readonly belongings: BelongingsUseCases;
  readonly metrics: RequestMetrics | null;
  /** Runs all checks, or one. */
  readonly checks: (actor: Actor, only?: ServiceCheckName) => Promise<readonly ServiceCheck[]>;
}

const counted = Type.Integer({ description: `At most ${MAX_COUNTED}: there may be more` });

const BelongingsAnswer = Type.Object(
  {
    documents: counted,
    files: counted,
    sessions: counted,
    followers: counted,
    following: counted,
    groups: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          name: Type.String(),
          role: OneOf(['owner', 'manager', 'member']),
        },
        { title: 'GroupOfUser' },
      ),
      { description: 'The groups that the user is in, the oldest first' },
    ),
    devices: Type.Array(
      Type.Object({ id: Type.String(), os: Type.String(), registered: Type.String() }, { title: 'RegisteredDevice' }),
    ),
  },
  { title: 'Belongings' },
);

/** First view of administrators: issues to fix, traffic, and the data of a user. */
export const overviewRoutes: Routes<OverviewOptions> = async (app, { belongings, metrics, checks }) => {
  app.get(
    '/admin/checks',
    operation('readChecks', 'What is unsafe, not set up or does not work, and how to mend it', {
      description: 'Those checks of `baobab doctor` that a running service can answer. Every call checks again.',
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

  app.get(
    '/admin/user/:username/belongings',
    userAdministration('readBelongings', 'What belongs to a user, and goes along when they are removed', {
      data: BelongingsAnswer,
      fails: ['user.not_found'],
    }),
    async ({ actor, params }, reply) => {
      const { groups, devices, ...counts } = await belongings.read(actor, params.username);
      return sendData(reply, {
        ...counts,
        groups: groups.map(({ id, name, role }) => ({ id, name, role })),
        devices: devices.map(({ id, os, registered }) => ({ id, os, registered: wireDate(registered) })),
      });
    },
  );

  if (metrics === null) return;
  app.get(
    '/admin/traffic',
    operation('readTraffic', 'Requests, errors and durations in each of the last 60 minutes', {
      description: 'Those of all processes of the node that answers, since it was started.',
      data: Traffic,
    }),
    async ({ actor }, reply) => {
      requireAdmin(actor);
      return sendData(reply, await metrics.traffic());
    },
  );
};
