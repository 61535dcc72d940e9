import { type Statistics, type StatisticsUseCases, wireDate } from '@baobab/core';
import { Type } from 'typebox';
import { sendData } from '../../responses/envelope.ts';
import { Collection } from '../../schemas/documents.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('administration');

const DAY_MS = 86_400_000;
const ISO_DATE_LENGTH = 10;

const Volume = Type.Object(
  { count: Type.Integer(), size: Type.Integer({ description: 'Bytes' }) },
  { title: 'Volume' },
);

const StatisticsAnswer = Type.Object(
  {
    measured: Type.String({ description: 'The time of the count' }),
    keptUntil: Type.String({ description: 'The time from which a request counts again' }),
    users: Type.Integer({ description: 'All users but `admin`' }),
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
      { description: 'New objects on each of the last 30 days that still exist, oldest day first' },
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

export const statisticsRoutes: Routes<{ statistics: StatisticsUseCases }> = async (app, { statistics }) => {
  app.get(
    '/admin/statistics',
    operation('readStatistics', 'Read the statistics of stored data', {
      description:
        'Totals, and new objects on each of the last 30 days. The figures are cached for at least 5 minutes; `measured` is their time.',
      data: StatisticsAnswer,
      fails: ['search.too_long'],
    }),
    async ({ actor }, reply) => sendData(reply, rendered(await statistics.read(actor))),
  );
};
