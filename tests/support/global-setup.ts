import { createPostgresStorage } from '@baobab/adapters/postgres';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { databaseUrl, TEMPLATE } from './databases.ts';
import { silentLogger } from './logger.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** One Postgres for the whole run, with a migrated database that tests take copies of. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const sql = postgres(server.url, { max: 1 });
  await sql.unsafe(`create database ${TEMPLATE}`);
  await sql.end();
  const storage = createPostgresStorage({ url: databaseUrl(server.url, TEMPLATE), logger: silentLogger });
  await storage.migrate();
  await storage.close();
  project.provide('postgresUrl', server.url);
  return server.stop;
}
