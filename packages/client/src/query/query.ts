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
  withCondition,
  withField,
} from './criteria.ts';
import type { LiveCall, LiveRequest } from './live.ts';
import { expandPath, queryPath } from './paths.ts';
import type { Aggregate, Aggregated, OperandOf, Operator, ParamsOf, PathOf, Selected } from './types.ts';

export interface ListOptions extends CallOptions {
  /** The greatest number of rows. */
  readonly limit?: number;
}

/** A list of rows without criteria. Nothing is sent before rows are asked for. */
export interface RowList<R> extends AsyncIterable<R> {
  /** Rows in each page when all rows are read; default 100. */
  pageSize(rows: number): RowList<R>;
  /** Options of the calls that iteration makes. */
  with(options: CallOptions): RowList<R>;
  /** One page, from a cursor on. */
  page(cursor?: string | null, options?: CallOptions): Promise<ResultPage<R>>;
  /** All rows, read page by page. */
  list(options?: ListOptions): Promise<R[]>;
  /** The first row; null when there is none. */
  first(options?: CallOptions): Promise<R | null>;
}

/** A list of rows `R` of objects `T`. Every method returns a new query. */
export interface Query<T, R = T> extends RowList<R> {
  /** The query as data. */
  readonly criteria: Criteria;
  /** The list of which it is a query: its path, and an object that stands for the client. */
  readonly source: { readonly path: string; readonly client: object };
  /**
   * Adds a condition of the query language. It is a literal text, and values are parameters: `where('litres > ?', 1)`.
   * Several conditions all have to be true.
   */
  where<const C extends string>(condition: C, ...params: ParamsOf<T, C>): Query<T, R>;
  /** Adds a condition on a field that only the running program knows. */
  whereField<P extends PathOf<T>, O extends Operator>(
    path: P,
    operator: O,
    ...value: [OperandOf<T, P, O>] extends [never] ? [] : [OperandOf<T, P, O>]
  ): Query<T, R>;
  /**
   * Adds a condition that the compiler does not check, such as `distance(lat, lon, ?, ?) < 10`. Never put text that a user
   * typed into `condition`; pass it as a parameter.
   */
  whereUnchecked(condition: string, ...params: readonly unknown[]): Query<T, R>;
  orderBy(path: PathOf<T>, direction?: 'asc' | 'desc'): Query<T, R>;
  /** Answers what these fields refer to as well, under `_expanded`. */
  expand(...paths: readonly (PathOf<T> | (string & {}))[]): Query<T, R>;
  /** Rows have only these members. */
  select<P extends PathOf<T>>(...paths: readonly P[]): Query<T, Selected<T, P>>;
  pageSize(rows: number): Query<T, R>;
  with(options: CallOptions): Query<T, R>;
  /** As `page`, with the number of rows on all pages, by one request. */
  pageWithTotal(cursor?: string | null, options?: CallOptions): Promise<CountedPage<R>>;
  count(options?: CallOptions): Promise<number>;
  /**
   * Calls the listener with all rows, or the first ones, and again whenever they change. Only for documents, and needs the
   * option `live` of the client. Returns the function that ends it.
   */
  readonly live: R extends DocumentFields ? LiveCall<R> : never;
  /** Computes over all rows: `aggregate({ total: 'sum(price)' })`. */
  aggregate<const A extends Readonly<Record<string, Aggregate<T>>>>(
    columns: A,
    options?: CallOptions,
  ): Promise<{ readonly [K in keyof A]: Aggregated<T, A[K]> }>;
  /** The same for each group of rows with equal values. */
  aggregateBy<const P extends PathOf<T>, const A extends Readonly<Record<string, Aggregate<T>>>>(
    groupBy: P | readonly P[],
    columns: A,
    options?: CallOptions,
  ): Promise<(Selected<T, P> & { readonly [K in keyof A]: Aggregated<T, A[K]> })[]>;
}

/** A list of the service. */
export interface Source {
  readonly api: Api;
  readonly path: string;
  /** Where rows are counted, if the list has a route for that. */
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

/** The type of the rows is what the caller says: the service answers what the criteria ask for. */
export function createQuery<T, R = T>(source: Source, initial: Partial<State> = {}): Query<T, R> {
  const state: State = { criteria: NO_CRITERIA, pageSize: PAGE_SIZE, options: {}, ...initial };
  const { criteria, pageSize } = state;
  const { api, path } = source;

  const but = <S = R>(change: Partial<State>) => createQuery<T, S>(source, { ...state, ...change });
  const refined = <S = R>(change: Partial<Criteria>) => but<S>({ criteria: { ...criteria, ...change } });
  const rowsOf = <S>(params: QueryParams, options?: CallOptions) =>
    api.list<S[]>(path, params, { ...state.options, ...options });

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
    const { where, params } = criteria;
    return rowsOf<S>(
      criteriaParams({
        ...NO_CRITERIA,
        where,
        params,
        fields: [...groupBy.map(fieldColumn), ...computed],
        groupBy: groupBy.map(queryPath),
      }),
      options,
    );
  };

  const query: Query<T, R> = {
    criteria,
    source: { path, client: api },
    where: (condition, ...params) => but({ criteria: withCondition(criteria, condition, params) }),
    whereField: (field, operator, ...value) =>
      but({ criteria: withField(criteria, { path: field, operator, value: value[0] }) }),
    whereUnchecked: (condition, ...params) => but({ criteria: withCondition(criteria, condition, params) }),
    orderBy: (field, direction = 'asc') =>
      refined({ orderBy: [...criteria.orderBy, `${queryPath(field)} ${direction === 'desc' ? 'desc' : 'asc'}`] }),
    expand: (...paths) => refined({ expand: [...criteria.expand, ...paths.map(expandPath)] }),
    select: <P extends PathOf<T>>(...paths: readonly P[]) =>
      refined<Selected<T, P>>({ fields: paths.map(fieldColumn) }),
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
    // The type says for which rows there is one.
    live: ((...handlers: Parameters<LiveCall<R & DocumentFields>>) => {
      if (source.follow === undefined) throw new TypeError('Only documents have live queries');
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

const conditionOf = ({ where, params }: Criteria) => criteriaParams({ ...NO_CRITERIA, where, params });
