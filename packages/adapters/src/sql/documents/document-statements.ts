import { type Action, EVERY_RIGHT, RIGHTS, sufficientRights } from '@baobab/core';
import { withFeedPosition } from '../changes/feed-position.ts';
import { isThere, withRowLock } from '../statements/fragments.ts';
import type { ListedColumns } from '../statements/pages.ts';
import {
  byOptions,
  COLLECTION,
  type Here,
  onCollections,
  onDocument,
  type Statement,
  withKeys,
} from '../statements/statement.ts';
import { isOneOfMany } from './access-scope.ts';
import { GRANT_ROWS } from './grants.ts';

/**
 * Statements on documents. Parameters ?1 to ?7 are the same in all of them: ?1 collection key, ?2 document id, ?3 the
 * caller's user id, ?4 to ?7 the caller's principals (all in ?4 if there are many, see `scopeParams`). Further ones
 * start at ?8.
 */
export const READABLE = sufficientRights('read');
/** Grants `g` to the caller's principals: on one document, and for a search by principal. */
const isMine = (many: boolean) => (many ? isOneOfMany('g.principal', '?4') : 'g.principal in (?4, ?5, ?6, ?7)');
export const ofPrincipals = (many: boolean) =>
  many
    ? 'json_each(?4) p cross join document_grants g where g.principal = p.key'
    : 'document_grants g where g.principal in (?4, ?5, ?6, ?7)';

/** Grants `g` on the current row of `documents`. */
const onRow = (here: Here) => `g.collection = ${here ?? 'documents.collection'} and g.document = documents.id`;

const granted = (mine: string, here: Here) => `coalesce((
  select max(g.rights & 1) | max(g.rights & 2) | max(g.rights & 4) | max(g.rights & 8) from document_grants g
  where ${onRow(here)} and ${mine}), 0)`;
/** Followers of the author may read. */
export const IS_FOLLOWER = 'exists (select 1 from follows f where f.follower = ?3 and f.followed = documents.author)';
const AS_FOLLOWER = `case when ${IS_FOLLOWER} then ${RIGHTS.read} else 0 end`;

/** Returns the rights of the caller on the current row of `documents`, as bits. */
function held({ everything, followed, many }: Variant, here: Here): string {
  if (everything) return String(EVERY_RIGHT);
  return `case when documents.author = ?3 then ${EVERY_RIGHT} else ${granted(isMine(many), here)}${followed ? ` | ${AS_FOLLOWER}` : ''} end`;
}

const hasRight = (
  action: Action,
  many: boolean,
  here: Here,
) => `(documents.author = ?3 or exists (select 1 from document_grants g
  where ${onRow(here)} and ${isMine(many)} and (g.rights & ${sufficientRights(action)}) <> 0))`;

/** Returns the condition for read access to the current row of `documents`, except as a follower of its author. */
export const mayRead = (many: boolean) => hasRight('read', many, null);

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

/** @param build receives null, or the id of the collection, see `onDocument` */
const byVariant = (build: (variant: Variant, here: Here) => string, properties?: Parameters<typeof onDocument>[2]) =>
  byOptions((variant: Variant) =>
    onDocument(variant.anywhere ? 'second' : 'keyAndSecond', (here) => build(variant, here), properties),
  );

/** True unless the removal of the collection has begun. */
const IS_IN_COLLECTION = `exists (select 1 from collections c where c.id = documents.collection and ${isThere('c.name')})`;
function at({ anywhere }: Variant, here: Here): string {
  const collection = anywhere ? here : (here ?? COLLECTION);
  const conditions = ['documents.id = ?2'];
  if (collection !== null) conditions.push(`documents.collection = ${collection}`);
  if (anywhere) conditions.push(IS_IN_COLLECTION);
  return conditions.join(' and ');
}
const ifAllowed = ({ everything, many }: Variant, action: Action, here: Here) =>
  everything ? '' : ` and ${hasRight(action, many, here)}`;

const OWN_COLUMNS = 'documents.id, documents.version, documents.created, documents.updated, documents.content';
/** Name of the user who wrote the current version. Only looked up if it is not the author. */
const UPDATED_BY = `case when documents.updated_by is null then u.name
  else (select w.name from users w where w.id = documents.updated_by and ${isThere('w.name')}) end`;
export const JOINED = `${OWN_COLUMNS}, c.name as collection, u.name as author, ${UPDATED_BY} as "updatedBy"`;
/** Columns of `JOINED` as a list returns them. */
export const LISTED: ListedColumns = {
  names: ['id', 'version', 'created', 'updated', 'content', 'collection', 'author', 'updatedBy'],
  heavy: ['content'],
};
export const JOINS = 'join collections c on c.id = documents.collection join users u on u.id = documents.author';
/** Like JOINS, for SQLite in this order of the tables. A condition must follow. */
export const JOINS_IN_ORDER = `cross join collections c cross join users u
  where c.id = documents.collection and u.id = documents.author`;
/** For statements that return changed rows and cannot join. The columns are ids if documents are distributed. */
const returnedNames = (here: Here) =>
  here === null
    ? `(select c.name from collections c where c.id = documents.collection) as collection,
  (select u.name from users u where u.id = documents.author) as author`
    : 'documents.collection as collection, documents.author as author';
const WRITER = 'coalesce(documents.updated_by, documents.author)';
const returnedWriter = (here: Here) =>
  here === null ? `(select w.name from users w where w.id = ${WRITER} and ${isThere('w.name')})` : WRITER;
/** `own`: true if the caller is the author. */
const returned = (here: Here) => `id, version, created, updated, content, documents.author = ?3 as own,
  ${returnedNames(here)}, ${returnedWriter(here)} as "updatedBy"`;

/** Finds the collection by its key, then the document in it, with one look-up each. */
const within = (here: Here) => `collections c
  join documents on documents.collection = ${here === null ? 'c.id' : `${here} and c.id = ${here}`} and documents.id = ?2
  join users u on u.id = documents.author where ${here === null ? 'c.name_key = ?1' : 'true'}`;
const anywhere = (here: Here) =>
  `documents ${JOINS} where documents.id = ?2${here === null ? '' : ` and documents.collection = ${here}`} and ${isThere('c.name')}`;
const found = (variant: Variant, here: Here) => (variant.anywhere ? anywhere(here) : within(here));

/** ?1 document */
export const LOCATE = withKeys(
  (key) => `select ${key('c.name_key')} as collection from documents d join collections c on c.id = d.collection
  where d.id = ?1 and ${isThere('c.name')}`,
);

export const FIND = byVariant(
  (variant, here) => `select ${JOINED}, ${held(variant, here)} as rights from ${found(variant, here)}`,
);

/**
 * ?1 collection key, ?2 id, ?3 author, ?4 created, ?5 content, ?6 words or null. Returns the missing fields. The foreign key takes this
 * lock anyway. Taken here, a collection that is being removed counts as missing instead of raising an error.
 */
export const INSERT = withRowLock('key share of c', (lock) =>
  withFeedPosition((position) =>
    onDocument(
      'keyAndSecond',
      (here) => {
        const row = (collection: string) => `?2, ${collection}, ?3, 1, ?4, ?4, ?5, ?6, ${position}`;
        const rows =
          here === null
            ? `select ${row('c.id')} from collections c where c.name_key = ?1${lock}`
            : `values (${row(here)})`;
        return `insert into documents (id, collection, author, version, created, updated, content, words, position)
  ${rows} returning ${returnedNames(here)}`;
      },
      { adds: true, returnsIds: true, addsToFeed: true },
    ),
  ),
);

/** ?8 content, ?9 updated, ?10 expected version or null, ?11 id of the user who writes, ?12 words or null */
export const REPLACE = withFeedPosition((position) =>
  byVariant(
    (variant, here) => `update documents set content = ?8, updated = ?9, version = version + 1, position = ${position},
    updated_by = nullif(?11, documents.author), words = ?12
  where ${at(variant, here)}${ifAllowed(variant, 'update', here)} and (cast(?10 as bigint) is null or version = ?10)
  returning ${returned(here)}`,
    { returnsIds: true, addsToFeed: true },
  ),
);

/** Changes nothing, but locks the row until the transaction ends. */
export const LOCK_TO_UPDATE = byVariant(
  (variant, here) => `update documents set version = version
  where ${at(variant, here)}${ifAllowed(variant, 'update', here)} returning ${returned(here)}`,
  { returnsIds: true },
);

/** Also locks the row against grants, so that the readers of the document are known until the transaction ends. */
const lockWithGrants = (action: Action) =>
  withRowLock('update of documents', (lock) =>
    byVariant(
      (variant, here) => `select documents.collection, documents.author from documents
  where ${at(variant, here)}${ifAllowed(variant, action, here)}${lock}`,
    ),
  );
export const LOCK_TO_GRANT = lockWithGrants('all');
export const LOCK_TO_REMOVE = lockWithGrants('delete');

/** ?1 collection id, ?2 document id. A distributed database has files elsewhere. */
const remove = (hasFiles: string) =>
  `delete from documents where collection = ?1 and id = ?2 returning ${hasFiles} as "hasFiles"`;
export const REMOVE: Statement = {
  text: remove('exists (select 1 from files f where f.document = documents.id)'),
  distributed: { text: remove('true') },
};

/** ?8 principal, ?9 rights. Locks for the same reason as INSERT. */
export const GRANT = withRowLock('key share of documents', (lock) =>
  byVariant(
    (variant, here) => `insert into document_grants (document, collection, principal, rights)
  select documents.id, documents.collection, ?8, ?9 from documents
  where ${at(variant, here)}${ifAllowed(variant, 'all', here)}${lock}
  on conflict (collection, document, principal) do update set rights = document_grants.rights | excluded.rights`,
  ),
);

/** Locks the grant to a principal until the transaction ends. ?8 principal */
export const LOCK_GRANT = withRowLock('update of document_grants', (lock) =>
  byVariant(
    (variant, here) => `select rights from document_grants
  where principal = ?8${here === null ? '' : ` and collection = ${here}`}
  and (collection, document) = (select documents.collection, documents.id from documents
    where ${at(variant, here)}${ifAllowed(variant, 'all', here)})${lock}`,
  ),
);

/** Collection and id of the document ?1. */
const ofFirst = (here: Here) =>
  here === null ? '(select d.collection, d.id from documents d where d.id = ?1)' : `(${here}, cast(?1 as uuid))`;
/** Builds a statement on the document ?1. */
const onFirst = (build: (here: Here) => string) => onDocument('first', build);
/** Condition that a row `d` of `documents` is the document ?1. */
const isFirst = (here: Here) => `d.id = ?1${here === null ? '' : ` and d.collection = ${here}`}`;

/** ?1 document, ?2 principal, ?3 remaining rights */
export const KEEP_RIGHTS = onFirst(
  (here) => `update document_grants set rights = ?3 where principal = ?2 and (collection, document) = ${ofFirst(here)}`,
);
/** ?1 document, ?2 principal */
export const REMOVE_GRANT = onFirst(
  (here) => `delete from document_grants where principal = ?2 and (collection, document) = ${ofFirst(here)}`,
);

/** Grants of a document without any. ?1 document, ?2 see `GRANT_ROWS` */
const addGrants = (ifThere: string) =>
  onFirst(
    (here) => `insert into document_grants (document, collection, principal, rights)
  select d.id, d.collection, g.principal, g.rights from documents d cross join ${GRANT_ROWS} g
  where ${isFirst(here)}${ifThere}`,
  );
export const FIRST_GRANTS = addGrants('');
/** Like FIRST_GRANTS, for concurrent grants during the replacement of all grants. */
export const SET_GRANTS = addGrants(
  ' on conflict (collection, document, principal) do update set rights = excluded.rights',
);

/** ?1 document */
export const CLEAR_GRANTS = onFirst(
  (here) => `delete from document_grants where (collection, document) = ${ofFirst(here)} returning principal, rights`,
);

/** ?1 document */
export const GRANTS_ON = onFirst(
  (here) => `select g.principal, g.rights from document_grants g
  where (g.collection, g.document) = ${ofFirst(here)} order by g.principal`,
);

/** ?1 document, ?2 bits of sufficient rights */
export const HOLDERS = onFirst(
  (here) => `select d.author as "authorId", g.principal from documents d
  left join document_grants g on g.collection = d.collection and g.document = d.id and (g.rights & ?2) <> 0
  where ${isFirst(here)}`,
);

/** Removed documents with children that are to be removed. ?1 document, or a limit; ?2 collection */
export const ADD_ORPHANS = `insert into orphaned_documents (parent, collection_key) values (?1, ?2)
  on conflict (parent) do nothing`;
export const ORPHANS = `select parent as id, collection_key as collection from orphaned_documents
  order by parent limit ?1`;
export const REMOVE_ORPHANS = 'delete from orphaned_documents where parent = ?1';

const LOCKED = "= any(cast(string_to_array(?1, ',') as uuid[]))";

/**
 * Locks rows in the order of their ids, with the strength of an update, because grants reference them. ?1 ids,
 * separated by commas. On Postgres.
 */
export const LOCK_ALL = onCollections(
  {
    ids: `select distinct collection as id from documents where id ${LOCKED} order by id`,
    inOrder: true,
  },
  (here) => `select id from documents
  where id ${LOCKED}${here === null ? '' : ` and collection = ${here}`} order by id for no key update`,
);
