import { defineExtension } from '@baobab/server/extensions';

interface App {
  collections: {
    tasks: { title: string; open: boolean };
    reports: { day: string; open: number; missed: number };
  };
}

/** Stores the number of open tasks each night. */
export default defineExtension<App>((app) => {
  app.every('0 3 * * *', 'nightly-report', async ({ at, missed, data }) => {
    const open = await data.collection('tasks').query().where('open = ?', true).count();
    const day = at.toISOString().slice(0, 10);
    await data.collection('reports').create({ day, open, missed }, { idempotencyKey: `report-${day}` });
  });
});
