import { authorAudience, MAX_MARKS, sufficientRights } from '@baobab/core';
import { keyOf } from '../../slice-keys.ts';
import { IS_FOLLOWER, JOINED, JOINS_IN_ORDER, LISTED, mayRead } from '../documents/document-statements.ts';
import { FEW } from '../lists/list-plan.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { forDatabase, idIn, isThere, jsonRows } from '../statements/fragments.ts';
import type { ListedColumns } from '../statements/pages.ts';
import { byOptions, type Here, type KeyOf, onCollections, type Statement, withKeys } from '../statements/statement.ts';
import { OLDEST_RUNNING, OLDEST_UNFINISHED, withFeedPosition } from './feed-position.ts';

/** Statements that read the change feed. Sizes are part of the texts, because plans depend on them. */

const READABLE = sufficientRights('read');

export const LOCAL_STATE = 'select epoch, oldest, position + 1 as horizon from feed_state';

/** Checks which of the functions that identify a history of a Postgres server may be called. */
export const HISTORY_RIGHTS = `select
  coalesce(has_function_privilege(cast(to_regprocedure('pg_control_system()') as oid), 'execute'), false) as system,
  coalesce(has_function_privilege(cast(to_regprocedure('pg_walfile_name(pg_lsn)') as oid), 'execute')
    and has_function_privilege(cast(to_regprocedure('pg_current_wal_lsn()') as oid), 'execute'), false) as timeline`;

/** Reads the server and its timeline too, because a copy of the database continues with a different history. */
export function remoteState({ system, timeline }: { readonly system: boolean; readonly timeline: boolean }): Statement {
  const text = (horizon: string) => `select epoch, oldest, ${horizon} as horizon,
  ${system ? '(select cast(system_identifier as text) from pg_control_system())' : "''"} as server,
  ${timeline ? 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)' : "''"} as timeline from feed_state`;
  return { text: text(OLDEST_RUNNING), distributed: { text: text(OLDEST_UNFINISHED) } };
}

/**
 * ?1 position, ?2 id, ?3 horizon. An ordered scalar instead of `exists`, so that each collection costs one look-up in
 * the index, for any row estimate of the database.
 */
const isChanged = (
  collection: string,
) => `(select 1 from documents d where d.collection = ${collection} and d.position > 0
  and (d.position, d.id) > (?1, ?2) and d.position < ?3 order by d.position, d.id limit 1) = 1`;
const KEYS = `${jsonRows({ isLocal: false }, '?4')} w`;
/**
 * Builds a statement for the changed ones among some collections.
 *
 * @param ids statement for the ids of all of them, in a distributed database
 */
const changedAmong = (from: string, ids: string) =>
  onCollections({ ids }, (here) =>
    here === null
      ? `select c.id, c.name_key as "key" from ${from} where ${isChanged('c.id')}`
      : `select c.id, ${keyOf('c.name_key')} as "key" from collections c where c.id = ${here} and ${isChanged(here)}`,
  );
export const CHANGED_ANYWHERE = changedAmong('collections c', 'select id from collections');
/** ?4 keys */
export const CHANGED_IN = changedAmong(
  `${KEYS} join collections c on c.name_key = w.value`,
  `select c.id from ${KEYS} join collections c on ${keyOf('c.name_key')} = w.value`,
);

/** Returns the rows that `text` selects for each of the values in ?1, on Postgres. */
const lateral = (text: string) =>
  `select s.* from ${jsonRows({ isLocal: false }, '?1')} w cross join lateral (${text}) s`;

/** Builds a statement on each of the collections with the ids in ?1, on Postgres. */
export const ofEachCollection = (text: (collection: string) => string): Statement =>
  onCollections({}, (here) => lateral(text(here ?? 'cast(w.value as uuid)')));

/** Builds a statement on each of the audiences in ?1, on Postgres. */
export const ofEachAudience = (text: (audience: string, key: KeyOf) => string): Statement =>
  withKeys((key) => lateral(text('cast(w.value as text)', key)));

const PLACE = 'documents.id, documents.position, documents.collection';
const inOrder = (size: number) => `order by documents.position, documents.id limit ${size}`;
/** ?2 position, ?3 id, ?4 horizon */
const changed = (collection: string) => `select ${PLACE} from documents where documents.collection = ${collection}
  and documents.position > 0 and (documents.position, documents.id) > (?2, ?3) and documents.position < ?4`;

/** The first changed documents of a collection. */
export const allPlaces = (size: number) => (collection: string) => `${changed(collection)} ${inOrder(size)}`;

/** The last place in a window of this size, if that many documents have changed. */
export const windowEnd = (size: number) => (collection: string) =>
  `${changed(collection)} ${inOrder(1)} offset ${size - 1}`;

interface Extent {
  readonly followed: boolean;
  /** True if the caller has many principals. */
  readonly many: boolean;
}

/**
 * The first changed documents of a collection that the caller may read. ?3 to ?7 scope; after position ?8 and id ?9,
 * up to position ?10 and id ?11
 */
export const readablePlaces =
  ({ size, followed, many }: Extent & { readonly size: number }) =>
  (collection: string): string => {
    const isReadable = followed ? `(${mayRead(many)} or ${IS_FOLLOWER})` : mayRead(many);
    return `select ${PLACE} from documents where documents.collection = ${collection} and documents.position > 0
  and (documents.position, documents.id) > (?8, ?9) and (documents.position, documents.id) <= (?10, ?11) and ${isReadable}
  ${inOrder(size)}`;
  };

/** Number of changes from position ?1, before the horizon ?2, and the last position; up to this number. */
export const WINDOW_OF = (size: number): string => `select count(*) as n, max(w.position) as position from (
  select position from documents where position >= ?1 and position < ?2 order by position limit ${size}) w`;

const KEYS_IN = (param: string) =>
  `select c.id from collections c where c.name_key in (select value from json_each(${param}))`;
export const ALL_COLLECTIONS = 'select id from collections';
export const COLLECTIONS_BY_KEYS = KEYS_IN('?1');

/**
 * The first changed documents of a local database. ?1 position, ?2 id, ?3 to ?7 scope, ?8 last position; keys of
 * collections as JSON arrays: ?9 requested ones, ?10 those with only readable documents. The plus sign makes SQLite
 * use the index on positions (https://www.sqlite.org/optoverview.html#uplus).
 */
export const localPlaces = byOptions(
  ({
    size,
    everything,
    followed,
    many,
    isLimited,
    hasOpen,
  }: Extent & {
    readonly size: number;
    readonly everything: boolean;
    readonly isLimited: boolean;
    readonly hasOpen: boolean;
  }): string => {
    const conditions = [mayRead(many)];
    if (followed) conditions.push(IS_FOLLOWER);
    if (hasOpen) conditions.push(`+documents.collection in (${KEYS_IN('?10')})`);
    return `select ${PLACE} from documents where documents.position >= ?1
  and documents.position <= ?8 and (documents.position, documents.id) > (?1, ?2)
  ${isLimited ? `and +documents.collection in (${KEYS_IN('?9')})` : ''}
  ${everything ? '' : `and (${conditions.join(' or ')})`} ${inOrder(size)}`;
  },
);

/**
 * The documents that the caller may read in the collections with the ids in ?1, a limited number for each access
 * path.
 */
function reachable({ isLocal }: Pick<SqlExecutor, 'isLocal'>, { followed, many }: Extent, here: Here): string {
  const ids = `${jsonRows({ isLocal }, '?1')} w`;
  const id = here ?? idIn({ isLocal }, 'w.value');
  /** An index is searched once for each row of `from`. */
  const search = (from: string, columns: string, rows: string, order: string) =>
    isLocal
      ? `select ${columns} from ${from} cross join ${rows}`
      : `select x.* from ${from} cross join lateral (select ${columns} from ${rows} order by ${order} limit ${FEW + 1}) x`;
  const written = (from: string, author: string) =>
    search(from, 'd.collection, d.id', `documents d where d.author = ${author} and d.collection = ${id}`, 'd.id');
  const granted = (from: string, principal: string) =>
    search(
      from,
      'g.collection, g.document as id',
      `document_grants g where g.principal = ${principal} and g.collection = ${id} and (g.rights & ${READABLE}) <> 0`,
      'g.document',
    );
  const branches = [written(ids, '?3')];
  if (many) branches.push(granted(`${ids} cross join json_each(?4) p`, 'p.key'));
  else for (const param of ['?4', '?5', '?6', '?7']) branches.push(granted(ids, param));
  if (followed) {
    branches.push(written(`${ids} cross join (select followed from follows where follower = ?3) f`, 'f.followed'));
  }
  return branches.map((branch, i) => `select * from (${branch} limit ${FEW + 1}) w${i}`).join(' union all ');
}

/** Number of documents that the caller may read in these collections, counted up to a limit for each access path. */
export const reachCount = byOptions((isLocal: boolean, extent: Extent) =>
  onCollections({}, (here) => `select count(*) as n from (${reachable({ isLocal }, extent, here)}) r`),
);

/** ?8 position, ?9 id, ?10 horizon */
const reached = (
  from: string,
  here: Here,
) => `select ${PLACE} from ${from} where documents.collection = reach.collection
  ${here === null ? '' : `and documents.collection = ${here}`} and documents.id = reach.id
  and documents.position > 0 and (documents.position, documents.id) > (?8, ?9) and documents.position < ?10`;

/** The changed ones among them, after position ?8 and id ?9, before the horizon ?10. */
export const reach = byOptions((isLocal: boolean, extent: Extent, size: number) =>
  onCollections({}, (here) => {
    const found = isLocal
      ? reached('reach cross join documents', here)
      : `select documents.* from reach cross join lateral (${reached('documents', here)} limit 1) documents`;
    return `with reach as materialized (select distinct r.collection, r.id from (${reachable({ isLocal }, extent, here)}) r)
  ${found} ${inOrder(size)}`;
  }),
);
/** ?2 position, ?3 id, ?4 horizon */
const isChangedAudience = (audience: string) => `(select 1 from access_changes a where a.audience = ${audience}
  and (a.position, a.document) > (?2, ?3) and a.position < ?4 order by a.position, a.document limit 1) = 1`;
const changedAudiences = (executor: Pick<SqlExecutor, 'isLocal'>) => `select w.value as audience
  from ${jsonRows(executor, '?1')} w where ${isChangedAudience('w.value')}`;
const FOLLOWED = `'${authorAudience('')}' || f.followed`;

/** Audiences in ?1 with changed access to a document. */
export const CHANGED_AUDIENCES = forDatabase(changedAudiences);
/** Like `CHANGED_AUDIENCES`, with the authors whom user ?5 follows. */
export const CHANGED_AUDIENCES_OF_FOLLOWER = forDatabase(
  (executor) => `${changedAudiences(executor)}
  union all select ${FOLLOWED} from follows f where f.follower = ?5 and ${isChangedAudience(FOLLOWED)}`,
);

/** The first access changes of an audience. */
export const accessPlaces =
  (size: number) =>
  (audience: string, key: KeyOf = (column) => column): string =>
    `select a.document as id, a.position, a.collection, a.audience, ${key('c.name_key')} as "key", c.name
  from access_changes a left join collections c on c.id = a.collection and ${isThere('c.name')}
  where a.audience = ${audience} and (a.position, a.document) > (?2, ?3) and a.position < ?4
  order by a.position, a.document limit ${size}`;

/** The first places of access changes. ?1 position, ?2 id, ?3 horizon */
export const anyAccessPlaces = (
  size: number,
): string => `select a.position, a.document as id, min(cast(a.collection as text)) as collection from access_changes a
  where (a.position, a.document) > (?1, ?2) and a.position < ?3
  group by a.position, a.document order by a.position, a.document limit ${size}`;

/** The access changes after position ?1 and id ?2, up to position ?3 and id ?4, ordered by their places. */
export const ACCESS_BETWEEN = `select a.document as id, a.position, a.audience from access_changes a
  where (a.position, a.document) > (?1, ?2) and (a.position, a.document) <= (?3, ?4)
  order by a.position, a.document, a.audience`;

/** Separates principals. Names never contain it. */
export const SEPARATOR = '\n';

/** Documents with their readers. ?1 ids as a JSON array */
export const WITH_READERS = forDatabase(
  (executor) => `select ${JOINED}, documents.author as "authorId", documents.position, w.place,
    coalesce((select string_agg(g.principal, '${SEPARATOR}') from document_grants g
      where g.collection = documents.collection and g.document = documents.id
      and (g.rights & ${READABLE}) <> 0), '') as readers
  from ${jsonRows(executor, '?1')} w cross join documents ${JOINS_IN_ORDER}
    and ${isThere('c.name')} and documents.id = ${idIn(executor, 'w.value')}`,
);
export const READERS_COLUMNS: ListedColumns = {
  names: [...LISTED.names, 'authorId', 'position', 'place', 'readers'],
  heavy: ['content', 'readers'],
};

/** Keys and names of collections. ?1 ids as a JSON array */
export const NAMES_OF_COLLECTIONS = forDatabase((executor) =>
  withKeys(
    (key) => `select c.id, ${key('c.name_key')} as "key", c.name from ${jsonRows(executor, '?1')} w
  join collections c on c.id = ${idIn(executor, 'w.value')} and ${isThere('c.name')}`,
  ),
);

/** ?1 audience, ?2 key of the collection or '', ?3 reason, ?4 now */
export const MARK = withFeedPosition(
  (position): Statement => ({
    text: `insert into sight_marks (audience, collection_key, reason, position, recorded)
  values (?1, ?2, ?3, ${position}, ?4)
  on conflict (audience, collection_key, reason) do update
  set position = excluded.position, recorded = excluded.recorded`,
    addsToFeed: true,
  }),
);

const MARK_COLUMNS = 'm.audience, m.collection_key as "key", m.reason, m.position';
/**
 * Finds the rows of each audience by the key, and then sorts them. `offset 0` keeps Postgres from using the order of
 * positions.
 */
const firstMark = ({ isLocal }: Pick<SqlExecutor, 'isLocal'>, among: string) => {
  const rows = 'select x.* from sight_marks x where x.audience = w.value';
  const marks = isLocal ? 'sight_marks m' : `lateral (${rows} offset 0) m`;
  return `select ${MARK_COLUMNS} from ${jsonRows({ isLocal }, '?2')} w cross join ${marks}
  where m.audience = w.value and m.position >= ?1${among}
  order by m.position, case m.reason when 'follow' then 1 else 0 end limit 1`;
};
/** The first mark for one of the audiences in ?2, from position ?1. */
export const FIRST_MARK = forDatabase((executor) => firstMark(executor, ''));
/** The first mark that concerns the collections with the keys in ?3, or all collections. */
export const FIRST_MARK_IN = forDatabase((executor) =>
  firstMark(
    executor,
    ` and (m.collection_key = '' or m.collection_key in (select k.value from ${jsonRows(executor, '?3')} k))`,
  ),
);
/** The marks from position ?1. One more than the maximum of a batch indicates too many. */
export const MARKS_FROM = `select ${MARK_COLUMNS} from sight_marks m where m.position >= ?1
  order by m.position limit ${MAX_MARKS + 1}`;

const removeOld = (table: string, key: string) => `delete from ${table} where (${key}) in (
  select ${key} from ${table} where recorded < ?1 order by recorded, position limit ?2) and recorded < ?1 returning position`;
export const REMOVE_OLD = [
  removeOld('access_changes', 'collection, document, audience'),
  removeOld('sight_marks', 'audience, collection_key, reason'),
];
export const RAISE_OLDEST = 'update feed_state set oldest = ?1 where oldest < ?1';
