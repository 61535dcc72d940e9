import type { AccessScope, DocumentStore } from '@baobab/core';
import { hasMany, scopeParams } from './access-scope.ts';
import { COLLECTION, count, ofPrincipals, READABLE } from './document-statements.ts';
import type { SqlExecutor, SqlValue } from './executor.ts';

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
    everything: `select cast(t.n${more} as bigint) as n, ${pending} as pending
      from ${from('m.collection = t.collection')}`,
    /** Counts the caller's own documents, and checks for other readable ones. */
    own: (many: boolean, followed: boolean) => `select cast(${own} as bigint) as n, ${pending} as pending,
      (select count(*) from (select 1 as one from ${GRANTS(many)} limit ${FEW_GRANTS + 1}) few) as granted,
      ${followed ? 'case when exists (select 1 from follows f where f.follower = ?3) then 1 else 0 end' : '0'} as followed
      from ${from(OWN)}`,
    all: (many: boolean, followed: boolean) => `select
      cast(${own} + ${grantedTotal(many, followed)}${followed ? ` + ${followedTotal}` : ''} as bigint) as n
      from ${from(OWN)}`,
  };
}

const IS_NOT_FOLLOWED = ' and not exists (select 1 from follows f where f.follower = ?3 and f.followed = d.author)';

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
  select (select count(*) from folded) as n, string_agg(cast(author as text), ',') as emptied from kept where n = 0`;
const REMOVE_EMPTY = 'delete from document_counts where collection = ?1 and author = ?2 and n = 0';
const TABLE = 'document_count_changes';
/**
 * Number of folded changes after which their dead rows are vacuumed. With 50,000 of them, a total takes 2.7 ms in
 * Postgres instead of 0.1, until the server's own check once a minute.
 */
const WORTH_VACUUMING = 2_000;
/**
 * Pause after a vacuum, as a multiple of its duration. While a long snapshot holds the rows, each vacuum would read
 * all of them in vain.
 */
const REST = 20;
const HAS_CHANGES = 'select 1 as one from document_count_changes where collection = ?1 limit 1';
const FIND_CHANGES = 'select distinct collection from document_count_changes limit ?1';
const COLLECTION_ID = 'select id from collections where name_key = ?1';

interface Folded {
  readonly n: number;
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

/** Caches the four texts of a kind. */
function byVariant(build: (many: boolean, followed: boolean) => string) {
  const texts = [false, true].map((many) => [false, true].map((followed) => build(many, followed)));
  return (many: boolean, followed: boolean): string => texts[Number(many)]?.[Number(followed)] ?? '';
}

/** Counts documents without a filter. @param mayWrite false on a replica, which never folds */
export function createDocumentTotals(executor: SqlExecutor, mayWrite: boolean) {
  const texts = createTexts(executor);
  const [ownText, allText] = [byVariant(texts.own), byVariant(texts.all)];
  const folding = new Set<string>();
  /** Changes folded since the last vacuum of the table. */
  let folded = 0;
  /** Earliest start of the next vacuum, by `performance.now()`. */
  let restsUntil = 0;

  function fold(collection: string): Promise<void> {
    return executor.atomic(async (transaction) => {
      if ((await transaction.write(HOLD, [collection])).length === 0) return;
      // A separate statement, to see the result of the last folding.
      const [found] = await transaction.write<Folded>(FOLD, [collection]);
      folded += found?.n ?? 0;
      for (const author of found?.emptied?.split(',') ?? [])
        await transaction.change(REMOVE_EMPTY, [collection, author]);
    });
  }

  async function vacuumIfWorth(): Promise<void> {
    const begun = performance.now();
    if (folded < WORTH_VACUUMING || begun < restsUntil) return;
    folded = 0;
    restsUntil = Number.POSITIVE_INFINITY;
    try {
      await executor.vacuum(TABLE);
    } finally {
      const ended = performance.now();
      restsUntil = ended + (ended - begun) * REST;
    }
  }

  async function foldAll(collection: string): Promise<void> {
    for (let n = 0; n < FOLDS_IN_A_RUN && (await executor.readOne(HAS_CHANGES, [collection])) !== null; n++) {
      await fold(collection);
    }
    await vacuumIfWorth();
  }

  /** Folds if the next totals would have to add many changes. */
  async function foldIfMany(key: string, { pending }: Pick<OwnRow, 'pending'>): Promise<void> {
    if (!mayWrite || pending < WORTH_FOLDING || folding.has(key)) return;
    folding.add(key);
    try {
      const found = await executor.readOne<{ id: string }>(COLLECTION_ID, [key]);
      if (found === null) return;
      await fold(found.id);
      // Not awaited. After a failure, the server itself vacuums before long.
      vacuumIfWorth().catch(() => undefined);
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
    if (found.granted <= FEW_GRANTS) return executor.count(allText(many, found.followed === 1), values);
    return executor.count(count({ everything: false, followed: scope.followed, many }), values);
  }

  /**
   * Counts documents. A collection without counters does not exist, or is in a distributed database, which has none.
   */
  async function byCounting(key: string, scope: AccessScope): Promise<number | null> {
    const text = count({ everything: scope.everything, followed: scope.followed, many: hasMany(scope) });
    const n = await executor.count(text, scope.everything ? [key] : [key, null, ...scopeParams(scope)]);
    return n > 0 || (await executor.readOne(COLLECTION_ID, [key])) !== null ? n : null;
  }

  return {
    /** Returns the number of readable documents, or null if there is no such collection. */
    async total(key: string, scope: AccessScope): Promise<number | null> {
      const known = await (scope.everything ? everything(key) : readable(key, scope));
      return known ?? byCounting(key, scope);
    },

    async foldTotals(limit: number): Promise<number> {
      if (executor.isLocal) return 0;
      const found = await executor.read<{ collection: string }>(FIND_CHANGES, [limit]);
      const failures: unknown[] = [];
      for (const { collection } of found) await foldAll(collection).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
      return found.length;
    },
  } satisfies Pick<DocumentStore, 'foldTotals'> & { readonly total: unknown };
}
