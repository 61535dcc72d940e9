import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { until } from '../support/patience.ts';
import type { Program } from '../support/program.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

const { cleanups, database, folder, start } = createSetUp();
const headers = { authorization: `Basic ${Buffer.from(`admin:${SETTINGS.ADMIN_PASSWORD}`).toString('base64')}` };

/** The route and the job continue when the test lets them. */
const EXTENSION = `
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { defineExtension } from '@baobab/server/extensions';

export default defineExtension((app) => {
  const go = async (part: string) => {
    app.log.info({}, part + ' begun');
    while (!existsSync(process.env.GO ?? '')) await setTimeout(10);
  };
  app.route('POST', '/ext/slow', { access: 'admin' }, async ({ data }) => {
    await go('route');
    await data.collection('books').create({ by: 'route' });
    await data.asAdministrator().collection('books').create({ by: 'administrator' });
    return data.collection('books').query().count();
  });
  app.every('0 3 * * *', 'nightly', async ({ at }) => {
    app.log.info({ at }, 'job at');
    await go('job');
    if (process.env.FAILS === 'yes') throw new Error('interrupted');
    app.log.info({}, 'job done');
  });
});
`;

function files() {
  const path = folder();
  writeFileSync(join(path, 'slow.ts'), EXTENSION);
  const GO = join(path, 'go');
  return { env: { EXTENSIONS: join(path, 'slow.ts'), GO }, go: () => writeFileSync(GO, '') };
}

async function stopped(program: Program): Promise<void> {
  program.kill('SIGTERM');
  expect(await program.exit).toEqual({ code: 0, signal: null });
}

it('lets extensions use their data until requests in progress are answered', async () => {
  const { env, go } = files();
  const program = start({ ...env, DATABASE_URL: 'memory:', BLOB_URL: 'memory:' });
  const address = await program.ready();
  const call = createClient(address, SETTINGS.APP_CODE);
  await call('POST', '/admin/collection/books', { headers });
  const answer = call('POST', '/ext/slow', { headers });
  await program.line('route begun');
  program.kill('SIGTERM');
  await until(() =>
    fetch(address).then(
      () => false,
      () => true,
    ),
  );
  go();
  expect(await answer).toMatchObject({ status: 200, data: 2 });
  expect(await program.exit).toEqual({ code: 0, signal: null });
});

it('runs a job again at the next start that failed during the stop', async () => {
  const { env, go } = files();
  const shared = { ...env, DATABASE_URL: await database(), BLOB_URL: 'memory:' };
  const first = start(shared);
  await first.ready();
  const sql = postgres(shared.DATABASE_URL, { max: 1 });
  cleanups.push(() => sql.end());
  await until(async () => (await sql`select 1 from jobs where name like 'extension/%'`).count === 1);
  await stopped(first);
  const { count } = await sql`update jobs set due = ${Date.now() - 1_000} where name like 'extension/%'`;
  expect(count).toBe(1);

  const failing = start({ ...shared, FAILS: 'yes' });
  const at = JSON.parse(await failing.line('job at')).at;
  failing.kill('SIGTERM');
  await failing.line('"msg":"stopping"');
  go();
  expect(await failing.exit).toEqual({ code: 0, signal: null });
  expect(failing.output()).toContain('interrupted');

  const again = start(shared);
  expect(JSON.parse(await again.line('job at')).at).toBe(at);
  await again.line('job done');
  await stopped(again);
});
