import type { Collection, CollectionStore } from '@baobab/core';
import { createCollectionRules } from './collection-rules.ts';
import { createCollectionSchemaStore } from './collection-schemas.ts';
import type { SqlExecutor } from './executor.ts';
import { forgetCollection } from './feed-records.ts';

const INSERT = `insert into collections (id, name, name_key, created) values (?1, ?2, ?3, ?4)
  on conflict do nothing`;
const NAME = 'select name from collections where name_key = ?1';
const LIST = `select c.name, count(d.id) as records, coalesce(sum(octet_length(d.content)), 0) as size
  from collections c left join documents d on d.collection = c.id group by c.id, c.name, c.name_key order by c.name_key`;
const KEYS = 'select name_key as key from collections order by name_key';
const NAMES = 'select name from collections order by name_key';
const REMOVE = 'delete from collections where name_key = ?1 returning id';

export function createCollectionStore(executor: SqlExecutor): CollectionStore {
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
    list: () => executor.read<Collection>(LIST, []),
    remove: (key) =>
      executor.atomic(async (transaction) => {
        const [removed] = await transaction.write<{ id: string }>(REMOVE, [key]);
        if (removed !== undefined) await forgetCollection(transaction, removed.id);
        return removed !== undefined;
      }),
    ...createCollectionRules(executor),
    ...createCollectionSchemaStore(executor),
  };
}
