import { TABLE_NAMES } from '../sql/criteria/list-fields.ts';
import { definitionText, type IndexBuilder, type IndexWork, isDeclared, setReady } from '../sql/indexes/indexes.ts';
import { slicesOf } from './citus/slices.ts';
import { isUniqueViolation } from './errors.ts';
import { createPatientClients } from './patient-client.ts';
import { acquireSchemaLock } from './schema-lock.ts';
import type { Send } from './send.ts';
import type { PostgresSql, Servers } from './servers.ts';

const INDEXED_TABLES = ['documents', ...TABLE_NAMES].join(',');

function workOn(sql: PostgresSql, send: Send): IndexWork {
  const names = async (isWanted: (valid: boolean) => boolean) => {
    const rows = await sql<{ name: string; valid: boolean }[]>`
      select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = any(string_to_array(${INDEXED_TABLES}, ',')::regclass[])`;
    return rows.filter(({ name, valid }) => isDeclared(name) && isWanted(valid)).map(({ name }) => name);
  };
  const drop = async (name: string) => {
    await sql`drop index concurrently if exists ${sql(name)}`;
  };
  /** An index left by a crash serves no query, but every write still updates it. */
  const dropInvalid = async (name: string) => {
    const left = await names((valid) => !valid);
    if (left.includes(name)) await drop(name);
  };
  return {
    whole: () => names((valid) => valid),
    all: () => names(() => true),
    async buildUnique(name, definition) {
      await dropInvalid(name);
      try {
        await send(`create unique index concurrently if not exists ${name} on ${definition}`);
        return true;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        await drop(name);
        return false;
      }
    },
    async build(name, definition) {
      await dropInvalid(name);
      const slices = definition.collection === null ? [] : await slicesOf(send, definition.collection);
      await send(`create index concurrently if not exists ${name} on ${definitionText(definition, slices)}`);
      await send(setReady(name, '$1'), [name]);
    },
    drop,
  };
}

/**
 * Builds indexes without blocking writers, on a separate connection that is open during the build. The lock belongs
 * to the connection, so a process that dies releases it.
 */
export function createIndexBuilder(servers: Servers) {
  const { using, close } = createPatientClients(servers, 'baobab indexes');

  const builder: IndexBuilder = {
    exclusively: (run) =>
      using(async (client) => {
        const sql = await client.opened;
        await acquireSchemaLock(sql);
        await run(workOn(sql, client.send));
      }),
  };
  return { builder, close };
}
