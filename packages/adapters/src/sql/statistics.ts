import type { Collection, CreatedOnDay, StatisticsStore } from '@baobab/core';
import type { SqlExecutor, SqlValue } from './executor.ts';
import { isThere } from './is-there.ts';

const DAY_MS = 86_400_000;

interface DayCount {
  /** Null for creations before the period. */
  readonly day: number | null;
  readonly n: number;
}

interface VolumeRow extends DayCount {
  readonly size: number;
}

interface DocumentsRow extends VolumeRow {
  readonly name: string;
}

const sum = (rows: readonly VolumeRow[]) => ({
  count: rows.reduce((total, { n }) => total + n, 0),
  size: rows.reduce((total, { size }) => total + size, 0),
});

/** Returns statements that read each table once. The time limit of searches can stop them. */
function statementsFor({ criteria }: SqlExecutor) {
  const dayOf = (table: string) => `case when ${table}.created >= ?1 then ${table}.created / ${DAY_MS} end as day`;
  const size = (column: string) => `cast(coalesce(sum(${column}), 0) as bigint) as size`;
  const watched = (table: string) => criteria.work(`${table}.created`, null);
  return {
    users: `select ${dayOf('u')}, count(*) as n from users u where ${isThere('u.name')} and ${watched('u')} group by day`,
    sessions: `select count(*) as n from sessions s where s.last_used >= ?1 and ${watched('s')}`,
    documents: `select c.name, ${dayOf('d')}, count(d.id) as n, ${size('octet_length(d.content)')}
      from collections c left join documents d on d.collection = c.id and ${watched('d')} where ${isThere('c.name')}
      group by c.name, c.name_key, day order by c.name_key`,
    files: `select ${dayOf('f')}, count(*) as n, ${size('f.size')} from files f where ${watched('f')} group by day`,
    assets: `select ${dayOf('a')}, count(*) as n, ${size('a.size')} from assets a where ${watched('a')} group by day`,
  };
}

/** @param rows grouped by collection */
function collectionsOf(rows: readonly DocumentsRow[]): Collection[] {
  const byName = new Map<string, Collection>();
  for (const { name, n, size } of rows) {
    const known = byName.get(name) ?? { name, records: 0, size: 0 };
    byName.set(name, { name, records: known.records + n, size: known.size + size });
  }
  return Array.from(byName.values());
}

function daysOf(created: Readonly<Record<'users' | 'documents' | 'files', readonly DayCount[]>>): CreatedOnDay[] {
  const days = new Map<number, CreatedOnDay>();
  for (const kind of ['users', 'documents', 'files'] as const) {
    for (const { day, n } of created[kind]) {
      if (day === null) continue;
      const known = days.get(day) ?? { day, users: 0, documents: 0, files: 0 };
      days.set(day, { ...known, [kind]: known[kind] + n });
    }
  }
  return Array.from(days.values()).toSorted((a, b) => a.day - b.day);
}

export function createStatisticsStore(executor: SqlExecutor): StatisticsStore {
  const sql = statementsFor(executor);
  const search = <Row>(statement: string, params: readonly SqlValue[]) => executor.search<Row>(statement, params);

  return {
    async measure({ activeSince, createdSince }) {
      const users = await search<DayCount>(sql.users, [createdSince]);
      const sessions = await search<{ n: number }>(sql.sessions, [activeSince]);
      const documents = await search<DocumentsRow>(sql.documents, [createdSince]);
      const files = await search<VolumeRow>(sql.files, [createdSince]);
      const assets = await search<VolumeRow>(sql.assets, [createdSince]);
      return {
        users: users.reduce((total, { n }) => total + n, 0),
        sessions: sessions[0]?.n ?? 0,
        collections: collectionsOf(documents),
        files: sum(files),
        assets: sum(assets),
        days: daysOf({ users, documents, files }),
      };
    },
  };
}
