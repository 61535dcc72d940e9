import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { createQueue } from '../bare/postgres.ts';
import { groupCommit, openDurable } from '../bare/sqlite.ts';

export interface BareRow {
  readonly id: string;
  readonly author: string;
  readonly created: number;
  readonly content: string;
}

/** Statements of the bare server, on its own tables. Writes resolve once they are durable. */
export interface Store {
  find(collection: string, id: string): Promise<BareRow | undefined>;
  add(collection: string, row: BareRow): Promise<unknown>;
  /** Resolves to the row; undefined if the author has none with this id. */
  change(collection: string, row: Omit<BareRow, 'created'>): Promise<BareRow | undefined>;
  newest(collection: string, author: string, field: Field | null, value: string): Promise<BareRow[]>;
  count(collection: string, author: string): Promise<number>;
}

export type Field = 'category' | 'shade';

const PAGE = 20;
const CONNECTIONS = 10;

/** Returns the tables, one per collection. Ids ascend with time. */
const tables = (collections: readonly string[], json: (field: Field) => string) =>
  collections.map(
    (name) => `
  create table ${name} (id text primary key, author text not null, created bigint not null, content text not null);
  create index ${name}_newest on ${name} (author, id);
  ${name === 'many' ? `create index ${name}_category on ${name} (author, (${json('category')}), id);` : ''}`,
  );

const statements = (name: string, json: (field: Field) => string, p: (n: number) => string) => {
  const newest = (condition: string) =>
    `select id, author, created, content from ${name} where author = ${p(1)}${condition} order by id desc limit ${PAGE}`;
  return {
    find: `select id, author, created, content from ${name} where id = ${p(1)}`,
    add: `insert into ${name} (id, author, created, content) values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)})`,
    change: `update ${name} set content = ${p(1)} where id = ${p(2)} and author = ${p(3)} returning id, author, created, content`,
    newest: newest(''),
    category: newest(` and ${json('category')} = ${p(2)}`),
    shade: newest(` and ${json('shade')} = ${p(2)}`),
    count: `select count(*) as n from ${name} where author = ${p(1)}`,
  };
};

const sqliteField = (field: Field) => `json_extract(content, '$.${field}')`;
const postgresField = (field: Field) => `(content::jsonb ->> '${field}')`;

export function openSqliteStore(path: string, collections: readonly string[]): Store {
  const [reader, writer] = [openDurable(path), openDurable(path)];
  const prepared = new Map(
    collections.map((name) => {
      const texts = statements(name, sqliteField, () => '?');
      const prepare = (database: DatabaseSync, text: string) => database.prepare(text);
      return [
        name,
        {
          find: prepare(reader, texts.find),
          newest: prepare(reader, texts.newest),
          category: prepare(reader, texts.category),
          shade: prepare(reader, texts.shade),
          count: prepare(reader, texts.count),
          add: prepare(writer, texts.add),
          change: prepare(writer, texts.change),
        },
      ];
    }),
  );
  const on = (collection: string) => {
    const found = prepared.get(collection);
    if (found === undefined) throw new Error(`there is no collection ${collection}`);
    return found;
  };
  const together = groupCommit(writer);
  return {
    find: async (collection, id) => on(collection).find.get(id) as BareRow | undefined,
    add: (collection, { id, author, created, content }) =>
      together(() => on(collection).add.run(id, author, created, content)),
    change: (collection, { id, author, content }) =>
      together(() => on(collection).change.get(content, id, author) as BareRow | undefined),
    newest: async (collection, author, field, value) =>
      (field === null
        ? on(collection).newest.all(author)
        : on(collection)[field].all(author, value)) as unknown as BareRow[],
    count: async (collection, author) => Number(on(collection).count.get(author)?.n),
  };
}

export function openPostgresStore(url: string, collections: readonly string[]): Store {
  const sql = postgres(url, { max: CONNECTIONS, idle_timeout: 0, max_lifetime: null, fetch_types: false });
  const queue = createQueue(CONNECTIONS);
  const texts = new Map(collections.map((name) => [name, statements(name, postgresField, (n) => `$${n}`)]));
  const run = <T>(
    collection: string,
    name: keyof ReturnType<typeof statements>,
    values: Array<string | number>,
  ): Promise<T[]> =>
    queue(async () => {
      const text = texts.get(collection)?.[name];
      if (text === undefined) throw new Error(`there is no collection ${collection}`);
      return (await sql.unsafe(text, values, { prepare: true })) as unknown as T[];
    });
  return {
    find: async (collection, id) => (await run<BareRow>(collection, 'find', [id]))[0],
    add: (collection, { id, author, created, content }) => run(collection, 'add', [id, author, created, content]),
    change: async (collection, { id, author, content }) =>
      (await run<BareRow>(collection, 'change', [content, id, author]))[0],
    newest: (collection, author, field, value) =>
      field === null ? run<BareRow>(collection, 'newest', [author]) : run<BareRow>(collection, field, [author, value]),
    count: async (collection, author) => Number((await run<{ n: string }>(collection, 'count', [author]))[0]?.n),
  };
}

type Rows = Iterable<readonly [collection: string, row: BareRow]>;

/** Creates and fills the tables. */
export function fillSqliteStore(path: string, collections: readonly string[], rows: Rows): void {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; begin; ${tables(collections, sqliteField).join('')}`);
  const inserts = new Map(
    collections.map((name) => [name, database.prepare(statements(name, sqliteField, () => '?').add)]),
  );
  for (const [collection, { id, author, created, content }] of rows)
    inserts.get(collection)?.run(id, author, created, content);
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)');
  database.close();
}

const AT_ONCE = 5_000;

export async function fillPostgresStore(url: string, collections: readonly string[], rows: Rows): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(tables(collections, postgresField).join(''));
  const all = Array.from(rows);
  for (const collection of collections) {
    const own = all.filter(([name]) => name === collection).map(([, row]) => row);
    for (let at = 0; at < own.length; at += AT_ONCE)
      await sql`insert into ${sql(collection)} ${sql(own.slice(at, at + AT_ONCE) as never)}`;
  }
  await sql.end();
}

/** Returns the folder of the bare server's files. */
export function filesIn(folder: string): string {
  const files = join(folder, 'files');
  mkdirSync(files, { recursive: true });
  return files;
}
