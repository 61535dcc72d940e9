import type { CallOptions } from '../options.ts';
import { type Api, isLong } from '../transport/api.ts';
import type { CountedPage, ResultPage } from '../transport/pages.ts';
import type { QueryParams } from '../transport/path.ts';
import type { DocumentFields } from '../wire.ts';
import {
  aggregateColumn,
  type Criteria,
  criteriaParams,
  fieldColumn,
  NO_CRITERIA,
  snippetColumn,
  withCondition,
  withField,
} from './criteria.ts';
import type { LiveCall, LiveRequest } from './live.ts';
import { type OrderOptions, orderText } from './order.ts';
import { expandPath, queryPath } from './paths.ts';
import type {
  Aggregate,
  Aggregated,
  Condition,
  OperandOf,
  Operator,
  ParamsOf,
  PathOf,
  Selected,
  SortOf,
} from './types.ts';

export interface ListOptions extends CallOptions {
  /** Maximum number of rows. */
  readonly limit?: number;
}

/** A list of rows without filters. Requests are sent only when rows are read. */
export interface RowList<R> extends AsyncIterable<R> {
  /** Sets the rows per page when all rows are read; default 100. */
  pageSize(rows: number): RowList<R>;
  /** Sets the options of the calls that iteration makes. */
  with(options: CallOptions): RowList<R>;
  /** Reads one page, starting at a cursor. */
  page(cursor?: string | null, options?: CallOptions): Promise<ResultPage<R>>;
  /** Reads all rows, page by page. */
  list(options?: ListOptions): Promise<R[]>;
  /** Returns the first row; null if there is none. */
  first(options?: CallOptions): Promise<R | null>;
}

/** A query that returns rows `R` of objects `T`. Every method returns a new query. */
export interface Query<T, R = T> extends RowList<R> {
  /** The query as data. */
  readonly criteria: Criteria;
  /** Source of the query: the path of its list, and an object that identifies the client. */
  readonly source: { readonly path: string; readonly client: object };
  /**
   * Adds a filter in the query language. The text is a literal; pass values as parameters: `where('litres > ?', 1)`.
   * Several filters are combined with "and".
   */
  where<const C extends Condition<T>>(condition: C, ...params: ParamsOf<T, C>): Query<T, R>;
  /** Adds a filter on a field whose name is known only at run time. */
  whereField<P extends PathOf<T>, O extends Operator>(
    path: P,
    operator: O,
    ...value: [OperandOf<T, P, O>] extends [never] ? [] : [OperandOf<T, P, O>]
  ): Query<T, R>;
  /**
   * Adds a filter that the compiler does not check, such as `distance(lat, lon, ?, ?) < 10`. Never put user input into
   * `condition`; pass it as a parameter.
   */
  whereUnchecked(condition: string, ...params: readonly unknown[]): Query<T, R>;
  /**
   * Finds documents by words, best first: `milk bread* -butter "exact phrase"`. The text may be user input. An
   * administrator enables search of a collection.
   */
  search(text: string): Query<T, R & Scored>;
  /** Sorts by a field, or by its text in lower case: `orderBy('title.toLowerCase()')`. */
  orderBy(path: SortOf<T>, direction?: 'asc' | 'desc', options?: OrderOptions): Query<T, R>;
  /** Also returns the documents that these fields refer to, under `_expanded`. */
  expand(...paths: readonly (PathOf<T> | (string & {}))[]): Query<T, R>;
  /** Returns only these members of each row. */
  select<P extends PathOf<T>>(...paths: readonly P[]): Query<T, Selected<T, P>>;
  /** Adds the part of a field around the hits of the search to the selected members, as `snippet`. */
  snippet(path: PathOf<T>): Query<T, R & WithSnippet>;
  pageSize(rows: number): Query<T, R>;
  with(options: CallOptions): Query<T, R>;
  /** Like `page`, but also returns the total number of rows, in one request. */
  pageWithTotal(cursor?: string | null, options?: CallOptions): Promise<CountedPage<R>>;
  count(options?: CallOptions): Promise<number>;
  /**
   * Calls the listener with all rows, or the first ones, and again after each change. Only for documents; requires the
   * option `live` of the client. Returns a function that unsubscribes.
   */
  readonly live: R extends DocumentFields ? LiveCall<R> : never;
  /** Aggregates all rows: `aggregate({ total: 'sum(price)' })`. */
  aggregate<const A extends Readonly<Record<string, Aggregate<T>>>>(
    columns: A,
    options?: CallOptions,
  ): Promise<{ readonly [K in keyof A]: Aggregated<T, A[K]> }>;
  /** Like `aggregate`, for each group of rows with equal values. */
  aggregateBy<const P extends PathOf<T>, const A extends Readonly<Record<string, Aggregate<T>>>>(
    groupBy: P | readonly P[],
    columns: A,
    options?: CallOptions,
  ): Promise<(Selected<T, P> & { readonly [K in keyof A]: Aggregated<T, A[K]> })[]>;
}

/** A row of the result of a search. */
export interface Scored {
  /** The hits in the searched fields, each multiplied by the weight of its field. */
  readonly _score: number;
}

/** A part of an excerpt. Plain text, not HTML. */
export interface SnippetPart {
  readonly text: string;
  /** True if the search found this part. */
  readonly hit?: true;
}

export interface WithSnippet {
  /** Null if the field contains no text. */
  readonly snippet: readonly SnippetPart[] | null;
}

/** A list on the server. */
export interface ServerList {
  readonly api: Api;
  readonly path: string;
  /** Document whose files are listed; absent or undefined for other lists. */
  readonly document?: string | undefined;
  /** Route that counts the rows, if the list has one. */
  readonly countPath?: string;
  /** Follows a list of documents. */
  readonly follow?: <R extends DocumentFields>(
    request: Pick<LiveRequest, 'criteria' | 'pageSize'>,
    ...handlers: Parameters<LiveCall<R>>
  ) => () => void;
}

interface State {
  readonly criteria: Criteria;
  readonly pageSize: number;
  readonly options: CallOptions;
}

interface Count {
  readonly count: number;
}

const PAGE_SIZE = 100;

/** Creates a query. The caller declares the type of the rows; the server returns them as the criteria specify. */
export function createQuery<T, R = T>(source: ServerList, initial: Partial<State> = {}): Query<T, R> {
  const state: State = { criteria: NO_CRITERIA, pageSize: PAGE_SIZE, options: {}, ...initial };
  const { criteria, pageSize } = state;
  const { api, path, document } = source;

  const but = <S = R>(change: Partial<State>) => createQuery<T, S>(source, { ...state, ...change });
  const refined = <S = R>(change: Partial<Criteria>) => but<S>({ criteria: { ...criteria, ...change } });
  const rowsOf = <S>(params: QueryParams, options?: CallOptions) =>
    api.list<S[]>(path, { document, ...params }, { ...state.options, ...options });

  const paramsOf = (cursor: string | null | undefined, rows: number): QueryParams => ({
    ...criteriaParams(criteria),
    recordsPerPage: rows,
    cursor: cursor ?? undefined,
  });

  async function page(
    cursor: string | null | undefined,
    options?: CallOptions,
    rows = pageSize,
  ): Promise<ResultPage<R>> {
    const { data, more, next } = await rowsOf<R>(paramsOf(cursor, rows), options);
    return { rows: data, next: more ? next : null };
  }

  async function pageWithTotal(cursor?: string | null, options?: CallOptions): Promise<CountedPage<R>> {
    const { data, more, next, total } = await rowsOf<R>({ ...paramsOf(cursor, pageSize), total: true }, options);
    return { rows: data, next: more ? next : null, total: total ?? (await query.count(options)) };
  }

  async function* rows(options?: CallOptions): AsyncGenerator<R, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { rows: found, next } = await page(cursor, options);
      yield* found;
      cursor = next;
    }
  }

  const aggregates = <S>(
    columns: Readonly<Record<string, string>>,
    groupBy: readonly string[],
    options?: CallOptions,
  ) => {
    const computed = Object.entries(columns).map(([name, aggregate]) => aggregateColumn(name, aggregate));
    return rowsOf<S>(
      criteriaParams({
        ...NO_CRITERIA,
        ...filterOf(criteria),
        fields: [...groupBy.map(fieldColumn), ...computed],
        groupBy: groupBy.map(queryPath),
      }),
      options,
    );
  };

  const query: Query<T, R> = {
    criteria,
    source: { path: document === undefined ? path : `${path}?document=${document}`, client: api },
    where: (condition, ...params) => but({ criteria: withCondition(criteria, condition, params) }),
    whereField: (field, operator, ...value) =>
      but({ criteria: withField(criteria, { path: field, operator, value: value[0] }) }),
    whereUnchecked: (condition, ...params) => but({ criteria: withCondition(criteria, condition, params) }),
    search(text) {
      // Without a text, all rows would match.
      if (typeof text !== 'string') throw new TypeError('search needs a text');
      return refined<R & Scored>({ search: text });
    },
    orderBy: (field, direction = 'asc', options = {}) =>
      refined({ orderBy: [...criteria.orderBy, orderText(field, direction, options)] }),
    expand: (...paths) => refined({ expand: [...criteria.expand, ...paths.map(expandPath)] }),
    select: <P extends PathOf<T>>(...paths: readonly P[]) =>
      refined<Selected<T, P>>({ fields: paths.map(fieldColumn) }),
    snippet(field) {
      if (criteria.fields.length === 0) throw new TypeError('select members before the snippet');
      return refined<R & WithSnippet>({ fields: [...criteria.fields, snippetColumn(field)] });
    },
    pageSize: (size) => but({ pageSize: size }),
    with: (options) => but({ options: { ...state.options, ...options } }),
    page,
    pageWithTotal,
    async list({ limit = Number.POSITIVE_INFINITY, ...options } = {}) {
      const all: R[] = [];
      if (limit <= 0) return all;
      for await (const row of but({ pageSize: Math.min(pageSize, limit) }).with(options)) {
        all.push(row);
        if (all.length >= limit) break;
      }
      return all;
    },
    first: async (options) => (await page(null, options, 1)).rows[0] ?? null,
    async count(options) {
      const condition = conditionOf(criteria);
      const { countPath } = source;
      if (countPath !== undefined && !isLong(condition)) {
        return (await api.get<Count>(countPath, condition, { ...state.options, ...options })).count;
      }
      const { data } = await rowsOf<Count>({ ...condition, count: true }, options);
      return data[0]?.count ?? 0;
    },
    // The type restricts this to rows that are documents.
    live: ((...handlers: Parameters<LiveCall<R & DocumentFields>>) => {
      if (source.follow === undefined) throw new TypeError('Only documents have live queries');
      if (criteria.search !== undefined) throw new TypeError('A search cannot be live: list again after changes');
      return source.follow({ criteria, pageSize }, ...handlers);
    }) as unknown as Query<T, R>['live'],
    async aggregate<const A extends Readonly<Record<string, Aggregate<T>>>>(columns: A, options?: CallOptions) {
      const { data } = await aggregates<{ readonly [K in keyof A]: Aggregated<T, A[K]> }>(columns, [], options);
      const [row] = data;
      if (row === undefined) throw new TypeError('aggregate needs at least one column');
      return row;
    },
    async aggregateBy<const P extends PathOf<T>, const A extends Readonly<Record<string, Aggregate<T>>>>(
      groupBy: P | readonly P[],
      columns: A,
      options?: CallOptions,
    ) {
      type Row = Selected<T, P> & { readonly [K in keyof A]: Aggregated<T, A[K]> };
      const groups: readonly string[] = typeof groupBy === 'string' ? [groupBy] : groupBy;
      return (await aggregates<Row>(columns, groups, options)).data;
    },
    [Symbol.asyncIterator]: () => rows(),
  };
  return query;
}

/** Returns the parts of a query that decide which rows match. */
const filterOf = ({ where, params, search }: Criteria) => ({ where, params, ...(search !== undefined && { search }) });

const conditionOf = (criteria: Criteria) => criteriaParams({ ...NO_CRITERIA, ...filterOf(criteria) });
