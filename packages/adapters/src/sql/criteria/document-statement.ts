import {
  type AccessScope,
  type Action,
  type Condition,
  documentColumn,
  type IndexedPath,
  indexedPathOf,
  isByDocument,
  isCreation,
  type OrderKey,
  sufficientRights,
} from '@baobab/core';
import { hasMany, isOneOfMany, principalsJson } from '../documents/access-scope.ts';
import {
  alikeIn,
  type IndexedFilter,
  indexedFilters,
  orderedIndex,
  type ReadyIndex,
  type RequestedOrder,
} from '../lists/index-choice.ts';
import { ALL_ROWS } from '../lists/list-plan.ts';
import type { SqlValue } from '../statements/executor.ts';
import { type Context, compileCondition, formOf } from './conditions.ts';
import { allOf, anyOf, type CriteriaDialect, createParams, type Params, type SqlValueForm, TRUE } from './dialect.ts';
import { documentMeaning, sortedForm } from './document-fields.ts';
import { indexedForm, pathKey } from './index-keys.ts';
import { createRuledAccess } from './ruled-access.ts';
import { compileTextTest, searchIn, textTestOf } from './text-tests.ts';

/** The queried collection, by its id, with its indexes. */
export interface Target {
  readonly collection: string;
  /** Ids of the hidden collections that contain its documents, if a distributed database divides them. */
  readonly parts?: readonly string[];
  readonly key: string;
  readonly indexed: readonly ReadyIndex[];
}

/** Rows of `documents`: the `from` clause and the condition. */
export interface Source {
  readonly from: string;
  readonly where: string;
}

/** Direction of an order by ids. Null for another order. */
export type IdOrder = '' | ' desc' | null;

/** Documents of one access path. */
interface AccessPath extends Source {
  /** Column of their ids. For the order of an index on grants, SQLite must use the column of the grants. */
  readonly id: string;
}

export interface Ranges extends Omit<IndexedFilter, 'others'> {
  /** Remaining condition. Excludes the time limit if the index alone answers an administrator. */
  readonly rest: string;
  /** Remaining condition with the time limit, for sorting all rows of the ranges in another order. */
  readonly sortedRest: string;
}

const READABLE = sufficientRights('read');
/** Index on the documents of an author in a collection. */
const BY_AUTHOR = 'documents_of_author';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const requested = (keys: readonly OrderKey[]): RequestedOrder => ({ keys, isById: isCreation });

/** Returns an id to inline in a statement. An index covers one collection, and serves only statements with its id. */
export function idText(id: string): string {
  if (!UUID.test(id)) throw new Error('the id of a collection must be a UUID');
  return `'${id}'`;
}

/** Returns the values of the caller: the first parameters of every statement. */
const scopeValues = (scope: AccessScope): SqlValue[] => [
  ...(scope.owner === null ? [] : [scope.owner]),
  ...(hasMany(scope) ? [principalsJson(scope.principals)] : scope.principals),
];

/** Creates the parts shared by all statements on documents. */
export function createStatement(
  dialect: CriteriaDialect,
  target: Target,
  scope: AccessScope,
  params: Params = createParams(dialect.typed),
) {
  const resolve = documentMeaning(dialect, dialect.parsed.base);
  const context: Context = { dialect, params, resolve };
  const collections = (target.parts ?? [target.collection]).map(idText);
  /** Condition that a column has the id of the collection. */
  const isIn = (column: string) =>
    collections.length === 1 ? `${column} = ${collections[0]}` : `${column} in (${collections.join(', ')})`;
  const isHere = isIn('documents.collection');
  const documents = `documents${dialect.parsed.from}`;
  const work = dialect.work('documents.created', 'octet_length(documents.content)');
  const marks = scopeValues(scope).map(params.add);
  const owner = scope.owner === null ? null : (marks.shift() ?? null);
  const many = hasMany(scope) ? (marks.shift() ?? null) : null;
  const principals = marks;
  const indexedPaths = new Set(target.indexed.flatMap(({ paths }) => paths.map(pathKey)));

  const indexed = (path: IndexedPath) => (indexedPaths.has(pathKey(path)) ? indexedForm(dialect, path) : null);

  const plainForm = (key: OrderKey): SqlValueForm => sortedForm(formOf(resolve(key.path), context), key, dialect);

  /** Compiles a filter. A test on the text precedes it, so that most contents need not be parsed. */
  function tested(condition: Condition): string {
    const test = textTestOf(condition, ([first]) => documentColumn(first) === null);
    const compiled = compileCondition(condition, context);
    return compiled === TRUE ? TRUE : allOf([compileTextTest(test, 'documents.content', dialect, params), compiled]);
  }

  const followedBy = (follower: string) => `select f.followed from follows f where f.follower = ${follower}`;

  const readableGrants = `${isIn('g.collection')} and (g.rights & ${READABLE}) <> 0`;
  /** Ids of the documents granted to one of many principals. */
  const grantedToMany = (json: string) =>
    `select g.document as id from json_each(${json}) p cross join document_grants g
      where g.principal = p.key and ${readableGrants}`;

  /**
   * Access path for grants to many principals, with each document once. If the ids are in the requested order, only
   * the documents of a page are read. Postgres would read the whole collection to join it. A limit for each id
   * prevents that.
   */
  function grantedToManyPath(json: string, order: IdOrder): AccessPath {
    const sorted = order === null ? '' : ` order by id${order} limit ${ALL_ROWS}`;
    const ids = `(select distinct id from (${grantedToMany(json)}) of_many${sorted}) g`;
    if (dialect.joinsInOrder) {
      return { from: `${ids} cross join ${documents}`, where: `${isHere} and documents.id = g.id`, id: 'g.id' };
    }
    const each = `select d.* from documents d where ${isIn('d.collection')} and d.id = g.id limit 1`;
    return { from: `${ids} cross join lateral (${each}) documents${dialect.parsed.from}`, where: TRUE, id: 'g.id' };
  }

  /** Access paths for grants: one per principal, or a single one for many. */
  function grantedPaths(order: IdOrder): AccessPath[] {
    if (many !== null) return [grantedToManyPath(many, order)];
    return principals.map((principal) => ({
      from: `document_grants g cross join ${documents}`,
      where: `g.principal = ${principal} and ${readableGrants} and ${isHere} and documents.id = g.document`,
      id: 'g.document',
    }));
  }

  /** Returns the access paths. `cross join` makes SQLite start with the first table. */
  function accessPaths(order: IdOrder): AccessPath[] {
    if (scope.everything) return [{ from: documents, where: isHere, id: 'documents.id' }];
    const inherited = inheritedPath();
    if (scope.rules !== undefined && inherited === null) return [{ ...scan(null), id: 'documents.id' }];
    const others = inherited === null ? [] : [{ ...inherited, id: 'documents.id' }];
    return [...others, ...ownPaths(order)];
  }

  /** Access paths for own documents, grants and follows. */
  function ownPaths(order: IdOrder): AccessPath[] {
    const granted = grantedPaths(order);
    if (owner === null) return granted;
    // SQLite would prefer a range of a declared index, which may contain the whole collection.
    const byAuthor = `documents${dialect.hint(BY_AUTHOR)}${dialect.parsed.from}`;
    const own = { from: byAuthor, where: `${isHere} and documents.author = ${owner}`, id: 'documents.id' };
    if (!scope.followed) return [own, ...granted];
    const followed = {
      from: `follows f cross join ${byAuthor}`,
      where: `f.follower = ${owner} and ${isHere} and documents.author = f.followed`,
      id: 'documents.id',
    };
    return [own, ...granted, followed];
  }

  /**
   * Children of the documents that the caller may read, found by the index on their parents. Null if there is no such
   * index, or if more than these children are readable under the rules.
   */
  function inheritedPath(): Source | null {
    const access = scope.rules?.get(target.key);
    const parent = access?.parent ?? null;
    if (access === undefined || parent === null || parent.collection === null || access.conditions.length > 0)
      return null;
    const need = parent.needs.read;
    const index = target.indexed.find(({ paths }) => JSON.stringify(paths) === JSON.stringify([parent.path]));
    const above = scope.rules?.get(parent.collection);
    const isRuled = above !== undefined && (isByDocument(above) || above.rights !== 0);
    if (need === null || index === undefined || isRuled) return null;
    const there = `(select k.id from collections k where k.name_key = ${params.add(parent.collection)})`;
    const { rank, num, txt } = indexedForm(dialect, parent.path);
    const ids = readableIds((column) => `${column} = ${there}`, need).join(' union all ');
    const parents = `(select distinct id from (${ids}) of_parents) up`;
    // An id as an expression, because SQLite would not use the index for a column with an affinity.
    const isChild = `${isHere} and ${rank} = 3 and ${num} = 0 and ${txt} = (up.id || '')`;
    if (dialect.joinsInOrder) {
      return {
        from: `${parents} cross join documents${dialect.hint(index.name)}${dialect.parsed.from}`,
        where: isChild,
      };
    }
    // Postgres would read the whole collection to join it, as for grants to many principals.
    const each = `select documents.* from documents where ${isChild} limit ${ALL_ROWS}`;
    return { from: `${parents} cross join lateral (${each}) documents${dialect.parsed.from}`, where: TRUE };
  }

  /** Returns the ids of the documents of a collection on which the caller has a right, apart from rules. */
  function readableIds(isThere: (column: string) => string, need: Action): string[] {
    const sufficient = `${isThere('g.collection')} and (g.rights & ${sufficientRights(need)}) <> 0`;
    const ids = principals.map(
      (principal) =>
        `select g.document as id from document_grants g where g.principal = ${principal} and ${sufficient}`,
    );
    if (many !== null) {
      ids.push(`select g.document as id from json_each(${many}) p cross join document_grants g
        where g.principal = p.key and ${sufficient}`);
    }
    if (owner === null) return ids;
    ids.push(`select d.id from documents d where ${isThere('d.collection')} and d.author = ${owner}`);
    if (scope.followed && need === 'read') {
      ids.push(`select d.id from follows f cross join documents d
        where f.follower = ${owner} and d.author = f.followed and ${isThere('d.collection')}`);
    }
    return ids;
  }

  /** Returns a source with all documents of the collection, and the condition for read access. */
  function scan(index: ReadyIndex | null): Source {
    const from = `documents${index === null ? '' : dialect.hint(index.name)}${dialect.parsed.from}`;
    if (scope.everything) return { from, where: isHere };
    const isMine = many === null ? `g.principal in (${principals.join(', ')})` : isOneOfMany('g.principal', many);
    // Most callers have no grant in the collection. This is checked once, instead of a look-up for each row.
    // Ordered, because Postgres would read all grants instead of their index if it expects to find one soon.
    const first = (principal: string) => `select 1 from document_grants g
      where g.principal = ${principal} and ${readableGrants} order by g.document limit 1`;
    const any = anyOf(principals.map((principal) => `exists (select 1 from (${first(principal)}) one)`));
    const granted = `exists (select 1 from document_grants g where g.document = documents.id and ${isMine} and ${readableGrants})`;
    const rights = [many === null ? `(${any} and ${granted})` : granted].filter(() => scope.principals.length > 0);
    if (owner !== null) rights.unshift(`documents.author = ${owner}`);
    if (owner !== null && scope.followed) rights.push(`documents.author in (${followedBy(owner)})`);
    rights.push(createRuledAccess(context, scope).readIn(target.key, 'documents', dialect.parsed.base));
    return { from, where: `${isHere} and ${anyOf(rights)}` };
  }

  /** Returns the documents that may match the full-text search in a filter, and the condition for read access. */
  function candidates(where: Condition | null): Source {
    const { from, where: readable } = scan(null);
    const search = searchIn(where);
    if (search === null) return { from, where: readable };
    const found = dialect.candidates(search, params);
    return { from: found.from + from, where: allOf([found.where, readable]) };
  }

  function withRest({ others, ...filter }: IndexedFilter): Ranges {
    const rest = allOf([work, ...others.map(tested)]);
    return { ...filter, rest: others.length === 0 && scope.everything ? TRUE : rest, sortedRest: rest };
  }

  const rangesOf = (where: Condition | null, order: readonly OrderKey[]) =>
    indexedFilters(where, requested(order), { indexes: target.indexed, formOf: indexed, params }, withRest);

  return {
    context,
    isHere,
    accessPaths,
    /** Returns a source with every readable document once. */
    readable(): Source {
      if (scope.everything) return { from: documents, where: isHere };
      const inherited = inheritedPath();
      if (scope.rules !== undefined && inherited === null) return scan(null);
      const ids = readableIds(isIn, 'read');
      if (inherited !== null) ids.push(`select documents.id from ${inherited.from} where ${inherited.where}`);
      if (ids.length === 0) return { from: documents, where: '1 = 0' };
      return {
        from: `(select distinct id from (${ids.join(' union all ')}) found) readable cross join ${documents}`,
        where: `${isHere} and documents.id = readable.id`,
      };
    },
    scan,
    candidates,
    inheritedPath,
    /** Returns the value for a key in its sorted form. */
    plainForm,
    /** Returns the value for a key as an indexed expression if possible, otherwise in its sorted form. */
    sortedForm(key: OrderKey): SqlValueForm {
      const path = indexedPathOf(key);
      return (path === null ? null : indexed(path)) ?? plainForm(key);
    },
    /** Returns the index with the requested order, or a prefix of it. Null if there is none. */
    orderedIndex: (order: readonly OrderKey[]) => orderedIndex(target.indexed, requested(order)),
    /** Compiles a filter without an index. */
    filter: (where: Condition | null) => allOf([work, where === null ? TRUE : tested(where)]),
    /** Returns the ranges of the narrowest index, or null if no index helps. */
    ranges: (where: Condition | null) => rangesOf(where, [])?.narrow ?? null,
    /** Returns these ranges, and those of the narrowest index with the requested order. */
    rangesOf,
    /** Returns the columns that are equal in all rows of a range. */
    alikeIn: (range: Ranges) => alikeIn(range, indexed),
  };
}

export type Statement = ReturnType<typeof createStatement>;
