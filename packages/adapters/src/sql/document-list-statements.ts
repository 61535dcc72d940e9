import { COLLECTION, JOINED, JOINS, ofPrincipals, READABLE } from './document-statements.ts';

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

/** Ids of `author`'s documents in the collection, starting at `from`. */
const firstOf = (author: string, from: string, order: string) =>
  `select x.id from documents x where x.author = ${author} and x.collection = ${COLLECTION} and x.id ${from} order by x.id${order} limit 1`;

function documentsOfFollowed({ size, order, sign, upTo, last }: Walk, enough: string): string {
  return `with firsts as materialized (
    select f.followed as author, (${firstOf('f.followed', `${sign} ?2`, order)}) as head from follows f
    where f.follower = ?3${enough} order by head${order} nulls last limit ${size}
  )
  select d.id from firsts cross join documents d
  where d.author = firsts.author and d.collection = ${COLLECTION} and d.id ${sign}= firsts.head
    and d.id ${upTo} coalesce((${firstOf('firsts.author', `${sign}= firsts.head`, order)} offset ${size - 1}), ${last})
    and d.id ${upTo} coalesce((select head from firsts order by head${order} limit 1 offset ${size - 1}), ${last})`;
}

/** Number of documents to examine before looking up the documents of each followed user. */
const WINDOW = 2000;

/**
 * Documents of followed users among the next ones of the collection. Postgres puts the followed users in a hash
 * table.
 */
const followedInWindow = ({ size, order, sign }: Walk) => `select w.id from (
    select d.id, d.author from documents d where d.collection = ${COLLECTION} and d.id ${sign} ?2 order by d.id${order} limit ${WINDOW}
  ) w where exists (select 1 from follows e where e.follower = ?3)
  and w.author in (select f.followed from follows f where f.follower = ?3) order by w.id${order} limit ${size}`;

/**
 * Documents of users whom the caller follows. The first document of each followed user after the cursor is that
 * user's head. The users with the smallest heads are sufficient, with at most a page of rows each. That costs one
 * look-up for each followed user and a few for each row of the page, regardless of the number of documents. On
 * Postgres, where a look-up costs more, the next documents of the collection are tried first, and the heads only if
 * those do not fill the page. (`cross join` makes SQLite start with the first table. On Postgres it is an ordinary
 * join.)
 */
function followedBranch(walk: Walk, followed: Exclude<AccessPaths['followed'], 'no'>): string {
  if (followed === 'heads') return documentsOfFollowed(walk, '');
  const rest = documentsOfFollowed(walk, ` and (select count(*) from in_window) < ${walk.size}`);
  return `with in_window as materialized (${followedInWindow(walk)}) select id from in_window union all select id from (${rest}) rest`;
}

const own = ({ size, order, sign }: Walk) =>
  `select id from documents where collection = ${COLLECTION} and author = ?3 and id ${sign} ?2
    order by id${order} limit ${size}`;

/** One branch for each principal, so that each uses the order of an index and ends with the page. */
const grantedBranches = ({ size, order, sign }: Walk) =>
  ['?4', '?5', '?6', '?7'].map(
    (principal) => `select document as id from document_grants where principal = ${principal}
    and collection = ${COLLECTION} and document ${sign} ?2 and (rights & ${READABLE}) <> 0 order by document${order} limit ${size}`,
  );

/** Grants on documents of the collection to `principal`, starting at `from`. */
const grantsTo = (principal: string, from: string) =>
  `x.principal = ${principal} and x.collection = ${COLLECTION} and x.document ${from} and (x.rights & ${READABLE}) <> 0`;

/**
 * A single branch for callers with many principals. As with the documents of followed users, the first document of
 * each principal is its head. The principals with the first heads are sufficient, with at most a page of rows each.
 */
function grantedToMany(walk: Walk, form: 'many' | 'manyLateral'): string {
  const { size, order, sign, last } = walk;
  const holders = `holders as materialized (
    select p.key as principal, (${firstGrant('p.key', `${sign} ?2`, order)}) as head from json_each(?4) p
    order by head${order} nulls last limit ${size}
  )`;
  const pageEnd = `coalesce((select head from holders order by head${order} limit 1 offset ${size - 1}), ${last})`;
  return `with ${holders}${form === 'many' ? byEnds(walk, pageEnd) : byLateral(walk, pageEnd)}`;
}

const firstGrant = (principal: string, from: string, order: string) =>
  `select x.document from document_grants x where ${grantsTo(principal, from)} order by x.document${order} limit 1`;

/** Each principal has one end. SQLite finds rows by one bound, and would compute a second one for every row. */
const byEnds = ({ size, order, sign, upTo, last }: Walk, pageEnd: string) => `, ends as materialized (
    select h.principal, h.head, ${pageEnd} as page_end,
      coalesce((${firstGrant('h.principal', `${sign}= h.head`, order)} offset ${size - 1}), ${last}) as own_end
    from holders h where h.head is not null
  )
  select x.document as id from ends cross join document_grants x
  where ${grantsTo('ends.principal', `${sign}= ends.head`)}
    and x.document ${upTo} case when own_end ${upTo} page_end then own_end else page_end end`;

/** Postgres would read all grants to join them. A limit for each principal prevents that. */
const byLateral = ({ size, order, sign, upTo }: Walk, pageEnd: string) => `
  select g.document as id from holders h cross join lateral (
    select x.document from document_grants x
    where ${grantsTo('h.principal', `${sign}= h.head`)} and x.document ${upTo} ${pageEnd}
    order by x.document${order} limit ${size}
  ) g`;

/**
 * Returns the clause that cuts a page. It has an offset only if rows are skipped. For an unknown offset, Postgres
 * plans to skip a tenth of all rows, and starts parallel workers for a page of a large collection (ten million
 * documents: 22 ms instead of 0.5 ms).
 *
 * @param skip parameter with the number of rows to skip, or null
 */
export const cut = (rows: number, skip: string | null) => `limit ${rows}${skip === null ? '' : ` offset ${skip}`}`;

/** ?2 id after which to start, ?8 number of rows to skip */
const page = ({ rows, order, isSkipping }: Walk) =>
  `order by documents.id${order} ${cut(rows, isSkipping ? '?8' : null)}`;

/** One branch per access path. `in` removes duplicates. */
const listBranches = (walk: Walk, branches: readonly string[]) => `select ${JOINED} from documents ${JOINS}
  where documents.collection = ${COLLECTION}
  and documents.id in (${branches.map((branch) => `select id from (${branch}) b`).join(' union all ')}) ${page(walk)}`;

function listAll(walk: Walk, only: string): string {
  const { size, order, sign, isSkipping } = walk;
  const isListed = `documents.collection = ${COLLECTION}${only} and documents.id ${sign} ?2`;
  if (!isSkipping) return `select ${JOINED} from documents ${JOINS} where ${isListed} ${page(walk)}`;
  // For skipped rows, only the index is read. The limit is part of the text, so it is known to be small.
  const upToPage = `select documents.id from documents where ${isListed} order by documents.id${order} limit ${size}`;
  return `select ${JOINED} from documents ${JOINS} where documents.collection = ${COLLECTION} and documents.id in (
    select id from (${upToPage}) documents ${page(walk)}) order by documents.id${order}`;
}

/** Access paths of a list. */
export interface AccessPaths {
  readonly everything: boolean;
  /** `many`: to one of many principals; `manyLateral`: the same, in the SQL of Postgres. */
  readonly granted: 'no' | 'few' | 'many' | 'manyLateral';
  /**
   * `heads`: one look-up for each followed user; `windowThenHeads`: the same, if the next documents of the collection
   * do not fill the page.
   */
  readonly followed: 'no' | 'heads' | 'windowThenHeads';
  /**
   * True if the ids of readable documents are known. ?9 contains them as a JSON array, and replaces their access
   * paths.
   */
  readonly ids: boolean;
  /** From newest to oldest. */
  readonly descending: boolean;
}

const accessPaths = (many: boolean) => `select
  case when exists (select 1 from ${ofPrincipals(many)} and g.collection = ${COLLECTION})
    then 1 else 0 end as granted,
  case when exists (select 1 from follows f where f.follower = ?3) then 1 else 0 end as followed`;
/** Checks which of these paths exist for a caller in a collection. */
export const ACCESS_PATHS = { few: accessPaths(false), many: accessPaths(true) };
/** Like `ACCESS_PATHS`, if the granted documents are known. */
export const ACCESS_PATHS_BESIDE_GRANTS = `select 0 as granted,
  case when exists (select 1 from follows f where f.follower = ?3) then 1 else 0 end as followed`;

/** Rows of the usual page, plus one that indicates more. */
const USUAL_PAGE = 21;

/**
 * Returns the maximum number of rows of a statement for `wanted` rows. It is part of the text, because plans depend
 * on it. There are only a few sizes, because each text remains prepared.
 */
export function pageSize(wanted: number): number {
  return wanted <= USUAL_PAGE ? USUAL_PAGE : 2 ** Math.ceil(Math.log2(wanted));
}

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

function buildList({ everything, granted, followed, ids }: AccessPaths, walk: Walk): string {
  if (everything) return listAll(walk, '');
  if (granted === 'no' && followed === 'no' && !ids) return listAll(walk, ' and documents.author = ?3');
  const branches = [own(walk)];
  if (granted === 'few') branches.push(...grantedBranches(walk));
  if (granted === 'many' || granted === 'manyLateral') branches.push(grantedToMany(walk, granted));
  if (followed !== 'no') branches.push(followedBranch(walk, followed));
  if (ids) branches.push('select value as id from json_each(?9)');
  return listBranches(walk, branches);
}

const lists = new Map<string, string>();

/**
 * Returns the statement of a list by these paths. It may return a few rows more than the page, which the caller
 * removes.
 */
export function list(accessPaths: AccessPaths, wanted: PageOfRows): string {
  const { everything, granted, followed, ids, descending } = accessPaths;
  const walk = walkOf(wanted, descending);
  const key = `${everything} ${granted} ${followed} ${ids} ${descending} ${walk.size} ${walk.rows} ${walk.isSkipping}`;
  let text = lists.get(key);
  if (text === undefined) {
    text = buildList(accessPaths, walk);
    lists.set(key, text);
  }
  return text;
}

/** Maximum number of readable documents that are all read, regardless of indexes. */
export const FEW = 1000;

interface ReadableCount {
  readonly followed: boolean;
  readonly many: boolean;
  /** Maximum count of each path. It is part of the text, so there must be few different values. */
  readonly most: number;
}

/** Returns a statement that estimates the number of documents of a collection that a caller may read. */
export function readableCount({ followed, many, most }: ReadableCount): string {
  const someOf = (rows: string, i: number) => `select * from (${rows} limit ${most + 1}) r${i}`;
  const toFew = ['?4', '?5', '?6', '?7'].map(
    (principal) =>
      `select 1 as one from document_grants g where g.principal = ${principal} and g.collection = ${COLLECTION}`,
  );
  const toMany = `select 1 as one from ${ofPrincipals(true)} and g.collection = ${COLLECTION}`;
  const accessPaths = [
    `select 1 as one from documents d where d.collection = ${COLLECTION} and d.author = ?3`,
    ...(many ? [toMany] : toFew),
  ];
  if (followed) {
    accessPaths.push(`select 1 as one from follows f cross join documents d
      where f.follower = ?3 and d.author = f.followed and d.collection = ${COLLECTION}`);
  }
  return `select count(*) as n from (${accessPaths.map(someOf).join(' union all ')}) readable`;
}
