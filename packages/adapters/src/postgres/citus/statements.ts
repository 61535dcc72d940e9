import { isNoSlice, keyOf } from '../../slice-keys.ts';
import { IDS } from '../../sql/collection-removal.ts';
import { KEYS, NAMES } from '../../sql/collections.ts';
import { COLLECTION, LOCATE } from '../../sql/document-statements.ts';
import { OLDEST_RUNNING, TRANSACTION_ID } from '../../sql/feed-position.ts';

/**
 * Rewrites a statement of the stores so that Citus runs it on one shard. Documents and their grants are distributed
 * by the id of their collection. The stores identify a collection by its key, or a document by its id only. Here, the
 * id of the collection becomes a parameter, because Citus chooses the shard by values.
 */

/** Number of the parameter for the collection id. Greater than all numbers that the stores use. */
export const COLLECTION_PARAM = 201;
/** Number of the parameter for the position in the change feed. */
export const POSITION_PARAM = 202;

const PLACE = `cast(?${COLLECTION_PARAM} as uuid)`;
const POSITION = `cast(?${POSITION_PARAM} as bigint)`;

/** Parameter that determines the collection: its key in ?1, or the id of a document in ?1 or ?2. */
export type PlaceSource = 'key' | 'document1' | 'document2';

export interface Placed {
  readonly text: string;
  /** Null if the statement needs no collection, or concerns all. */
  readonly place: PlaceSource | null;
  /** True if the statement needs the position as a parameter, since a worker would use its own. */
  readonly needsPosition: boolean;
  /** Columns with ids of users and collections in place of names. */
  readonly unnamed: readonly ('author' | 'collection')[];
  /** True if the statement concerns a single document, with its id in ?2. */
  readonly isOfDocument: boolean;
  /** True if the statement runs once for each collection in the JSON array ?1. */
  readonly isForEach: boolean;
  /** True if the statement reads the counters of documents, which a distributed database does not have. */
  readonly isOfCounters: boolean;
}

const INSERT =
  /select ((?:.|\n)*?\bc\.id\b(?:.|\n)*?) from collections c where c\.name_key = \?1(?: for key share of c)?(?=\s+returning)/;

/** Returned names, which are read by a separate statement here. */
const NAME = {
  author: /\(select u\.name from users u where u\.id = (\w+\.author)\)/,
  collection: /\(select c\.name from collections c where c\.id = (\w+\.collection)\)/,
};

/** An inserted row with a value from a subquery. */
const INSERT_WITH_SUBQUERY = /^(insert into \w+ \([^)]*\) )values \(((?:.|\n)*\(select (?:.|\n)*\))\)$/;

/**
 * A transaction that has ended here may still be committing on the workers. Until they answer, it holds the lock on
 * its id, so the smallest locked id also bounds the horizon. Locks have 32 bits of the id, the snapshot has all 64.
 */
const OLDEST_UNFINISHED = `(select least(s.h, (select min(s.h + ((cast(cast(l.transactionid as text) as bigint) - s.h)
    % 4294967296 + 6442450944) % 4294967296 - 2147483648)
  from pg_locks l where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted))
  from (select ${OLDEST_RUNNING} as h) s)`;

const IS_EACH = 'cast(w.value as uuid)';
const isForEach = (sql: string) =>
  sql.includes(`collection = ${IS_EACH}`) && /\b(?:documents|document_grants)\b/.test(sql);

/** Places a statement by the key of the collection in ?1. */
function byKey(sql: string): string | null {
  if (sql.startsWith('insert into documents ') && INSERT.test(sql)) {
    return sql.replace(INSERT, (_match, values: string) => `values (${values.replace('c.id', PLACE)})`);
  }
  if (sql.includes('join documents on documents.collection = c.id')) {
    return sql
      .replace('documents.collection = c.id', `documents.collection = ${PLACE} and c.id = ${PLACE}`)
      .replace('c.name_key = ?1', 'true');
  }
  return sql.includes(COLLECTION) && /\b(?:documents|document_grants)\b/.test(sql)
    ? sql.replaceAll(COLLECTION, PLACE)
    : null;
}

/** Places a statement by the id of the document in ?2. */
const bySecond = (sql: string): string | null =>
  /\bdocuments\.id = \?2/.test(sql)
    ? sql.replace(/\bdocuments\.id = \?2/g, `documents.id = ?2 and documents.collection = ${PLACE}`)
    : null;

/** Places a statement by the id of the document in ?1. */
function byFirst(sql: string): string | null {
  if (sql === LOCATE) return null;
  const text = sql
    .replaceAll('(select d.collection, d.id from documents d where d.id = ?1)', `(${PLACE}, cast(?1 as uuid))`)
    .replace('from documents where id = ?1', `from documents where id = ?1 and collection = ${PLACE}`)
    .replace(/\bd\.id = \?1/, `d.id = ?1 and d.collection = ${PLACE}`);
  return text === sql ? null : text;
}

function placed(sql: string): Pick<Placed, 'text' | 'place' | 'isForEach'> {
  if (isForEach(sql)) {
    const text = sql.replaceAll(IS_EACH, PLACE);
    // All rows of the subquery are in this collection, but Citus cannot infer that.
    const reached = 'documents.collection = reach.collection';
    return {
      text: text.replace(reached, `${reached} and documents.collection = ${PLACE}`),
      place: null,
      isForEach: true,
    };
  }
  const ways = { key: byKey, document2: bySecond, document1: byFirst };
  for (const [place, way] of Object.entries(ways) as [PlaceSource, typeof byKey][]) {
    const text = way(sql);
    if (text !== null) return { text, place, isForEach: false };
  }
  return { text: sql, place: null, isForEach: false };
}

/** Hides slices from readers: replaces the key of a slice with the key of its collection. */
function withoutSlices(sql: string): string {
  if (sql === KEYS || sql === NAMES) {
    return sql.replace('from collections where', `from collections where ${isNoSlice('name_key')} and`);
  }
  if (sql === IDS) return sql.replace('name_key = ?1', `${keyOf('name_key')} = ?1 order by name_key`);
  return sql
    .replaceAll('c.name_key as ', `${keyOf('c.name_key')} as `)
    .replaceAll('c.name_key in (', `${keyOf('c.name_key')} in (`);
}

/** Hides slices in searches. Their texts contain the id of a collection, or concern all collections. */
export const searchWithoutSlices = (sql: string): string =>
  sql.replace(
    'group by c.id, c.name, c.name_key order by c.name_key',
    `group by c.name, ${keyOf('c.name_key')} order by ${keyOf('c.name_key')}`,
  );

export function place(sql: string): Placed {
  const { place, isForEach, ...found } = placed(sql);
  let text = withoutSlices(found.text);
  if (place !== null) {
    text = text
      .replaceAll('g.collection = documents.collection', `g.collection = ${PLACE}`)
      .replace(
        'and (collection, document) = (select documents.',
        `and collection = ${PLACE} and (collection, document) = (select documents.`,
      );
  }
  const unnamed = /\breturning\b/.test(text)
    ? (['author', 'collection'] as const).filter((column) => NAME[column].test(text))
    : [];
  for (const column of unnamed) text = text.replace(NAME[column], '$1');
  text = text.replace(INSERT_WITH_SUBQUERY, '$1select $2');
  // In values or an update, it is computed before the statement is sent to a worker.
  const needsPosition = /^insert into\s(?:.|\n)*\bselect\b/.test(text) && text.includes(TRANSACTION_ID);
  if (needsPosition) text = text.replaceAll(TRANSACTION_ID, POSITION);
  if (text.includes('from feed_state')) text = text.replace(OLDEST_RUNNING, OLDEST_UNFINISHED);
  const isOfCounters = sql.includes('from document_totals t');
  const isOfDocument = place === 'key' && /\bdocuments\.id = \?2|^insert into documents /.test(text);
  return { text, place, isOfDocument, needsPosition, unnamed, isForEach, isOfCounters };
}
