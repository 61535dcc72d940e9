import type { BoundedCache } from '@baobab/core';
import { keyOf } from '../../slice-keys.ts';
import type { SqlValue } from './executor.ts';

/** Numbers of parameters that the stores do not pass. Greater than all of theirs. */
export const COLLECTION_PARAM = 201;
export const POSITION_PARAM = 202;

/** Id of the collection whose documents a statement concerns, as its own parameter. */
const HERE = `cast(?${COLLECTION_PARAM} as uuid)`;
const POSITION = `cast(?${POSITION_PARAM} as bigint)`;
/** Id of the collection with the key ?1. */
export const COLLECTION = '(select c.id from collections c where c.name_key = ?1)';

/** Id of the collection of a statement for distributed documents. Null in the form for all other databases. */
export type Here = string | null;

/**
 * Values that determine the collection: its key in ?1, if necessary with the id of a document in ?2; or the id of a
 * document in ?1 or ?2.
 */
export type PlacedBy = 'key' | 'keyAndSecond' | 'first' | 'second';

/** Returns the key of a collection, where the column may have the key of a slice. */
export type KeyOf = (column: string) => string;

/** Form of a statement for a database that distributes documents by the ids of their collections. */
export interface DistributedForm {
  readonly text: string;
  /** Absent if the statement needs no collection, or concerns several. */
  readonly by?: PlacedBy;
  /** Runs the statement once for each of several collections. */
  readonly each?: {
    /** Statement for their ids, with the same parameters. Absent if ?1 is a JSON array with the ids. */
    readonly ids?: string;
    /** True if the collections must be visited sequentially, in the order of the ids. */
    readonly inOrder?: boolean;
  };
  /** True if the position in the change feed is a parameter, because a worker would compute another one. */
  readonly needsPosition?: boolean;
  /** True if the statement adds a document. */
  readonly adds?: boolean;
  /** True if the returned rows have ids of users and collections in place of names. */
  readonly returnsIds?: boolean;
  readonly addsToFeed?: boolean;
}

/** A statement with the properties that some databases need to run it. */
export interface Statement {
  readonly text: string;
  /** True if it adds to the change feed. */
  readonly addsToFeed?: boolean;
  /**
   * True if it changes or locks rows of which every node of a distributed database has a copy, or precedes such a
   * statement. Transactions with one of them take turns.
   */
  readonly takesTurn?: boolean;
  /** Null if a distributed database has no such rows. Absent if the form is the same. */
  readonly distributed?: DistributedForm | null;
}

/** A statement. Without properties, its text is sufficient. */
export type Sql = string | Statement;

export const textOf = (sql: Sql): string => (typeof sql === 'string' ? sql : sql.text);

/** Returns the statement with changed texts. */
export function mapText(sql: Sql, change: (text: string) => string): Sql {
  if (typeof sql === 'string') return change(sql);
  const { text, distributed } = sql;
  return {
    ...sql,
    text: change(text),
    ...(distributed && { distributed: { ...distributed, text: change(distributed.text) } }),
  };
}

/** Caches statements by their options, which must have few values. */
export function byOptions<Args extends readonly unknown[], Built extends Sql>(build: (...args: Args) => Built) {
  const statements = new Map<string, Built>();
  return (...args: Args): Built => {
    const key = JSON.stringify(args);
    const statement = statements.get(key) ?? build(...args);
    statements.set(key, statement);
    return statement;
  };
}

/** Builds a statement that changes or locks rows of which every node has a copy: see `takesTurn`. */
export const onCopies = (text: string): Statement => ({ text, takesTurn: true });

/** Builds a statement on the documents of the collection with the key ?1. */
export const inCollection = (build: (collection: string) => string): Statement => ({
  text: build(COLLECTION),
  distributed: { text: build(HERE), by: 'key' },
});

/** Builds a statement on one document, whose id and collection are determined by `by`. */
export const onDocument = (
  by: PlacedBy,
  build: (here: Here) => string,
  properties: Omit<DistributedForm, 'text' | 'by'> = {},
): Statement => ({
  text: build(null),
  distributed: { text: build(HERE), by, ...properties },
  ...(properties.addsToFeed && { addsToFeed: true }),
});

/**
 * Builds a statement on several collections, which a distributed database runs once for each.
 *
 * @param build receives null, or the id of one collection
 */
export const onCollections = (
  each: NonNullable<DistributedForm['each']>,
  build: (here: Here) => string,
): Statement => ({ text: build(null), distributed: { text: build(HERE), each } });

/**
 * Builds a statement with keys of collections, where a distributed database has several rows for a spread collection.
 *
 * @param build receives a function for the key in a column
 */
export const withKeys = (build: (key: KeyOf) => string): Statement => ({
  text: build((column) => column),
  distributed: { text: build(keyOf) },
});

/** Builds a statement on Postgres that inserts the rows of a query, with their position in the change feed. */
export const insertsPlaces = (
  transactionId: string,
  build: (position: string, here: Here) => string,
  by?: PlacedBy,
): Statement => ({
  text: build(transactionId, null),
  addsToFeed: true,
  distributed: {
    text: build(POSITION, by === undefined ? null : HERE),
    ...(by !== undefined && { by }),
    needsPosition: true,
    addsToFeed: true,
  },
});

/** A statement in a driver's form: its parameters are numbered without gaps, in order of first use. */
export interface Compiled {
  readonly text: string;
  bind(params: readonly SqlValue[]): SqlValue[];
}

/** Converts a statement from the shared form (`?1`, `?2`, … in any order, repeated or left out) to a driver's. */
export function compile(style: 'anonymous' | 'dollar', sql: Sql): Compiled {
  const order: number[] = [];
  const places = new Map<number, number>();
  const text = textOf(sql).replace(/\?(\d+)/g, (_match, digits: string) => {
    const index = Number(digits) - 1;
    if (style === 'anonymous') {
      order.push(index);
      // The plus hides the parameter from SQLite's planner. node:sqlite clears all parameters before each run, and
      // SQLite then prepares every statement again whose plan may depend on one, which can take longer than the run.
      return '+?';
    }
    const place = places.get(index) ?? order.push(index);
    places.set(index, place);
    return `$${place}`;
  });
  // A plain loop, since it runs for every statement.
  function bind(params: readonly SqlValue[]): SqlValue[] {
    const values: SqlValue[] = [];
    for (const index of order) values.push(params[index] ?? null);
    return values;
  }
  return { text, bind };
}

/** Creates a cached compiler for Postgres. SQLite's prepared statements are cached instead. */
export function createCompiler(
  compiled: Pick<BoundedCache<string, Compiled>, 'get' | 'set'> = new Map<string, Compiled>(),
) {
  return (sql: Sql): Compiled => {
    const shared = textOf(sql);
    let result = compiled.get(shared);
    if (result === undefined) {
      result = compile('dollar', shared);
      compiled.set(shared, result);
    }
    return result;
  };
}
