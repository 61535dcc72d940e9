import { JOINED, JOINS, ofPrincipals, READABLE } from '../documents/document-statements.ts';
import { cut, pageSize } from '../statements/pages.ts';
import { byOptions, inCollection, type Statement } from '../statements/statement.ts';
import { FEW, MANY_FOLLOWED, WINDOW } from './list-plan.ts';

/** Statements of lists in the order of the ids. Parameters are those of `document-statements.ts`. */

/** Before and after every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Direction of a list in the order of the ids, and its number of rows. */
export interface Walk {
  /** Number of rows in the page, including those skipped before it. */
  readonly size: number;
  /** Number of rows in the page. */
  readonly rows: number;
  readonly isSkipping: boolean;
  readonly order: '' | ' desc';
  readonly sign: '<' | '>';
  readonly upTo: '>=' | '<=';
  /** After all other ids. */
  readonly last: string;
}

interface DocumentWalk extends Walk {
  /** Id of the collection. An expression. */
  readonly collection: string;
}

/** Ids of `author`'s documents in the collection, starting at `from`. */
const firstOf = ({ collection, order }: DocumentWalk, author: string, from: string) =>
  `select x.id from documents x where x.author = ${author} and x.collection = ${collection} and x.id ${from} order by x.id${order} limit 1`;

/**
 * Documents of users whom the caller follows. The first document of each followed user after the cursor is that
 * user's head. The users with the smallest heads are sufficient, with at most a page of rows each. That costs one
 * look-up for each followed user and a few for each row of the page, regardless of the number of documents.
 * (`cross join` makes SQLite start with the first table. On Postgres it is an ordinary join.)
 *
 * @param and further condition
 */
function followedBranch(walk: DocumentWalk, and = ''): string {
  const { collection, size, order, sign, upTo, last } = walk;
  return `with firsts as materialized (
    select f.followed as author, (${firstOf(walk, 'f.followed', `${sign} ?2`)}) as head from follows f
    where f.follower = ?3${and} order by head${order} nulls last limit ${size}
  )
  select d.id from firsts cross join documents d
  where d.author = firsts.author and d.collection = ${collection} and d.id ${sign}= firsts.head
    and d.id ${upTo} coalesce((${firstOf(walk, 'firsts.author', `${sign}= firsts.head`)} offset ${size - 1}), ${last})
    and d.id ${upTo} coalesce((select head from firsts order by head${order} nulls last limit 1 offset ${size - 1}), ${last})`;
}

const FOLLOWS_MANY = `exists (select 1 from follows f where f.follower = ?3 limit 1 offset ${MANY_FOLLOWED})`;

/**
 * The same for callers who follow many users: the next documents of the collection are tried first, because most pages
 * are among them. Postgres evaluates the condition on the caller once. SQLite would for each document of the
 * collection, so there it is part of `ACCESS_PATHS`.
 */
function manyFollowedBranch(walk: DocumentWalk, isLocal: boolean): string {
  const { collection, size, order, sign } = walk;
  return `with in_window as materialized (
    select w.id from (
      select d.id, d.author from documents d where d.collection = ${collection} and d.id ${sign} ?2${isLocal ? '' : ` and ${FOLLOWS_MANY}`}
      order by d.id${order} limit ${WINDOW}
    ) w where exists (select 1 from follows e where e.follower = ?3 and e.followed = w.author) order by w.id${order} limit ${size}
  )
  select id from in_window
  union all select id from (${followedBranch(walk, ` and (select count(*) from in_window) < ${size}`)}) rest`;
}

const own = ({ collection, size, order, sign }: DocumentWalk) =>
  `select id from documents where collection = ${collection} and author = ?3 and id ${sign} ?2
    order by id${order} limit ${size}`;

/** One branch for each principal, so that each uses the order of an index and ends with the page. */
const grantedBranches = ({ collection, size, order, sign }: DocumentWalk) =>
  ['?4', '?5', '?6', '?7'].map(
    (principal) => `select document as id from document_grants where principal = ${principal}
    and collection = ${collection} and document ${sign} ?2 and (rights & ${READABLE}) <> 0 order by document${order} limit ${size}`,
  );

/** Grants on the objects of a list. */
interface ListedGrants {
  readonly table: 'document_grants' | 'file_grants';
  /** Column with the object. */
  readonly object: 'document' | 'file';
  /** Condition on a grant `x`, in addition to its principal and rights. */
  readonly isListed: string;
  /** Parameters with the id after which the list starts, and with the principals. */
  readonly after: string;
  readonly principals: string;
}

/** Condition for grants `x` to `principal`, starting at `from`. */
const grantsTo = ({ object, isListed }: ListedGrants, principal: string, from: string) =>
  `x.principal = ${principal}${isListed} and x.${object} ${from} and (x.rights & ${READABLE}) <> 0`;

/**
 * A single branch for callers with many principals. As with the documents of followed users, the first object of each
 * principal is its head. The principals with the first heads are sufficient, with at most a page of rows each.
 *
 * @param isLocal true for SQLite
 */
export function grantedToMany(walk: Walk, grants: ListedGrants, isLocal: boolean): string {
  const { size, order, sign, last } = walk;
  const holders = `holders as materialized (
    select p.key as principal, (${firstGrant(walk, grants, 'p.key', `${sign} ${grants.after}`)}) as head
    from json_each(${grants.principals}) p order by head${order} nulls last limit ${size}
  )`;
  const pageEnd = `coalesce((select head from holders order by head${order} nulls last limit 1 offset ${size - 1}), ${last})`;
  return `with ${holders}${isLocal ? byEnds(walk, grants, pageEnd) : byLateral(walk, grants, pageEnd)}`;
}

const firstGrant = ({ order }: Walk, grants: ListedGrants, principal: string, from: string) =>
  `select x.${grants.object} from ${grants.table} x where ${grantsTo(grants, principal, from)}
    order by x.${grants.object}${order} limit 1`;

/** Each principal has one end. SQLite finds rows by one bound, and would compute a second one for every row. */
function byEnds(walk: Walk, grants: ListedGrants, pageEnd: string): string {
  const { size, sign, upTo, last } = walk;
  return `, ends as materialized (
    select h.principal, h.head, ${pageEnd} as page_end,
      coalesce((${firstGrant(walk, grants, 'h.principal', `${sign}= h.head`)} offset ${size - 1}), ${last}) as own_end
    from holders h where h.head is not null
  )
  select x.${grants.object} as id from ends cross join ${grants.table} x
  where ${grantsTo(grants, 'ends.principal', `${sign}= ends.head`)}
    and x.${grants.object} ${upTo} case when own_end ${upTo} page_end then own_end else page_end end`;
}

/** Postgres would read all grants to join them. A limit for each principal prevents that. */
function byLateral({ size, order, sign, upTo }: Walk, grants: ListedGrants, pageEnd: string): string {
  const { table, object } = grants;
  return `
  select g.${object} as id from holders h cross join lateral (
    select x.${object} from ${table} x
    where ${grantsTo(grants, 'h.principal', `${sign}= h.head`)} and x.${object} ${upTo} ${pageEnd}
    order by x.${object}${order} limit ${size}
  ) g`;
}

const documentGrants = ({ collection }: DocumentWalk): ListedGrants => ({
  table: 'document_grants',
  object: 'document',
  isListed: ` and x.collection = ${collection}`,
  after: '?2',
  principals: '?4',
});

/** ?2 id after which to start, ?8 number of rows to skip */
const page = ({ rows, order, isSkipping }: Walk) =>
  `order by documents.id${order} ${cut(rows, isSkipping ? '?8' : null)}`;

/** One branch per access path. `in` removes duplicates. */
const listBranches = (walk: DocumentWalk, branches: readonly string[]) => `select ${JOINED} from documents ${JOINS}
  where documents.collection = ${walk.collection}
  and documents.id in (${branches.map((branch) => `select id from (${branch}) b`).join(' union all ')}) ${page(walk)}`;

function listAll(walk: DocumentWalk, only: string): string {
  const { collection, size, order, sign, isSkipping } = walk;
  const isListed = `documents.collection = ${collection}${only} and documents.id ${sign} ?2`;
  if (!isSkipping) return `select ${JOINED} from documents ${JOINS} where ${isListed} ${page(walk)}`;
  // For skipped rows, only the index is read. The limit is part of the text, so it is known to be small.
  const upToPage = `select documents.id from documents where ${isListed} order by documents.id${order} limit ${size}`;
  return `select ${JOINED} from documents ${JOINS} where documents.collection = ${collection} and documents.id in (
    select id from (${upToPage}) documents ${page(walk)}) order by documents.id${order}`;
}

/** Access paths of a list. */
export interface AccessPaths {
  readonly everything: boolean;
  /** `many`: to one of many principals. */
  readonly granted: 'no' | 'few' | 'many';
  /** `many`: more than `MANY_FOLLOWED`, on Postgres perhaps. */
  readonly followed: 'no' | 'few' | 'many';
  /** True for SQLite. */
  readonly isLocal: boolean;
  /** From newest to oldest. */
  readonly descending: boolean;
}

const accessPaths = (many: boolean) =>
  inCollection(
    (collection) => `select
  case when exists (select 1 from ${ofPrincipals(many)} and g.collection = ${collection})
    then 1 else 0 end as granted,
  case when not exists (select 1 from follows f where f.follower = ?3) then 'no' when ${FOLLOWS_MANY} then 'many'
    else 'few' end as followed`,
  );
/** Checks which of these paths exist for a caller in a collection. */
export const ACCESS_PATHS = { few: accessPaths(false), many: accessPaths(true) };

/** Rows of a page. */
export interface PageOfRows {
  readonly skip: number;
  readonly limit: number;
}

/** @param descending from newest to oldest */
export function walkOf({ skip, limit }: PageOfRows, descending: boolean): Walk {
  const sizes = { size: pageSize(skip + limit), rows: pageSize(limit), isSkipping: skip > 0 };
  return descending
    ? { ...sizes, order: ' desc', sign: '<', upTo: '>=', last: `'${FIRST_ID}'` }
    : { ...sizes, order: '', sign: '>', upTo: '<=', last: `'${LAST_ID}'` };
}

function buildList({ everything, granted, followed, isLocal }: AccessPaths, walk: DocumentWalk): string {
  if (everything) return listAll(walk, '');
  if (granted === 'no' && followed === 'no') return listAll(walk, ' and documents.author = ?3');
  const branches = [own(walk)];
  if (granted === 'few') branches.push(...grantedBranches(walk));
  if (granted === 'many') branches.push(grantedToMany(walk, documentGrants(walk), isLocal));
  if (followed === 'few') branches.push(followedBranch(walk));
  if (followed === 'many') branches.push(manyFollowedBranch(walk, isLocal));
  return listBranches(walk, branches);
}

const lists = byOptions((accessPaths: AccessPaths, walk: Walk) =>
  inCollection((collection) => buildList(accessPaths, { ...walk, collection })),
);

/**
 * Returns the statement of a list by these paths. It may return a few rows more than the page, which the caller
 * removes.
 */
export const list = (accessPaths: AccessPaths, wanted: PageOfRows): Statement =>
  lists(accessPaths, walkOf(wanted, accessPaths.descending));

interface ReadableCount {
  readonly followed: boolean;
  readonly many: boolean;
}

/** Returns a statement that counts the documents that a caller may read in a collection, up to `FEW` by each path. */
export const readableCount = (extent: ReadableCount): Statement =>
  inCollection((collection) => countedUpTo(extent, collection));

function countedUpTo({ followed, many }: ReadableCount, collection: string): string {
  const someOf = (rows: string, i: number) => `select * from (${rows} limit ${FEW + 1}) r${i}`;
  const toFew = ['?4', '?5', '?6', '?7'].map(
    (principal) =>
      `select 1 as one from document_grants g where g.principal = ${principal} and g.collection = ${collection}`,
  );
  const toMany = `select 1 as one from ${ofPrincipals(true)} and g.collection = ${collection}`;
  const accessPaths = [
    `select 1 as one from documents d where d.collection = ${collection} and d.author = ?3`,
    ...(many ? [toMany] : toFew),
  ];
  if (followed) {
    accessPaths.push(`select 1 as one from follows f cross join documents d
      where f.follower = ?3 and d.author = f.followed and d.collection = ${collection}`);
  }
  return `select count(*) as n from (${accessPaths.map(someOf).join(' union all ')}) readable`;
}
