import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import postgres from 'postgres';

type Cell = string | number;
export type Insert = (table: string, columns: readonly string[], rows: readonly (readonly Cell[])[]) => Promise<void>;

/**
 * Inserts rows directly into the database, because inserting through the server would take hours. `collection` is the
 * id of its only collection.
 */
export type Filling = (insert: Insert, collection: string) => Promise<void>;

const BATCH = 20_000;

async function fillSqlite(path: string, filling: Filling): Promise<void> {
  const database = new DatabaseSync(path, { timeout: 30_000 });
  const collection = String(database.prepare('select id from collections').get()?.id);
  const insert: Insert = async (table, columns, rows) => {
    const marks = columns.map(() => '?').join(', ');
    const statement = database.prepare(`insert into ${table} (${columns.join(', ')}) values (${marks})`);
    for (let at = 0; at < rows.length; at += BATCH) {
      // A single transaction would double the disk space, because of the WAL.
      database.exec('begin');
      for (const row of rows.slice(at, at + BATCH)) statement.run(...row);
      database.exec('commit');
      // Otherwise the next request would use a connection that the server has closed meanwhile.
      await setImmediate();
    }
  };
  await filling(insert, collection);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

async function fillPostgres(url: string, filling: Filling): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const [row] = await sql<{ id: string }[]>`select id from collections`;
  const insert: Insert = async (table, columns, rows) => {
    const isNumber = columns.map((_, i) => typeof rows[0]?.[i] === 'number');
    const isId = columns.map((name) =>
      /^(?:id|author|collection|document|follower|followed|user_id|group_id)$/.test(name),
    );
    const types = columns.map((_, i) => (isNumber[i] ? 'bigint' : isId[i] ? 'uuid' : 'text'));
    const arrays = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
    for (let at = 0; at < rows.length; at += BATCH) {
      const part = rows.slice(at, at + BATCH);
      const values = columns.map((_, i) => part.map((cells) => cells[i] as Cell));
      await sql.unsafe(`insert into ${table} (${columns.join(', ')}) select * from unnest(${arrays})`, values as never);
    }
  };
  await filling(insert, row?.id ?? '');
  await sql.unsafe('vacuum analyze');
  await sql.end();
}

/** @param url as `DATABASE_URL` */
export function fill(url: string, filling: Filling): Promise<void> {
  return url.startsWith('sqlite:') ? fillSqlite(url.slice('sqlite:'.length), filling) : fillPostgres(url, filling);
}
