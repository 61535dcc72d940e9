import type { CollectionStore, StoredSchema } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { changesOne, withRowLock } from '../statements/fragments.ts';

const VERSIONS = `select c.name_key as "key", s.version from collection_schemas s join collections c on c.id = s.collection`;
const FIND = `select s.version, s.content from collections c join collection_schemas s on s.collection = c.id
  where c.name_key = ?1`;
/** Locks for the same reason as the insertion of a document. */
const SET = withRowLock(
  'key share of c',
  (lock) => `insert into collection_schemas (collection, version, content)
  select c.id, ?2, ?3 from collections c where c.name_key = ?1${lock}
  on conflict (collection) do update set version = excluded.version, content = excluded.content`,
);
const REMOVE = `delete from collection_schemas
  where collection = (select c.id from collections c where c.name_key = ?1)`;

/** Creates the methods of a collection store for schemas. */
export function createCollectionSchemaStore(
  executor: SqlExecutor,
): Pick<CollectionStore, 'schemaVersions' | 'schema' | 'setSchema' | 'removeSchema'> {
  return {
    async schemaVersions() {
      const rows = await executor.read<{ key: string; version: string }>(VERSIONS, []);
      return new Map(rows.map(({ key, version }) => [key, version]));
    },
    schema: (key) => executor.readOne<StoredSchema>(FIND, [key]),
    setSchema: (key, { version, content }) => changesOne(executor, SET(executor), [key, version, content]),
    removeSchema: (key) => changesOne(executor, REMOVE, [key]),
  };
}
