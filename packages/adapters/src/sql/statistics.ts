import type { Collection, CreatedOnDay, StatisticsStore } from '@baobab/core';
import { listStatement } from './collections/collections.ts';
import type { SqlExecutor, SqlValue } from './statements/executor.ts';
import { isThere } from './statements/fragments.ts';

const DAY_MS = 86_400_000;

interface DayCount {
  /** Null for creations before the period. */
  readonly day: number | null;
  readonly n: number;
}

interface VolumeRow extends DayCount {
  readonly size: number;
}

const sum = (rows: readonly VolumeRow[]) => ({
  count: rows.reduce((total, { n }) => total + n, 0),
  size: rows.reduce((total, { size }) => total + size, 0),
});

/** Returns statements that the time limit of searches can stop. */
function statementsFor({ criteria }: SqlExecutor) {
  const dayOf = (table: string) => `case when ${table}.created >= ?1 then ${table}.created / ${DAY_MS} end as day`;
  const size = (column: string) => `cast(coalesce(sum(${column}), 0) as bigint) as size`;
  const watched = (table: string) => criteria.work(`${table}.created`, null);
  return {
    users: `select ${dayOf('u')}, count(*) as n from users u
      where u.name_key <> ?2 and ${isThere('u.name')} and ${watched('u')} group by day`,
    sessions: `select count(*) as n from sessions s where s.last_used >= ?1 and ${watched('s')}`,
    // Without the sizes, because grouping by day would sort the contents.
    documents: `select d.created / ${DAY_MS} as day, count(*) as n from documents d
      join collections c on c.id = d.collection
      where ${isThere('c.name')} and d.created >= ?1 and ${watched('d')} group by day`,
    files: `select ${dayOf('f')}, count(*) as n, ${size('f.size')} from files f where ${watched('f')} group by day`,
    assets: `select ${dayOf('a')}, count(*) as n, ${size('a.size')} from assets a where ${watched('a')} group by day`,
  };
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
  const list = listStatement(executor);
  const search = <Row>(statement: string, params: readonly SqlValue[]) => executor.search<Row>(statement, params);

  return {
    async measure({ activeSince, createdSince, without }) {
      const users = await search<DayCount>(sql.users, [createdSince, without]);
      const sessions = await search<{ n: number }>(sql.sessions, [activeSince]);
      const documents = await search<DayCount>(sql.documents, [createdSince]);
      const collections = await executor.search<Collection>(list, []);
      const files = await search<VolumeRow>(sql.files, [createdSince]);
      const assets = await search<VolumeRow>(sql.assets, [createdSince]);
      return {
        users: users.reduce((total, { n }) => total + n, 0),
        sessions: sessions[0]?.n ?? 0,
        collections,
        files: sum(files),
        assets: sum(assets),
        days: daysOf({ users, documents, files }),
      };
    },
  };
}
