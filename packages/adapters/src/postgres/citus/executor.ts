import type { DocumentRecord } from '@baobab/core';
import { TRANSACTION_ID } from '../../sql/changes/feed-position.ts';
import type { SqlExecutor, SqlValue } from '../../sql/statements/executor.ts';
import { isThere } from '../../sql/statements/fragments.ts';
import { COLLECTION_PARAM, type DistributedForm, POSITION_PARAM, type Sql } from '../../sql/statements/statement.ts';
import { ATTEMPTS, createGivenUp, isForeignKeyViolation } from '../errors.ts';
import type { CollectionIds } from './collection-ids.ts';
import { inChunks } from './in-chunks.ts';
import { NOT_IN_SPREAD } from './layout.ts';
import { sliceOf } from './slices.ts';

type Params = readonly SqlValue[];

const POSITION = { text: `select ${TRANSACTION_ID} as position`, addsToFeed: true };
const NAMES = `select u.name as author, c.name as collection,
  (select w.name from users w where w.id = ?3 and ${isThere('w.name')}) as "updatedBy" from users u cross join collections c
  where u.id = ?1 and c.id = ?2 and ${isThere('c.name')}`;
const AUTHOR = 'select name as author from users where id = ?1';
const COLLECTION_KEY = 'documents_collection_fkey';

/** Names, or ids in their place. */
type Names = Pick<DocumentRecord, 'author' | 'collection' | 'updatedBy'>;

/** Workers report the name of a constraint only in the message. */
const isOfRemovedCollection = (error: unknown) =>
  isForeignKeyViolation(error) && error instanceof Error && error.message.includes(COLLECTION_KEY);

/** True if the collection was spread after its id was read. */
const isOfSpreadCollection = (error: unknown) => error instanceof Error && error.message.includes(NOT_IN_SPREAD);

function withParam(params: Params, number: number, value: SqlValue): SqlValue[] {
  const values = params.slice();
  values[number - 1] = value;
  return values;
}

/** Returns the form of a statement. Undefined if it is the same on every database, null if it finds no rows here. */
const formOf = (sql: Sql): DistributedForm | null | undefined =>
  typeof sql === 'object' ? sql.distributed : undefined;

/** Runs the statements of the stores on distributed documents. */
export function distributedExecutor(inner: SqlExecutor, ids: CollectionIds, isTransaction: boolean): SqlExecutor {
  let position: Promise<number> | null = null;

  /** Reads the position of the transaction with `write`, which notifies listeners of the addition to the feed. */
  async function readPosition(): Promise<number> {
    const [row] = await inner.write<{ position: number }>(POSITION, []);
    if (row === undefined) throw new Error('the database gave no transaction id');
    return row.position;
  }

  /** Returns the id that places the rows of a statement: of the collection, or of a slice. Null if there is none. */
  async function placeOf(
    by: NonNullable<DistributedForm['by']>,
    [first = null, second = null]: Params,
  ): Promise<string | null> {
    if (by === 'first' || by === 'second') return ids.byDocument(inner, String(by === 'first' ? first : second));
    const found = await ids.byKey(inner, String(first));
    if (found === null || found.slices.length === 0) return found?.id ?? null;
    if (by === 'keyAndSecond') return sliceOf(found.slices, String(second));
    throw new Error('a statement on a spread collection names no document'); // lists query each slice
  }

  /** Returns the parameters with the added collection and position. Null if the collection does not exist. */
  async function complete({ by, needsPosition }: DistributedForm, params: Params): Promise<Params | null> {
    let values = params;
    if (by !== undefined) {
      const place = await placeOf(by, params);
      if (place === null) return null;
      values = withParam(values, COLLECTION_PARAM, place);
    }
    if (needsPosition === true) {
      position ??= readPosition();
      values = withParam(values, POSITION_PARAM, await position);
    }
    return values;
  }

  /** Caches the placement of a found or created document for the next statement about it. */
  function note({ by }: DistributedForm, values: Params): void {
    if (by === 'keyAndSecond') ids.note(String(values[1]), String(values[COLLECTION_PARAM - 1]));
  }

  /**
   * Runs a statement where its documents are. If it finds nothing where the document was last, looks for it again.
   *
   * @param nothing result of a statement that finds nothing
   */
  async function run<T>(
    form: DistributedForm,
    params: Params,
    nothing: T,
    work: (values: Params) => Promise<T>,
  ): Promise<T> {
    const values = await complete(form, params);
    if (values === null) return nothing;
    const result = await work(values);
    if (Array.isArray(result) ? result.length > 0 : result !== nothing) {
      note(form, values);
      return result;
    }
    if (form.by !== 'first' && form.by !== 'second') return result;
    const document = String(params[form.by === 'first' ? 0 : 1]);
    return (await ids.isElsewhere(inner, document, String(values[COLLECTION_PARAM - 1])))
      ? run(form, params, nothing, work)
      : result;
  }

  /** Runs a statement once for each of its collections. */
  async function forEach<Row>(
    { text }: DistributedForm,
    each: NonNullable<DistributedForm['each']>,
    params: Params,
  ): Promise<Row[]> {
    const read = (id: string, values: Params) => inner.read<Row>(text, withParam(values, COLLECTION_PARAM, id));
    if (each.ids === undefined) {
      const collections: string[] = JSON.parse(String(params[0]));
      const found = await inChunks(collections, (id) => read(id, withParam(params, 1, JSON.stringify([id]))));
      return found.flat();
    }
    const collections = await inner.read<{ id: string }>(each.ids, params);
    if (each.inOrder !== true) return (await inChunks(collections, ({ id }) => read(id, params))).flat();
    const rows: Row[] = [];
    for (const { id } of collections) rows.push(...(await read(id, params)));
    return rows;
  }

  /**
   * Replaces ids with names, and omits rows whose collection or author was removed meanwhile. A document added while
   * the removal of its collection began is never visible, and is removed with it.
   */
  async function named<Row>(rows: readonly Row[]): Promise<Row[]> {
    const result: Row[] = [];
    for (const row of rows) {
      const { author = null, collection, updatedBy = null } = row as Partial<Record<keyof Names, string>>;
      const text = collection === undefined ? AUTHOR : NAMES;
      const names = await inner.readOne<Partial<Names>>(text, [author, collection ?? null, updatedBy]);
      if (names !== null) result.push({ ...row, ...names });
    }
    return result;
  }

  /**
   * Returns the reason why a document was not added: since its id was read, the collection was removed or spread.
   *
   * @throws `error` if it has another cause, and an error that causes a retry if the statement cannot be repeated
   */
  function whatChanged(error: unknown, mayRepeat: boolean): 'removed' | 'spread' {
    const isSpread = isOfSpreadCollection(error);
    if (!isSpread && !isOfRemovedCollection(error)) throw error;
    ids.forget();
    if (!mayRepeat) throw createGivenUp('a collection has changed while a document was added to it', error);
    return isSpread ? 'spread' : 'removed';
  }

  async function add<Row>(form: DistributedForm, params: Params, attempt = 1): Promise<Row[]> {
    try {
      return await run<Row[]>(form, params, [], (values) => inner.write<Row>(form, values));
    } catch (error) {
      // In a transaction, only the whole can be repeated.
      const changed = whatChanged(error, !isTransaction && attempt < ATTEMPTS);
      return changed === 'spread' ? add(form, params, attempt + 1) : [];
    }
  }

  /** True if the statement needs the position of a transaction and must therefore run in one. */
  const needsTransaction = (sql: Sql) => !isTransaction && formOf(sql)?.needsPosition === true;
  const atomic: SqlExecutor['atomic'] = isTransaction
    ? (work) => work(executor)
    : (work) => inner.atomic((transaction) => work(distributedExecutor(transaction, ids, true)));

  const executor: SqlExecutor = {
    ...inner,
    joinsDocuments: () => false,
    async read<Row>(sql: Sql, params: Params) {
      const form = formOf(sql);
      if (form === undefined) return inner.read<Row>(sql, params);
      if (form === null) return [];
      if (form.each !== undefined) return forEach<Row>(form, form.each, params);
      return run<Row[]>(form, params, [], (values) => inner.read<Row>(form.text, values));
    },
    async readOne<Row>(sql: Sql, params: Params) {
      const form = formOf(sql);
      if (form === undefined) return inner.readOne<Row>(sql, params);
      return form && run<Row | null>(form, params, null, (values) => inner.readOne<Row>(form.text, values));
    },
    search: (sql, params, bound) => inner.search(formOf(sql)?.text ?? sql, params, bound),
    async write<Row>(sql: Sql, params: Params) {
      if (needsTransaction(sql)) return atomic((transaction) => transaction.write<Row>(sql, params));
      const form = formOf(sql);
      if (form == null) return inner.write<Row>(sql, params);
      const write = (values: Params) => inner.write<Row>(form, values);
      const rows = await (form.adds === true ? add<Row>(form, params) : run<Row[]>(form, params, [], write));
      return form.returnsIds === true ? named(rows) : rows;
    },
    async change(sql, params) {
      if (needsTransaction(sql)) return atomic((transaction) => transaction.change(sql, params));
      const form = formOf(sql);
      return form == null ? inner.change(sql, params) : run(form, params, 0, (values) => inner.change(form, values));
    },
    atomic,
    snapshot: isTransaction
      ? (work) => work(executor)
      : (work) => inner.snapshot((snapshot) => work(distributedExecutor(snapshot, ids, true))),
  };
  return executor;
}
