import { requireAdmin, type Statistics, type StatisticsUseCases, type TestMail, wireDate } from '@baobab/core';
import { type Static, Type } from 'typebox';
import { sendData } from '../envelope.ts';
import { OneOf } from '../schemas/common.ts';
import { Collection } from '../schemas/documents.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('administration');
const settings = operationsIn('settings');

const DAY_MS = 86_400_000;
const ISO_DATE_LENGTH = 10;

const Volume = Type.Object(
  { count: Type.Integer(), size: Type.Integer({ description: 'Bytes' }) },
  { title: 'Volume' },
);

const StatisticsAnswer = Type.Object(
  {
    measured: Type.String({ description: 'When the figures were counted' }),
    keptUntil: Type.String({ description: 'When a request counts again' }),
    users: Type.Integer({ description: 'All users, `admin` included' }),
    sessions: Type.Integer({ description: 'Sessions that have not expired' }),
    documents: Type.Object(
      {
        count: Type.Integer(),
        size: Type.Integer({ description: 'Bytes of content' }),
        collections: Type.Array(Collection),
      },
      { title: 'DocumentStatistics' },
    ),
    files: Volume,
    assets: Volume,
    days: Type.Array(
      Type.Object(
        {
          date: Type.String({ description: 'A day in UTC: `2026-01-31`' }),
          users: Type.Integer(),
          documents: Type.Integer(),
          files: Type.Integer(),
        },
        { title: 'CreatedOnDay' },
      ),
      { description: 'What was created on each of the last 30 days and still exists, the oldest day first' },
    ),
  },
  { title: 'Statistics' },
);

function rendered({ measured, keptUntil, users, sessions, collections, files, assets, days }: Statistics) {
  return {
    measured: wireDate(measured),
    keptUntil: wireDate(keptUntil),
    users,
    sessions,
    documents: {
      count: collections.reduce((total, { records }) => total + records, 0),
      size: collections.reduce((total, { size }) => total + size, 0),
      collections,
    },
    files,
    assets,
    days: days.map(({ day, ...created }) => ({
      date: new Date(day * DAY_MS).toISOString().slice(0, ISO_DATE_LENGTH),
      ...created,
    })),
  };
}

const Variable = Type.Object(
  {
    name: Type.String(),
    value: Type.String({ description: '`***` for a secret that is set; passwords in URLs are masked' }),
    default: Type.String(),
    source: OneOf(['default', 'environment']),
    description: Type.String(),
    secret: Type.Boolean(),
  },
  { title: 'EnvironmentVariable' },
);

/** Environment variable as administrators see it. */
export type ShownVariable = Static<typeof Variable>;

export interface OperationOptions {
  readonly testMail: TestMail;
  readonly statistics: StatisticsUseCases;
  readonly environment: readonly ShownVariable[];
}

/** Routes for operators: server configuration, mail test and storage statistics. */
export const operationRoutes: Routes<OperationOptions> = async (app, { testMail, statistics, environment }) => {
  app.get(
    '/admin/statistics',
    operation('readStatistics', 'How much is stored, and what was created on each of the last 30 days', {
      description: 'The figures are at least 5 minutes old before they are counted again; `measured` says from when.',
      data: StatisticsAnswer,
      fails: ['search.too_long'],
    }),
    async ({ actor }, reply) => sendData(reply, rendered(await statistics.read(actor))),
  );

  app.post(
    '/admin/mail/test',
    settings('sendTestMail', 'Send a test mail by the current settings', {
      body: Type.Object({ to: Type.String({ description: 'An e-mail address' }) }),
      data: Type.Object({ answer: Type.String({ description: 'What the mail server said' }) }),
      fails: ['mail.refused', 'mail.unavailable'],
    }),
    async ({ actor, body }, reply) => sendData(reply, { answer: await testMail.send(actor, body.to) }),
  );

  app.get(
    '/admin/configuration/environment',
    settings('readEnvironment', 'The configuration that cannot change while the service runs', {
      data: Type.Array(Variable),
      status: { 'admin.required': 401 },
    }),
    async ({ actor }, reply) => {
      requireAdmin(actor);
      return sendData(reply, environment);
    },
  );
};
