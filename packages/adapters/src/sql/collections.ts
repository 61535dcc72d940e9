import type { Collection, CollectionStore } from '@baobab/core';
import { createCollectionRemoval } from './collection-removal.ts';
import { createCollectionRules } from './collection-rules.ts';
import { createCollectionSchemaStore } from './collection-schemas.ts';
import type { SqlExecutor } from './executor.ts';
import { isThere } from './is-there.ts';

const INSERT = `insert into collections (id, name, name_key, created) values (?1, ?2, ?3, ?4)
  on conflict do nothing`;
const NAME = 'select name from collections where name_key = ?1';
export const KEYS = `select name_key as key from collections where ${isThere()} order by name_key`;
export const NAMES = `select name from collections where ${isThere()} order by name_key`;

/** Reads every document. As a search, it has a time limit and blocks no other request. */
const listStatement = ({ criteria }: SqlExecutor) =>
  `select c.name, count(d.id) as records, cast(coalesce(sum(octet_length(d.content)), 0) as bigint) as size
    from collections c left join documents d on d.collection = c.id and ${criteria.work('d.created', null)}
    where ${isThere('c.name')}
    group by c.id, c.name, c.name_key order by c.name_key`;

export function createCollectionStore(executor: SqlExecutor): CollectionStore {
  const list = listStatement(executor);
  return {
    async add({ id, name, created }) {
      return (await executor.change(INSERT, [id, name, name.toLowerCase(), created])) === 1;
    },
    async findName(key) {
      const row = await executor.readOne<{ name: string }>(NAME, [key]);
      return row?.name ?? null;
    },
    async keys() {
      return (await executor.read<{ readonly key: string }>(KEYS, [])).map(({ key }) => key);
    },
    names: async () => (await executor.read<{ name: string }>(NAMES, [])).map(({ name }) => name),
    list: () => executor.search<Collection>(list, []),
    ...createCollectionRemoval(executor),
    ...createCollectionRules(executor),
    ...createCollectionSchemaStore(executor),
  };
}
