import { type Action, RIGHTS, sufficientRights } from '@baobab/core';

/**
 * The statements on documents. Parameters ?1 to ?7 are the same in all of them: ?1 collection key, ?2 document id,
 * ?3 caller's user id, ?4 to ?7 the caller's principals; further ones begin at ?8.
 */
const COLLECTION = '(select c.id from collections c where c.name_key = ?1)';

const EVERY_RIGHT = RIGHTS.read | RIGHTS.update | RIGHTS.delete | RIGHTS.all;
const READABLE = sufficientRights('read');
const PRINCIPALS = '(?4, ?5, ?6, ?7)';

const GRANTED = `coalesce((
  select max(g.rights & 1) | max(g.rights & 2) | max(g.rights & 4) | max(g.rights & 8) from document_grants g
  where g.document = documents.id and g.principal in ${PRINCIPALS}), 0)`;
/** Who follows the owner reads. */
const AS_FOLLOWER = `case when exists (select 1 from follows f where f.follower = ?3 and f.followed = documents.author)
  then ${RIGHTS.read} else 0 end`;

/** The bits held on the row of `documents` at hand. */
function held({ everything, followed }: Variant): string {
  if (everything) return String(EVERY_RIGHT);
  return `case when documents.author = ?3 then ${EVERY_RIGHT} else ${GRANTED}${followed ? ` | ${AS_FOLLOWER}` : ''} end`;
}

const mayDo = (action: Action) => `(documents.author = ?3 or exists (select 1 from document_grants g
  where g.document = documents.id and g.principal in ${PRINCIPALS} and (g.rights & ${sufficientRights(action)}) <> 0))`;

/** In one collection or anywhere, and how far the caller sees: the few texts that there are of each statement. */
export interface Variant {
  readonly anywhere: boolean;
  readonly everything: boolean;
  readonly followed: boolean;
}

/** Keeps the text of each variant, so that none is put together twice. */
function byVariant(build: (variant: Variant) => string) {
  const texts: string[] = [];
  return (variant: Variant): string => {
    const place = (variant.anywhere ? 4 : 0) + (variant.everything ? 2 : 0) + (variant.followed ? 1 : 0);
    texts[place] ??= build(variant);
    return texts[place];
  };
}

const at = ({ anywhere }: Variant) =>
  anywhere ? 'documents.id = ?2' : `documents.id = ?2 and documents.collection = ${COLLECTION}`;
const may = ({ everything }: Variant, action: Action) => (everything ? '' : ` and ${mayDo(action)}`);

const OWN_COLUMNS = 'documents.id, documents.version, documents.created, documents.updated, documents.content';
const JOINED = `${OWN_COLUMNS}, c.name as collection, u.name as author`;
const JOINS = 'join collections c on c.id = documents.collection join users u on u.id = documents.author';
/** For statements that return what they changed, where nothing can be joined. */
const RETURNED = `id, version, created, updated, content,
  (select c.name from collections c where c.id = documents.collection) as collection,
  (select u.name from users u where u.id = documents.author) as author`;

export const FIND = byVariant(
  (variant) => `select ${JOINED}, ${held(variant)} as rights
  from documents ${JOINS} where ${at(variant)}`,
);

/** Parameters of its own: ?1 collection key, ?2 id, ?3 author, ?4 created, ?5 content. */
export const INSERT = `insert into documents (id, collection, author, version, created, updated, content)
  select ?2, c.id, ?3, 1, ?4, ?4, ?5 from collections c where c.name_key = ?1
  returning ${RETURNED}`;

/** ?8 content, ?9 updated, ?10 expected version or null */
export const REPLACE = byVariant(
  (variant) => `update documents set content = ?8, updated = ?9, version = version + 1
  where ${at(variant)}${may(variant, 'update')} and (cast(?10 as bigint) is null or version = ?10)
  returning ${RETURNED}`,
);

export const REMOVE = byVariant((variant) => `delete from documents where ${at(variant)}${may(variant, 'delete')}`);

/** ?8 principal, ?9 rights */
export const GRANT = byVariant(
  (variant) => `insert into document_grants (document, collection, principal, rights)
  select documents.id, documents.collection, ?8, ?9 from documents where ${at(variant)}${may(variant, 'all')}
  on conflict (document, principal) do update set rights = document_grants.rights | excluded.rights`,
);

/** ?8 principal, ?9 the rights that stay */
export const REVOKE = byVariant(
  (variant) => `update document_grants set rights = rights & ?9 where principal = ?8
  and document = (select documents.id from documents where ${at(variant)}${may(variant, 'all')})`,
);

export const SWEEP_GRANT = 'delete from document_grants where document = ?1 and principal = ?2 and rights = 0';

/** ?1 document, ?2 principal, ?3 rights */
export const FIRST_GRANT = `insert into document_grants (document, collection, principal, rights)
  select id, collection, ?2, ?3 from documents where id = ?1`;

/** ?2 is the id after which to begin, ?8 how many to pass over, ?9 how many to give, ?10 both together. */
const PAGE = 'order by documents.id limit ?9 offset ?8';

const LIST_EVERYTHING = `select ${JOINED} from documents ${JOINS}
  where documents.collection = ${COLLECTION} and documents.id > ?2 ${PAGE}`;

/** Before and behind every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Ids of `author`'s documents in the collection from `from` on. */
const of = (author: string, from: string) =>
  `select x.id from documents x where x.author = ${author} and x.collection = ${COLLECTION} and x.id ${from} order by x.id limit 1`;

/**
 * The documents of whom the caller follows. The first ones of all stand at the head of those owners' rows, so the
 * owners with the smallest heads are enough, and of each no more rows than the page has: the work is one look-up
 * for each followed user and some for each row of the page, however much they have written. The cross join holds
 * SQLite to that order: left to itself it walks through the whole collection.
 */
const FOLLOWED = `select d.id from (
    select f.followed as author, (${of('f.followed', '> ?2')}) as head from follows f where f.follower = ?3
  ) heads cross join documents d
  where d.author = heads.author and d.collection = ${COLLECTION} and d.id >= heads.head
    and d.id <= coalesce((${of('heads.author', '>= heads.head')} offset ?10 - 1), '${LAST_ID}')
    and heads.head is not null and heads.head <= coalesce((
    select edge.head from (select (${of('e.followed', '> ?2')}) as head from follows e where e.follower = ?3) edge
    where edge.head is not null order by edge.head limit 1 offset ?10 - 1), '${LAST_ID}')
  order by d.id limit ?10`;

/** One branch per way in which a document becomes readable, each bounded by the page: the work is that of a page. */
const BRANCHES = [
  `select id from documents where collection = ${COLLECTION} and author = ?3 and id > ?2 order by id limit ?10`,
  ...['?4', '?5', '?6', '?7'].map(
    (principal) => `select document as id from document_grants where principal = ${principal}
    and collection = ${COLLECTION} and document > ?2 and (rights & ${READABLE}) <> 0 order by document limit ?10`,
  ),
];

const union = (branches: readonly string[]) => branches.map((branch) => `select id from (${branch}) b`).join(' union ');

const listReadable = (branches: readonly string[]) => `select ${JOINED} from (${union(branches)})
  reachable join documents on documents.id = reachable.id ${JOINS} ${PAGE}`;

const LIST_READABLE = listReadable(BRANCHES);
const LIST_FOLLOWED = listReadable([...BRANCHES, FOLLOWED]);

const listOwn = (noOthers: string) => `select ${JOINED} from documents ${JOINS}
  where documents.author = ?3 and documents.collection = ${COLLECTION} and documents.id > ?2
  and not exists (select 1 from document_grants where principal in ${PRINCIPALS} and collection = ${COLLECTION})
  ${noOthers} ${PAGE}`;

const LIST_OWN = listOwn('');
const LIST_OWN_FOLLOWED = listOwn('and not exists (select 1 from follows where follower = ?3)');

/**
 * The page of a caller who reaches nothing in the collection but what is theirs: several times faster than putting
 * together all the branches. No rows for others, found out by two look-ups, and none where the page is empty.
 */
export const listOfOwnOnly = ({ followed }: Pick<Variant, 'followed'>) => (followed ? LIST_OWN_FOLLOWED : LIST_OWN);

export function list({ everything, followed }: Omit<Variant, 'anywhere'>): string {
  if (everything) return LIST_EVERYTHING;
  return followed ? LIST_FOLLOWED : LIST_READABLE;
}

const COUNT_EVERYTHING = `select count(*) as n from documents where collection = ${COLLECTION}`;

const countReadable = (more: string) => `select count(*) as n from (
  select id from documents where collection = ${COLLECTION} and author = ?3
  union select document from document_grants where principal in ${PRINCIPALS}
    and collection = ${COLLECTION} and (rights & ${READABLE}) <> 0${more}) readable`;

const COUNT_READABLE = countReadable('');
const COUNT_FOLLOWED = countReadable(`
  union select d.id from follows f join documents d on d.author = f.followed and d.collection = ${COLLECTION}
    where f.follower = ?3`);

export function count({ everything, followed }: Omit<Variant, 'anywhere'>): string {
  if (everything) return COUNT_EVERYTHING;
  return followed ? COUNT_FOLLOWED : COUNT_READABLE;
}
