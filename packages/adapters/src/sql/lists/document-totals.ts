import type { AccessScope } from '@baobab/core';
import { hasMany, scopeParams } from '../documents/access-scope.ts';
import { ofPrincipals, READABLE } from '../documents/document-statements.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { countOf } from '../statements/fragments.ts';
import { byOptions, COLLECTION, inCollection, type Statement } from '../statements/statement.ts';

/**
 * Totals from the counters of `schema/counters.ts`. Parameters are those of `document-statements.ts`; `t` is the row
 * of the collection.
 */

/** Maximum number of grants to look up with the authors of their documents. For more, the ids are counted. */
const FEW_GRANTS = 1_000;

/** Number of counter changes that make a total slow enough to fold them. */
const WORTH_FOLDING = 500;

const NO_CHANGES = '';
const changes = (of: string) => `
  cross join lateral (select coalesce(sum(m.n), 0) as n, count(*) as pending from document_count_changes m where ${of}) m`;

const GRANTS = (many: boolean) =>
  `${ofPrincipals(many)} and g.collection = ${COLLECTION} and (g.rights & ${READABLE}) <> 0`;

/** A statement on the counters. Distributed databases have none, because Citus has no triggers on distributed tables. */
const onCounters = (text: string): Statement => ({ text, distributed: null });

/** Creates the texts for one database. */
function createTexts({ isLocal }: Pick<SqlExecutor, 'isLocal'>) {
  const [more, pending] = isLocal ? ['', '0'] : [' + m.n', 'm.pending'];
  const sum = (of: string) => `coalesce((select sum(s.n) from ${of}), 0)`;
  const own = `coalesce((select k.n from document_counts k where k.collection = t.collection and k.author = ?3), 0)${more}`;
  const from = (of: string) =>
    `document_totals t${isLocal ? NO_CHANGES : changes(of)} where t.collection = ${COLLECTION}`;
  const OWN = 'm.collection = t.collection and m.author = ?3';

  const ofFollowed = (table: string) => `follows f cross join ${table} s
    where f.follower = ?3 and s.collection = ${COLLECTION} and s.author = f.followed and f.followed <> f.follower`;
  const followedTotal = ['document_counts', ...(isLocal ? [] : ['document_count_changes'])]
    .map((table) => sum(ofFollowed(table)))
    .join(' + ');

  // The plus sign keeps SQLite from counting in the order of the documents, for which it would read all grants.
  const document = isLocal ? '+g.document' : 'g.document';
  /** Documents granted to the caller, except those of authors who are counted by their own counters. */
  const grantedTotal = (many: boolean, followed: boolean) => `(select count(distinct ${document}) from ${GRANTS(many)}
    and exists (select 1 from documents d where d.collection = g.collection and d.id = g.document
      and d.author is distinct from ?3${followed ? IS_NOT_FOLLOWED : ''}))`;

  return {
    everything: onCounters(`select cast(t.n${more} as bigint) as n, ${pending} as pending
      from ${from('m.collection = t.collection')}`),
    /** Counts the caller's own documents, and checks for other readable ones. */
    own: (many: boolean, followed: boolean) =>
      onCounters(`select cast(${own} as bigint) as n, ${pending} as pending,
      (select count(*) from (select 1 as one from ${GRANTS(many)} limit ${FEW_GRANTS + 1}) few) as granted,
      ${followed ? 'case when exists (select 1 from follows f where f.follower = ?3) then 1 else 0 end' : '0'} as followed
      from ${from(OWN)}`),
    all: (many: boolean, followed: boolean) =>
      onCounters(`select
      cast(${own} + ${grantedTotal(many, followed)}${followed ? ` + ${followedTotal}` : ''} as bigint) as n
      from ${from(OWN)}`),
  };
}

const IS_NOT_FOLLOWED = ' and not exists (select 1 from follows f where f.follower = ?3 and f.followed = d.author)';

const COUNT_EVERYTHING = inCollection(
  (collection) => `select count(*) as n from documents where collection = ${collection}`,
);

/**
 * Concatenates the access paths and counts each document once. To merge them in order, SQLite would read whole
 * indexes. `cross join` makes SQLite start with the first table.
 */
const countReadable = (many: boolean, followed: boolean) =>
  inCollection(
    (collection) => `select count(distinct id) as n from (
  select id from documents where collection = ${collection} and author = ?3
  union all select g.document from ${ofPrincipals(many)}
    and g.collection = ${collection} and (g.rights & ${READABLE}) <> 0${
      followed
        ? `
  union all select d.id from follows f cross join documents d
    where f.follower = ?3 and d.author = f.followed and d.collection = ${collection}`
        : ''
    }) readable`,
  );
const COUNT_READABLE = byOptions(countReadable);

/** Maximum number of changes that one transaction folds. After a restore, there is one for each document. */
const FOLDED_AT_ONCE = 50_000;
/** Maximum number of transactions for one collection in a run of the housekeeping. */
const FOLDS_IN_A_RUN = 20;

/** Locks the total. Finds no row while another program folds it or removes the collection. */
const HOLD = 'select collection from document_totals where collection = ?1 for update skip locked';
const FOLD = `with folded as (
    delete from document_count_changes where ctid = any(array(
      select ctid from document_count_changes where collection = ?1 limit ${FOLDED_AT_ONCE}
    )) returning author, n
  ), sums as (
    select author, cast(sum(n) as bigint) as n from folded group by author having sum(n) <> 0
  ), kept as (
    insert into document_counts (collection, author, n) select cast(?1 as uuid), author, n from sums
    on conflict (collection, author) do update set n = document_counts.n + excluded.n
    returning author, n
  ), total as (
    update document_totals set n = n + (select coalesce(cast(sum(n) as bigint), 0) from sums) where collection = ?1
  )
  select string_agg(cast(author as text), ',') as emptied from kept where n = 0`;
const REMOVE_EMPTY = 'delete from document_counts where collection = ?1 and author = ?2 and n = 0';
const HAS_CHANGES = 'select 1 as one from document_count_changes where collection = ?1 limit 1';
const FIND_CHANGES = 'select distinct collection from document_count_changes limit ?1';
const COLLECTION_ID = 'select id from collections where name_key = ?1';

interface Folded {
  /** Authors without documents, separated by commas. Null if there are none. */
  readonly emptied: string | null;
}

interface OwnRow {
  readonly n: number;
  /** Number of added changes. */
  readonly pending: number;
  /** Grants to the caller, counted up to `FEW_GRANTS` plus one. */
  readonly granted: number;
  readonly followed: number;
}

/** Counts documents without a filter. @param mayWrite false on a replica, which never folds */
export function createDocumentTotals(executor: SqlExecutor, mayWrite: boolean) {
  const texts = createTexts(executor);
  const [ownText, allText] = [byOptions(texts.own), byOptions(texts.all)];
  const folding = new Set<string>();

  function fold(collection: string): Promise<void> {
    return executor.atomic(async (transaction) => {
      if ((await transaction.write(HOLD, [collection])).length === 0) return;
      // A separate statement, to see the result of the last folding.
      const [found] = await transaction.write<Folded>(FOLD, [collection]);
      for (const author of found?.emptied?.split(',') ?? [])
        await transaction.change(REMOVE_EMPTY, [collection, author]);
    });
  }

  async function foldAll(collection: string): Promise<void> {
    for (let n = 0; n < FOLDS_IN_A_RUN && (await executor.readOne(HAS_CHANGES, [collection])) !== null; n++) {
      await fold(collection);
    }
  }

  /** Folds if the next totals would have to add many changes. */
  async function foldIfMany(key: string, { pending }: Pick<OwnRow, 'pending'>): Promise<void> {
    if (!mayWrite || pending < WORTH_FOLDING || folding.has(key)) return;
    folding.add(key);
    try {
      const found = await executor.readOne<{ id: string }>(COLLECTION_ID, [key]);
      if (found === null) return;
      await fold(found.id);
    } catch {
      // The total is known without folding. Housekeeping folds too, and reports failures.
    } finally {
      folding.delete(key);
    }
  }

  async function everything(key: string): Promise<number | null> {
    const found = await executor.readOne<Pick<OwnRow, 'n' | 'pending'>>(texts.everything, [key]);
    if (found === null) return null;
    await foldIfMany(key, found);
    return found.n;
  }

  async function readable(key: string, scope: AccessScope): Promise<number | null> {
    const many = hasMany(scope);
    const values: SqlValue[] = [key, null, ...scopeParams(scope)];
    const found = await executor.readOne<OwnRow>(ownText(many, scope.followed), values);
    if (found === null) return null;
    await foldIfMany(key, found);
    if (found.granted === 0 && found.followed === 0) return found.n;
    // A single statement again, for a consistent state of the database.
    if (found.granted <= FEW_GRANTS) return countOf(executor, allText(many, found.followed === 1), values);
    return countOf(executor, COUNT_READABLE(many, scope.followed), values);
  }

  /**
   * Counts documents. A collection without counters does not exist, or is in a distributed database, which has none.
   */
  async function byCounting(key: string, scope: AccessScope): Promise<number | null> {
    const text = scope.everything ? COUNT_EVERYTHING : COUNT_READABLE(hasMany(scope), scope.followed);
    const n = await countOf(executor, text, scope.everything ? [key] : [key, null, ...scopeParams(scope)]);
    return n > 0 || (await executor.readOne(COLLECTION_ID, [key])) !== null ? n : null;
  }

  return {
    /** Returns the number of readable documents, or null if there is no such collection. */
    async total(key: string, scope: AccessScope): Promise<number | null> {
      const known = await (scope.everything ? everything(key) : readable(key, scope));
      return known ?? byCounting(key, scope);
    },

    /** Folds the increments recorded by writers into the totals of up to `limit` collections. */
    async fold(limit: number): Promise<void> {
      if (executor.isLocal) return;
      const found = await executor.read<{ collection: string }>(FIND_CHANGES, [limit]);
      const failures: unknown[] = [];
      for (const { collection } of found) await foldAll(collection).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}
