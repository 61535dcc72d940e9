import postgres from 'postgres';
import { type IndexBuilder, type IndexWork, PREFIX, SET_READY } from '../sql/indexes.ts';
import { type Client, createClient } from './clients.ts';
import { translating } from './errors.ts';
import { acquireSchemaLock } from './schema-lock.ts';
import { TYPES } from './types.ts';

const CONNECT_TIMEOUT_S = 5;

function workOn({ sql, send }: Client): IndexWork {
  const names = async (isWanted: (valid: boolean) => boolean) => {
    const rows = await sql<{ name: string; valid: boolean }[]>`
      select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'documents'::regclass and starts_with(c.relname::text, ${PREFIX})`;
    return rows.filter(({ valid }) => isWanted(valid)).map(({ name }) => name);
  };
  const drop = async (name: string) => {
    await sql`drop index concurrently if exists ${sql(name)}`;
  };
  return {
    whole: () => names((valid) => valid),
    all: () => names(() => true),
    async build(name, definition) {
      // An index left by a crash answers no query, but every write still updates it.
      const left = await names((valid) => !valid);
      if (left.includes(name)) await drop(name);
      await send(`create index concurrently if not exists ${name} on ${definition}`);
      await send(SET_READY.replace('?1', '$1'), [name]);
    },
    drop,
  };
}

/**
 * Builds indexes without blocking writers, on a connection of its own that is open for as long as the build takes. The
 * lock belongs to the connection: a process that dies releases it.
 */
export function createIndexBuilder(url: string) {
  const open = new Set<Client['sql']>();

  const builder: IndexBuilder = {
    exclusively: (run) =>
      translating(
        (async () => {
          const client = createClient((onclose) =>
            postgres(url, {
              max: 1,
              onclose,
              types: TYPES,
              prepare: false,
              fetch_types: false,
              idle_timeout: 0,
              max_lifetime: null,
              connect_timeout: CONNECT_TIMEOUT_S,
              connection: { application_name: 'baobab indexes', statement_timeout: 0 },
              onnotice: () => undefined,
            }),
          );
          const { sql } = client;
          open.add(sql);
          try {
            await acquireSchemaLock(sql);
            await run(workOn(client));
          } finally {
            open.delete(sql);
            await sql.end({ timeout: 1 });
          }
        })(),
      ),
  };
  return {
    builder,
    async close(): Promise<void> {
      await Promise.all(Array.from(open, (sql) => sql.end({ timeout: 0 })));
    },
  };
}
