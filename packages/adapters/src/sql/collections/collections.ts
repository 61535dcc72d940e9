import { type Collection, type CollectionStore, SAMPLED_DOCUMENTS } from '@baobab/core';
import { isNoSlice, keyOf } from '../../slice-keys.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { changesOne, isThere } from '../statements/fragments.ts';
import { onCopies, type Statement } from '../statements/statement.ts';
import { createCollectionRemoval } from './collection-removal.ts';
import { createCollectionRules } from './collection-rules.ts';
import { createCollectionSchemaStore } from './collection-schemas.ts';

const INSERT = onCopies(`insert into collections (id, name, name_key, created) values (?1, ?2, ?3, ?4)
  on conflict do nothing`);
const NAME = 'select name from collections where name_key = ?1';
const names = (but: string) => `select name from collections where ${isThere()}${but} order by name_key`;
/** Without the slices of spread collections. */
const NAMES: Statement = { text: names(''), distributed: { text: names(` and ${isNoSlice('name_key')}`) } };

/**
 * Reads the counters of the collections, and some documents of each. Where documents are distributed, there are no
 * counters, and every document is read. A search, because it has a time limit and blocks no other request.
 */
export function listStatement({ criteria, isLocal }: SqlExecutor): Statement {
  const isRead = criteria.work('d.created', null);
  const counted = isLocal
    ? 't.n'
    : `t.n + (select cast(coalesce(sum(m.n), 0) as bigint) from document_count_changes m where m.collection = c.id)`;
  const sampled = `select octet_length(d.content) as bytes from documents d
    where d.collection = l.id and ${isRead} order by d.collection desc, d.id desc limit ${SAMPLED_DOCUMENTS}`;
  return {
    text: `select l.name, l.records,
      cast(coalesce((select sum(s.bytes) * l.records / count(*) from (${sampled}) s), 0) as bigint) as size
    from (select c.id, c.name, c.name_key, ${counted} as records from collections c
      join document_totals t on t.collection = c.id where ${isThere('c.name')}) l order by l.name_key`,
    distributed: {
      text: `select c.name, count(d.id) as records, cast(coalesce(sum(octet_length(d.content)), 0) as bigint) as size
    from collections c left join documents d on d.collection = c.id and ${isRead}
    where ${isThere('c.name')}
    group by c.name, ${keyOf('c.name_key')} order by ${keyOf('c.name_key')}`,
    },
  };
}

export function createCollectionStore(executor: SqlExecutor): CollectionStore {
  const list = listStatement(executor);
  return {
    add: ({ id, name, created }) => changesOne(executor, INSERT, [id, name, name.toLowerCase(), created]),
    async findName(key) {
      const row = await executor.readOne<{ name: string }>(NAME, [key]);
      return row?.name ?? null;
    },
    names: async () => (await executor.read<{ name: string }>(NAMES, [])).map(({ name }) => name),
    list: () => executor.search<Collection>(list, []),
    ...createCollectionRemoval(executor),
    ...createCollectionRules(executor),
    ...createCollectionSchemaStore(executor),
  };
}
