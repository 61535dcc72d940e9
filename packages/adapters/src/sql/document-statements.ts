import { type Action, EVERY_RIGHT, RIGHTS, sufficientRights } from '@baobab/core';
import { EVERY_USER, isOneOfMany } from './access-scope.ts';
import type { ListedColumns } from './bounded.ts';
import { withFeedPosition } from './feed-position.ts';
import { GRANT_ROWS, type GrantStatements } from './grant-rows.ts';
import { isThere } from './is-there.ts';
import { withRowLock } from './row-lock.ts';

/**
 * Statements on documents. Parameters ?1 to ?7 are the same in all of them: ?1 collection key, ?2 document id, ?3 the
 * caller's user id, ?4 to ?7 the caller's principals (all in ?4 if there are many, see `scopeParams`). Further ones
 * start at ?8.
 */
export const COLLECTION = '(select c.id from collections c where c.name_key = ?1)';

export const READABLE = sufficientRights('read');
/** Grants `g` to the caller's principals: on one document, and for a search by principal. */
const isMine = (many: boolean) => (many ? isOneOfMany('g.principal', '?4') : 'g.principal in (?4, ?5, ?6, ?7)');
export const ofPrincipals = (many: boolean) =>
  many
    ? 'json_each(?4) p cross join document_grants g where g.principal = p.key'
    : 'document_grants g where g.principal in (?4, ?5, ?6, ?7)';

/** Grants to a plain user. Constants are cheaper than binding parameters. */
const IS_OF_USER = `g.principal in (?4, ${EVERY_USER.map((principal) => `'${principal}'`).join(', ')})`;

const granted = (mine: string) => `coalesce((
  select max(g.rights & 1) | max(g.rights & 2) | max(g.rights & 4) | max(g.rights & 8) from document_grants g
  where g.collection = documents.collection and g.document = documents.id and ${mine}), 0)`;
/** Followers of the author may read. */
export const IS_FOLLOWER = 'exists (select 1 from follows f where f.follower = ?3 and f.followed = documents.author)';
const AS_FOLLOWER = `case when ${IS_FOLLOWER} then ${RIGHTS.read} else 0 end`;

/** Returns the rights of the caller on the current row of `documents`, as bits. */
function held({ everything, followed, many }: Variant, mine = isMine(many)): string {
  if (everything) return String(EVERY_RIGHT);
  return `case when documents.author = ?3 then ${EVERY_RIGHT} else ${granted(mine)}${followed ? ` | ${AS_FOLLOWER}` : ''} end`;
}

const hasRight = (action: Action, many: boolean) => `(documents.author = ?3 or exists (select 1 from document_grants g
  where g.collection = documents.collection and g.document = documents.id and ${isMine(many)} and (g.rights & ${sufficientRights(action)}) <> 0))`;

/** Returns the condition for read access to the current row of `documents`, except as a follower of its author. */
export const mayRead = (many: boolean) => hasRight('read', many);

/**
 * Variant of a statement: in one collection or in any, and the extent of the access scope. Each statement has only
 * these few texts.
 */
export interface Variant {
  readonly anywhere: boolean;
  readonly everything: boolean;
  readonly followed: boolean;
  /** True if the caller has many principals. */
  readonly many: boolean;
}

/** Caches the text of each variant. */
function byVariant(build: (variant: Variant) => string) {
  const texts: string[] = [];
  return (variant: Variant): string => {
    const place =
      (variant.many ? 8 : 0) + (variant.anywhere ? 4 : 0) + (variant.everything ? 2 : 0) + (variant.followed ? 1 : 0);
    texts[place] ??= build(variant);
    return texts[place];
  };
}

/** True unless the removal of the collection has begun. */
const IS_IN_COLLECTION = `exists (select 1 from collections c where c.id = documents.collection and ${isThere('c.name')})`;
const at = ({ anywhere }: Variant) =>
  `documents.id = ?2 and ${anywhere ? IS_IN_COLLECTION : `documents.collection = ${COLLECTION}`}`;
const ifAllowed = ({ everything, many }: Variant, action: Action) =>
  everything ? '' : ` and ${hasRight(action, many)}`;

const OWN_COLUMNS = 'documents.id, documents.version, documents.created, documents.updated, documents.content';
export const JOINED = `${OWN_COLUMNS}, c.name as collection, u.name as author`;
/** Columns of `JOINED` as a list returns them. */
export const LISTED: ListedColumns = {
  names: ['id', 'version', 'created', 'updated', 'content', 'collection', 'author'],
  heavy: ['content'],
  sources: ['documents.content'],
};
export const JOINS = 'join collections c on c.id = documents.collection join users u on u.id = documents.author';
/** Like JOINS, for SQLite in this order of the tables. A condition must follow. */
export const JOINS_IN_ORDER = `cross join collections c cross join users u
  where c.id = documents.collection and u.id = documents.author`;
/** For statements that return changed rows and cannot join. */
const RETURNED_NAMES = `(select c.name from collections c where c.id = documents.collection) as collection,
  (select u.name from users u where u.id = documents.author) as author`;
/** `own`: true if the caller is the author. */
const RETURNED = `id, version, created, updated, content, documents.author = ?3 as own,
  ${RETURNED_NAMES}`;

/** Finds the collection by its key, then the document in it, with one look-up each. */
const WITHIN = `collections c join documents on documents.collection = c.id and documents.id = ?2
  join users u on u.id = documents.author where c.name_key = ?1`;
const ANYWHERE = `documents ${JOINS} where documents.id = ?2 and ${isThere('c.name')}`;

/** ?1 document */
export const LOCATE = `select c.name_key as collection from documents d join collections c on c.id = d.collection
  where d.id = ?1 and ${isThere('c.name')}`;

export const FIND = byVariant(
  (variant) => `select ${JOINED}, ${held(variant)} as rights from ${variant.anywhere ? ANYWHERE : WITHIN}`,
);

/** Like FIND, for plain users. */
export const FIND_FOR_USER = byVariant(
  (variant) => `select ${JOINED}, ${held(variant, IS_OF_USER)} as rights from ${variant.anywhere ? ANYWHERE : WITHIN}`,
);

/**
 * ?1 collection key, ?2 id, ?3 author, ?4 created, ?5 content. Returns the missing fields. The foreign key takes this
 * lock anyway. Taken here, a collection that is being removed counts as missing instead of raising an error.
 */
export const INSERT = withRowLock('key share of c', (lock) =>
  withFeedPosition(
    (position) => `insert into documents (id, collection, author, version, created, updated, content, position)
  select ?2, c.id, ?3, 1, ?4, ?4, ?5, ${position} from collections c where c.name_key = ?1${lock}
  returning ${RETURNED_NAMES}`,
  ),
);

/** ?8 content, ?9 updated, ?10 expected version or null */
export const REPLACE = withFeedPosition((position) =>
  byVariant(
    (variant) => `update documents set content = ?8, updated = ?9, version = version + 1, position = ${position}
  where ${at(variant)}${ifAllowed(variant, 'update')} and (cast(?10 as bigint) is null or version = ?10)
  returning ${RETURNED}`,
  ),
);

/** Changes nothing, but locks the row until the transaction ends. */
export const LOCK_TO_UPDATE = byVariant(
  (variant) => `update documents set version = version where ${at(variant)}${ifAllowed(variant, 'update')}
  returning ${RETURNED}`,
);

/** Also locks the row against grants, so that the readers of the document are known until the transaction ends. */
const lockWithGrants = (action: Action) =>
  withRowLock('update of documents', (lock) =>
    byVariant(
      (variant) => `select documents.collection, documents.author from documents
  where ${at(variant)}${ifAllowed(variant, action)}${lock}`,
    ),
  );
export const LOCK_TO_GRANT = lockWithGrants('all');
export const LOCK_TO_REMOVE = lockWithGrants('delete');

/** ?1 collection id, ?2 document id */
export const REMOVE = 'delete from documents where collection = ?1 and id = ?2';

/** ?8 principal, ?9 rights. Locks for the same reason as INSERT. */
export const GRANT = withRowLock('key share of documents', (lock) =>
  byVariant(
    (variant) => `insert into document_grants (document, collection, principal, rights)
  select documents.id, documents.collection, ?8, ?9 from documents where ${at(variant)}${ifAllowed(variant, 'all')}${lock}
  on conflict (collection, document, principal) do update set rights = document_grants.rights | excluded.rights`,
  ),
);

/** Locks the grant to a principal until the transaction ends. ?8 principal */
export const LOCK_GRANT = withRowLock('update of document_grants', (lock) =>
  byVariant(
    (variant) => `select rights from document_grants where principal = ?8
  and (collection, document) = (select documents.collection, documents.id from documents where ${at(variant)}${ifAllowed(variant, 'all')})${lock}`,
  ),
);

/** ?1 document, ?2 principal */
const OF_PRINCIPAL = `principal = ?2
  and (collection, document) = (select d.collection, d.id from documents d where d.id = ?1)`;
/** ?3 remaining rights */
export const KEEP_RIGHTS = `update document_grants set rights = ?3 where ${OF_PRINCIPAL}`;
export const REMOVE_GRANT = `delete from document_grants where ${OF_PRINCIPAL}`;

/** Grants of a document without any. */
export const FIRST_GRANTS: GrantStatements = {
  one: `insert into document_grants (document, collection, principal, rights)
  select id, collection, ?2, ?3 from documents where id = ?1`,
  many: `insert into document_grants (document, collection, principal, rights)
  select d.id, d.collection, g.principal, g.rights from documents d cross join (${GRANT_ROWS}) g
  where d.id = ?1 and g.principal is not null`,
};

/** ?1 document */
export const CLEAR_GRANTS = `delete from document_grants
  where (collection, document) = (select d.collection, d.id from documents d where d.id = ?1)
  returning principal, rights`;

/** Like FIRST_GRANTS, for concurrent grants during the replacement of all grants. */
const INSTEAD = 'on conflict (collection, document, principal) do update set rights = excluded.rights';
export const SET_GRANTS: GrantStatements = {
  one: `${FIRST_GRANTS.one} ${INSTEAD}`,
  many: `${FIRST_GRANTS.many} ${INSTEAD}`,
};

/** ?1 document */
export const GRANTS_ON = `select g.principal, g.rights from document_grants g
  where (g.collection, g.document) = (select d.collection, d.id from documents d where d.id = ?1) order by g.principal`;

/** Number of names that one statement looks up. */
export const NAMES_AT_ONCE = 50;
const NAME_PARAMS = Array.from({ length: NAMES_AT_ONCE }, (_, i) => `?${i + 1}`).join(', ');

/** Parameters are ids or keys, padded with null. */
export const NAMES = {
  user: `select id as key, name from users where id in (${NAME_PARAMS}) and ${isThere()}`,
  role: `select role_key as key, name from roles where role_key in (${NAME_PARAMS})`,
  /** Clients identify groups by their ids. */
  group: `select id as key, id as name from user_groups where id in (${NAME_PARAMS})`,
} as const;

/** Parameters are ids. Locks the rows in this order, with the strength of an update, because grants reference them. */
export const LOCK_ALL = `select id from documents where id in (${NAME_PARAMS}) order by id for no key update`;

const COUNT_EVERYTHING = `select count(*) as n from documents where collection = ${COLLECTION}`;

/**
 * Concatenates the access paths and counts each document once. To merge them in order, SQLite would read whole
 * indexes.
 */
const countReadable = (many: boolean, more: string) => `select count(distinct id) as n from (
  select id from documents where collection = ${COLLECTION} and author = ?3
  union all select g.document from ${ofPrincipals(many)}
    and g.collection = ${COLLECTION} and (g.rights & ${READABLE}) <> 0${more}) readable`;

// `cross join` makes SQLite start with the first table.
const OF_FOLLOWED = `
  union all select d.id from follows f cross join documents d
    where f.follower = ?3 and d.author = f.followed and d.collection = ${COLLECTION}`;
const COUNT_READABLE = { few: countReadable(false, ''), many: countReadable(true, '') };
const COUNT_FOLLOWED = { few: countReadable(false, OF_FOLLOWED), many: countReadable(true, OF_FOLLOWED) };

export function count({ everything, followed, many }: Omit<Variant, 'anywhere'>): string {
  if (everything) return COUNT_EVERYTHING;
  return (followed ? COUNT_FOLLOWED : COUNT_READABLE)[many ? 'many' : 'few'];
}
