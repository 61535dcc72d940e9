import { join } from 'node:path';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { browserPath } from './browser.ts';
import { CITUS_URL, createCitusTemplate } from './citus.ts';
import { createFolder, databaseUrl, TEMPLATE } from './databases.ts';
import { fastPlace } from './fast-place.ts';
import { removeLeftovers, removeOnSignal } from './leftovers.ts';
import { silentLogger } from './logger.ts';
import { startPostgres } from './postgres-server.ts';
import { type S3Place, startS3 } from './s3-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** Path of a migrated SQLite file. */
    sqliteTemplate: string;
    s3: S3Place;
  }
}

/**
 * Starts one Postgres server and one S3 server for the whole run, creates a migrated database of each kind for tests to
 * copy, and finds a browser.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeLeftovers();
  removeOnSignal();
  browserPath(); // unpacks it before several processes need it
  const [server, s3] = await Promise.all([startPostgres(), startS3()]);
  const sql = postgres(server.url, { max: 1 });
  await sql.unsafe(`create database ${TEMPLATE}`);
  await sql.end();
  const storage = createPostgresStorage({ url: databaseUrl(server.url, TEMPLATE), logger: silentLogger });
  await storage.migrate();
  await storage.close();
  const folder = createFolder(fastPlace());
  const path = join(folder.path, 'baobab.db');
  const file = createSqliteStorage({ path, logger: silentLogger });
  await file.migrate();
  await file.close(); // writes everything to the file and empties its log
  if (CITUS_URL !== undefined) await createCitusTemplate(CITUS_URL);
  project.provide('sqliteTemplate', path);
  project.provide('postgresUrl', server.url);
  project.provide('s3', s3.place);
  return async () => {
    folder.remove();
    await Promise.all([server.stop(), s3.stop()]);
  };
}
