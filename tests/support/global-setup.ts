import { createPostgresStorage } from '@baobab/adapters/postgres';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { databaseUrl, TEMPLATE } from './databases.ts';
import { silentLogger } from './logger.ts';
import { startPostgres } from './postgres-server.ts';
import { type S3Place, startS3 } from './s3-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    s3: S3Place;
  }
}

/** One Postgres server for the whole run, with a migrated template database that tests copy, and one S3 server. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [server, s3] = await Promise.all([startPostgres(), startS3()]);
  const sql = postgres(server.url, { max: 1 });
  await sql.unsafe(`create database ${TEMPLATE}`);
  await sql.end();
  const storage = createPostgresStorage({ url: databaseUrl(server.url, TEMPLATE), logger: silentLogger });
  await storage.migrate();
  await storage.close();
  project.provide('postgresUrl', server.url);
  project.provide('s3', s3.place);
  return async () => {
    await Promise.all([server.stop(), s3.stop()]);
  };
}
