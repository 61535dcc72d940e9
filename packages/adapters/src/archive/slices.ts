import { isSliceOf } from '../slice-keys.ts';
import type { ArchiveConnection } from './sql.ts';

/** The slices of spread collections, which a distributed database has. */
const SLICES = `select s.id as slice, c.id as collection from collections c
  join collections s on ${isSliceOf('s.name_key', 'c.name_key')} order by s.name_key`;

/** Moves the rows of a table to another collection. ?1 the collection, ?2 where they are */
function copyText(table: string, columns: readonly string[]): string {
  const values = columns.map((column) => (column === 'collection' ? 'c.id' : `t.${column}`));
  return `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
    from ${table} t cross join collections c where c.id = ?1 and t.collection = ?2`;
}

const TABLES = ['documents', 'document_grants'];
const REMOVALS = [
  ...TABLES.toReversed().map((table) => `delete from ${table} where collection = ?1`),
  'delete from collections where id = ?1',
];

/** Makes spread collections ordinary ones, in the surrounding transaction. */
export async function mergeSlicesOn(connection: Pick<ArchiveConnection, 'all' | 'run' | 'columns'>): Promise<void> {
  for (const { slice, collection } of await connection.all<{ slice: string; collection: string }>(SLICES)) {
    for (const table of TABLES) {
      await connection.run(copyText(table, await connection.columns(table)), [collection, slice]);
    }
    for (const removal of REMOVALS) await connection.run(removal, [slice]);
  }
}
