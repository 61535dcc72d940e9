import { isSliceOf } from '../slice-keys.ts';
import type { ArchiveConnection } from './sql.ts';

/** Slices of spread collections. Only a distributed database has them. */
const SLICES = `select s.id as slice, c.id as collection from collections c
  join collections s on ${isSliceOf('s.name_key', 'c.name_key')} order by s.name_key`;

/** Copies the rows of a table to another collection. ?1 target collection, ?2 source collection */
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

/** Turns spread collections into ordinary ones, within the surrounding transaction. */
export async function mergeSlicesOn(connection: Pick<ArchiveConnection, 'all' | 'run' | 'columns'>): Promise<void> {
  for (const { slice, collection } of await connection.all<{ slice: string; collection: string }>(SLICES)) {
    for (const table of TABLES) {
      await connection.run(copyText(table, await connection.columns(table)), [collection, slice]);
    }
    for (const removal of REMOVALS) await connection.run(removal, [slice]);
  }
}
