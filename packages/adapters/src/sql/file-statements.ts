import { type Action, EVERY_RIGHT, sufficientRights } from '@baobab/core';
import { isOneOfMany } from './access-scope.ts';
import type { ListedColumns } from './bounded.ts';
import { cut, type PageOfRows, type Walk, walkOf } from './document-list-statements.ts';
import { GRANT_ROWS, type GrantStatements } from './grant-rows.ts';
import { withRowLock } from './row-lock.ts';

/**
 * Statements on files. Parameters ?1 to ?6 are the same in all statements with an access scope: ?1 id, or the id
 * after which a list starts, ?2 the caller's user id, ?3 to ?6 the caller's principals (all in ?3 if there are many,
 * see `scopeParams`). Further ones start at ?7.
 */
const isMine = (many: boolean) => (many ? isOneOfMany('g.principal', '?3') : 'g.principal in (?3, ?4, ?5, ?6)');
const READABLE = sufficientRights('read');

const granted = (many: boolean) => `coalesce((
  select max(g.rights & 1) | max(g.rights & 2) | max(g.rights & 4) | max(g.rights & 8) from file_grants g
  where g.file = files.id and ${isMine(many)}), 0)`;

const hasRight = (action: Action, many: boolean) => `(files.author = ?2 or exists (select 1 from file_grants g
  where g.file = files.id and ${isMine(many)} and (g.rights & ${sufficientRights(action)}) <> 0))`;

/** Kind of caller: one who may read everything, or one with few or many principals. */
export type CallerKind = 'all' | 'few' | 'many';

/** Creates one text for each kind of caller. */
const forEach = (build: (caller: CallerKind) => string) => {
  const texts = { all: build('all'), few: build('few'), many: build('many') };
  return (caller: CallerKind) => texts[caller];
};
const ifAllowed = (caller: CallerKind, action: Action) =>
  caller === 'all' ? '' : ` and ${hasRight(action, caller === 'many')}`;

export const COLUMNS = `files.id, u.name as author, files.file_name as "fileName", files.content_type as "contentType",
  files.size, files.sha256, files.attached_data as "attachedData", files.created`;
/** The same columns as a list returns them. */
export const LISTED: ListedColumns = {
  names: ['id', 'author', 'fileName', 'contentType', 'size', 'sha256', 'attachedData', 'created'],
  heavy: ['attachedData'],
  sources: ['files.attached_data'],
};
/** @param files the table, or a replacement */
export const joined = (files: string) => `${files} join users u on u.id = files.author`;
const FROM = `from ${joined('files')}`;

/** Condition for files in an access scope. Does not use ?1. */
export const READABLE_FILES = forEach((caller) => (caller === 'all' ? '1 = 1' : hasRight('read', caller === 'many')));

/** ?1 id, ?2 author, ?3 name, ?4 type, ?5 size, ?6 digest, ?7 attached data, ?8 created */
export const INSERT = `insert into files (id, author, file_name, content_type, size, sha256, attached_data, created)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  returning id, (select u.name from users u where u.id = files.author) as author, file_name as "fileName",
    content_type as "contentType", size, sha256, attached_data as "attachedData", created`;

/** Grants of a file without any. */
export const FIRST_GRANTS: GrantStatements = {
  one: 'insert into file_grants (file, principal, rights) values (?1, ?2, ?3)',
  many: `insert into file_grants (file, principal, rights)
  select f.id, g.principal, g.rights from files f cross join (${GRANT_ROWS}) g
  where f.id = ?1 and g.principal is not null`,
};

export const FIND = forEach((caller) => {
  const some = `case when files.author = ?2 then ${EVERY_RIGHT} else ${granted(caller === 'many')} end`;
  const held = caller === 'all' ? EVERY_RIGHT : some;
  return `select ${COLUMNS}, ${held} as rights ${FROM} where files.id = ?1`;
});

export const REMOVE = forEach((caller) => `delete from files where files.id = ?1${ifAllowed(caller, 'delete')}`);

/** ?7 principal, ?8 rights */
export const GRANT = withRowLock('key share of files', (lock) =>
  forEach(
    (caller) => `insert into file_grants (file, principal, rights)
  select files.id, ?7, ?8 from files where files.id = ?1${ifAllowed(caller, 'all')}${lock}
  on conflict (file, principal) do update set rights = file_grants.rights | excluded.rights`,
  ),
);

/** ?7 principal, ?8 remaining rights */
export const REVOKE = forEach(
  (caller) => `update file_grants set rights = rights & ?8 where principal = ?7
  and file = (select files.id from files where files.id = ?1${ifAllowed(caller, 'all')})`,
);

/** ?1 file */
export const GRANTS_ON = 'select g.principal, g.rights from file_grants g where g.file = ?1 order by g.principal';

export const SWEEP_GRANT = 'delete from file_grants where file = ?1 and principal = ?2 and rights = 0';

/** ?7 number of rows to skip */
const page = ({ rows, order, isSkipping }: Walk) => `order by files.id${order} ${cut(rows, isSkipping ? '?7' : null)}`;

const firstTo = (principal: string, from: string, order: string) => `select x.file from file_grants x
  where x.principal = ${principal} and x.file ${from} and (x.rights & ${READABLE}) <> 0 order by x.file${order} limit 1`;

/** As for documents, see `grantedToMany` there: first for SQLite, then for Postgres. */
const holders = ({ size, order, sign }: Walk) => `with holders as materialized (
    select p.key as principal, (${firstTo('p.key', `${sign} ?1`, order)}) as head from json_each(?3) p
    order by head${order} nulls last limit ${size}
  )`;
const pageEnd = ({ size, order, last }: Walk) =>
  `coalesce((select head from holders order by head${order} limit 1 offset ${size - 1}), ${last})`;
function grantedToManyByEnds(walk: Walk): string {
  const { size, order, sign, upTo, last } = walk;
  return `${holders(walk)}, ends as materialized (
    select h.principal, h.head, ${pageEnd(walk)} as page_end,
      coalesce((${firstTo('h.principal', `${sign}= h.head`, order)} offset ${size - 1}), ${last}) as own_end
    from holders h where h.head is not null
  )
  select x.file as id from ends cross join file_grants x
  where x.principal = ends.principal and x.file ${sign}= ends.head and (x.rights & ${READABLE}) <> 0
    and x.file ${upTo} case when own_end ${upTo} page_end then own_end else page_end end`;
}
function grantedToManyByLateral(walk: Walk): string {
  const { size, order, sign, upTo } = walk;
  return `${holders(walk)}
  select g.file as id from holders h cross join lateral (
    select x.file from file_grants x where x.principal = h.principal and x.file ${sign}= h.head
    and x.file ${upTo} ${pageEnd(walk)} and (x.rights & ${READABLE}) <> 0 order by x.file${order} limit ${size}
  ) g`;
}

const grantedToFew = ({ size, order, sign }: Walk) =>
  ['?3', '?4', '?5', '?6'].map(
    (principal) => `select file as id from file_grants where principal = ${principal} and file ${sign} ?1
    and (rights & ${READABLE}) <> 0 order by file${order} limit ${size}`,
  );

function grantedBranches(caller: CallerKind, isLocal: boolean, walk: Walk): string[] {
  if (caller !== 'many') return grantedToFew(walk);
  return [isLocal ? grantedToManyByEnds(walk) : grantedToManyByLateral(walk)];
}

/** One branch for each access path, which uses the order of an index and ends with the page. */
const branches = (caller: CallerKind, isLocal: boolean, walk: Walk) => [
  `select id from files where author = ?2 and id ${walk.sign} ?1 order by id${walk.order} limit ${walk.size}`,
  ...grantedBranches(caller, isLocal, walk),
];

function buildList(caller: CallerKind, isLocal: boolean, walk: Walk): string {
  if (caller === 'all') return `select ${COLUMNS} ${FROM} where files.id ${walk.sign} ?1 ${page(walk)}`;
  const ids = branches(caller, isLocal, walk).map((branch) => `select id from (${branch}) b`);
  return `select ${COLUMNS} ${FROM} where files.id in (${ids.join(' union all ')}) ${page(walk)}`;
}

const lists = new Map<string, string>();

interface ListKind {
  readonly caller: CallerKind;
  readonly isLocal: boolean;
  /** From newest to oldest. */
  readonly descending: boolean;
}

/** Returns the statement of a page in the order of the ids. It may return a few more rows, which the caller removes. */
export function list({ caller, isLocal, descending }: ListKind, wanted: PageOfRows): string {
  const walk = walkOf(wanted, descending);
  const key = `${caller} ${isLocal} ${descending} ${walk.size} ${walk.rows} ${walk.isSkipping}`;
  const text = lists.get(key) ?? buildList(caller, isLocal, walk);
  lists.set(key, text);
  return text;
}

const ofPrincipals = (caller: CallerKind) =>
  caller === 'many'
    ? 'json_each(?3) p cross join file_grants g where g.principal = p.key'
    : 'file_grants g where g.principal in (?3, ?4, ?5, ?6)';

export const count = forEach((caller) =>
  caller === 'all'
    ? 'select count(*) as n from files'
    : `select count(*) as n from (select id from files where author = ?2
  union select g.file from ${ofPrincipals(caller)} and (g.rights & ${READABLE}) <> 0) readable`,
);

/** Ids of the files in an access scope, possibly with duplicates. Null for all. */
export const READABLE_IDS = (caller: CallerKind): string | null =>
  caller === 'all'
    ? null
    : `select mine.id from files mine where mine.author = ?2 union all
  select g.file as id from ${ofPrincipals(caller)} and (g.rights & ${READABLE}) <> 0`;

/** Number of ids that one statement looks up. */
export const IDS_AT_ONCE = 100;
const ID_PARAMS = Array.from({ length: IDS_AT_ONCE }, (_, at) => `?${at + 1}`).join(', ');
/** Parameters are ids, padded with null. */
export const EXISTING = `select id from files where id in (${ID_PARAMS})`;
