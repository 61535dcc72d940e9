import { type Action, EVERY_RIGHT, sufficientRights } from '@baobab/core';
import { isOneOfMany } from '../documents/access-scope.ts';
import { GRANT_ROWS } from '../documents/grants.ts';
import { grantedToMany, type PageOfRows, type Walk, walkOf } from '../lists/document-list-statements.ts';
import { withRowLock } from '../statements/fragments.ts';
import { cut, type ListedColumns } from '../statements/pages.ts';
import { byOptions, type Statement } from '../statements/statement.ts';
import { HIDDEN, type Inheritance, IS_VISIBLE, inheritedFiles, isVisible, mayReadDocument } from './document-files.ts';

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

const ifAllowed = (caller: CallerKind, action: Action) =>
  ` and ${IS_VISIBLE}${caller === 'all' ? '' : ` and ${hasRight(action, caller === 'many')}`}`;

/** Caller of a list. */
export interface Reader {
  readonly caller: CallerKind;
  /** False if no file belongs to a document. */
  readonly hasOwned: boolean;
  /** Null if the caller inherits nothing from documents. */
  readonly inheritance: Inheritance | null;
}

export const COLUMNS = `files.id, u.name as author, files.file_name as "fileName", files.content_type as "contentType",
  files.size, files.sha256, files.attached_data as "attachedData", files.created, files.document,
  case when files.document is not null then (select c.name from collections c where c.id = files.collection) end as collection`;
/** The same columns as a list returns them. */
export const LISTED: ListedColumns = {
  names: [
    'id',
    'author',
    'fileName',
    'contentType',
    'size',
    'sha256',
    'attachedData',
    'created',
    'document',
    'collection',
  ],
  heavy: ['attachedData'],
};
/** @param files the table, or a replacement */
export const joined = (files: string) => `${files} join users u on u.id = files.author`;
const FROM = `from ${joined('files')}`;

/** Condition for files in an access scope. Does not use ?1. */
export function readableFiles({ caller, hasOwned, inheritance }: Reader): string {
  if (caller === 'all') return hasOwned ? IS_VISIBLE : '1 = 1';
  const own = hasRight('read', caller === 'many');
  const readable = inheritance === null ? own : `(${own} or ${mayReadDocument(inheritance)})`;
  return hasOwned ? `${IS_VISIBLE} and ${readable}` : readable;
}

/**
 * ?1 id, ?2 author, ?3 name, ?4 type, ?5 size, ?6 digest, ?7 attached data, ?8 created, ?9 document, ?10 collection id
 */
const insert = (
  author: string,
) => `insert into files (id, author, file_name, content_type, size, sha256, attached_data, created, document, collection)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
  returning ${author} as author`;
export const INSERT: Statement = {
  text: insert('(select u.name from users u where u.id = files.author)'),
  distributed: { text: insert('files.author'), returnsIds: true },
};

/** Grants of a file without any. ?1 file, ?2 see `GRANT_ROWS` */
export const FIRST_GRANTS = `insert into file_grants (file, principal, rights)
  select f.id, g.principal, g.rights from files f cross join ${GRANT_ROWS} g where f.id = ?1`;

export const FIND = byOptions((caller: CallerKind) => {
  const some = `case when files.author = ?2 then ${EVERY_RIGHT} else ${granted(caller === 'many')} end`;
  const held = caller === 'all' ? EVERY_RIGHT : some;
  return `select ${COLUMNS}, ${held} as rights ${FROM} where files.id = ?1 and ${IS_VISIBLE}`;
});

export const REMOVE = byOptions(
  (caller: CallerKind) => `delete from files where files.id = ?1${ifAllowed(caller, 'delete')}`,
);

/** ?7 principal, ?8 rights */
export const GRANT = withRowLock('key share of files', (lock) =>
  byOptions(
    (caller: CallerKind) => `insert into file_grants (file, principal, rights)
  select files.id, ?7, ?8 from files where files.id = ?1${ifAllowed(caller, 'all')}${lock}
  on conflict (file, principal) do update set rights = file_grants.rights | excluded.rights`,
  ),
);

/** ?7 principal, ?8 remaining rights */
export const REVOKE = byOptions(
  (caller: CallerKind) => `update file_grants set rights = rights & ?8 where principal = ?7
  and file = (select files.id from files where files.id = ?1${ifAllowed(caller, 'all')})`,
);

/** ?1 file */
export const GRANTS_ON = 'select g.principal, g.rights from file_grants g where g.file = ?1 order by g.principal';

export const SWEEP_GRANT = 'delete from file_grants where file = ?1 and principal = ?2 and rights = 0';

/** ?7 number of rows to skip */
const page = ({ rows, order, isSkipping }: Walk) => `order by files.id${order} ${cut(rows, isSkipping ? '?7' : null)}`;

const GRANTS = { table: 'file_grants', object: 'file', after: '?1', principals: '?3' } as const;

const grantedToFew = ({ size, order, sign }: Walk, isListed: string) =>
  ['?3', '?4', '?5', '?6'].map(
    (principal) => `select x.file as id from file_grants x where x.principal = ${principal} and x.file ${sign} ?1
    and (x.rights & ${READABLE}) <> 0${isListed} order by x.file${order} limit ${size}`,
  );

function grantedBranches({ caller, hasOwned }: Reader, isLocal: boolean, walk: Walk): string[] {
  const isListed = hasOwned ? ` and ${isVisible('x.file')}` : '';
  if (caller !== 'many') return grantedToFew(walk, isListed);
  return [grantedToMany(walk, { ...GRANTS, isListed }, isLocal)];
}

/** One branch for each access path, which uses the order of an index and ends with the page. */
function branches(reader: Reader, isLocal: boolean, walk: Walk): string[] {
  const { hasOwned, inheritance } = reader;
  const { sign, order, size } = walk;
  const end = ` order by files.id${order} limit ${size}`;
  return [
    `select id from files where author = ?2 and id ${sign} ?1${hasOwned ? ` and ${IS_VISIBLE}` : ''}${end}`,
    ...grantedBranches(reader, isLocal, walk),
    ...(inheritance === null ? [] : inheritedFiles(inheritance, ` and files.id ${sign} ?1`, end)),
  ];
}

function buildList(reader: Reader, isLocal: boolean, walk: Walk): string {
  const seen = reader.hasOwned ? `${IS_VISIBLE} and ` : '';
  const from = `select ${COLUMNS} ${FROM} where ${seen}files.id`;
  if (reader.caller === 'all') return `${from} ${walk.sign} ?1 ${page(walk)}`;
  const ids = branches(reader, isLocal, walk).map((branch) => `select id from (${branch}) b`);
  return `${from} in (${ids.join(' union all ')}) ${page(walk)}`;
}

/** Caches the texts for each kind of reader, except those with rules, who are too many. */
function byReader<Rest extends readonly unknown[]>(build: (reader: Reader, ...rest: Rest) => string) {
  const cached = byOptions(build);
  return (reader: Reader, ...rest: Rest): string =>
    (reader.inheritance?.ruled ?? null) === null ? cached(reader, ...rest) : build(reader, ...rest);
}

const lists = byReader(buildList);

interface ListKind {
  readonly reader: Reader;
  readonly isLocal: boolean;
  /** From newest to oldest. */
  readonly descending: boolean;
}

/** Returns the statement of a page in the order of the ids. It may return a few more rows, which the caller removes. */
export function list({ reader, isLocal, descending }: ListKind, wanted: PageOfRows): string {
  return lists(reader, isLocal, walkOf(wanted, descending));
}

const ofPrincipals = (caller: CallerKind) =>
  caller === 'many'
    ? 'json_each(?3) p cross join file_grants g where g.principal = p.key'
    : 'file_grants g where g.principal in (?3, ?4, ?5, ?6)';

/** Ids in an access scope, some of them repeatedly. */
const idBranches = ({ caller, inheritance }: Reader) => [
  'select mine.id from files mine where mine.author = ?2',
  `select g.file as id from ${ofPrincipals(caller)} and (g.rights & ${READABLE}) <> 0`,
  ...(inheritance === null ? [] : inheritedFiles(inheritance)),
];

function buildCount(reader: Reader): string {
  const { caller, hasOwned } = reader;
  if (caller === 'all') return `select (select count(*) from files)${hasOwned ? ` - ${HIDDEN}` : ''} as n`;
  const found = `select count(*) as n from (${idBranches(reader).join(' union ')}) found`;
  return hasOwned ? `${found} where ${isVisible('found.id')}` : found;
}

export const count = byReader(buildCount);

/** Ids in an access scope, or null if these are all. */
export const readableIds = (reader: Reader): string | null =>
  reader.caller === 'all' ? null : idBranches(reader).join(' union all ');

/** ?1 key */
export const COLLECTION_ID = 'select c.id from collections c where c.name_key = ?1';
