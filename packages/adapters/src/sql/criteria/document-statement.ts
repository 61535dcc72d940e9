import { type AccessScope, type Condition, type Path, SORTED_LENGTH, sufficientRights } from '@baobab/core';
import { hasMany, isOneOfMany, principalsJson } from '../access-scope.ts';
import { compileCondition } from './conditions.ts';
import type { CriteriaDialect, SqlValueForm } from './dialect.ts';
import { documentMeaning } from './document-fields.ts';
import { indexedFilter, indexedForm, pathKey } from './index-keys.ts';
import { type Context, formOf } from './operands.ts';
import { createParams } from './params.ts';
import { allOf, anyOf, TRUE } from './scalars.ts';

/** The queried collection, by its id, with the paths that have an index. */
export interface Target {
  readonly collection: string;
  readonly indexed: readonly { readonly path: Path; readonly name: string }[];
}

/** Rows of `documents`: the `from` clause and the condition. */
export interface Source {
  readonly from: string;
  readonly where: string;
}

export interface Ranges {
  readonly ranges: readonly string[];
  /** The path of the index. */
  readonly path: Path | null;
  /** Whether the documents of each range are ordered by their ids. */
  readonly areEqualities: boolean;
  /** The remaining condition. */
  readonly rest: string;
  /** The same, for when all rows of the ranges are sorted by something else, which takes longer than finding them. */
  readonly sortedRest: string;
}

const READABLE = sufficientRights('read');
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id inlined in a statement: an index is on one collection, and only serves statements that name it. */
export function idText(id: string): string {
  if (!UUID.test(id)) throw new Error('the id of a collection must be a UUID');
  return `'${id}'`;
}

/** The parts that all statements on documents share. */
export function createStatement(dialect: CriteriaDialect, target: Target, scope: AccessScope) {
  const params = createParams(dialect.typed);
  let aliases = 0;
  const resolve = documentMeaning(dialect, dialect.parsed.base);
  const context: Context = { dialect, params, resolve, alias: () => `e${++aliases}` };
  const collection = idText(target.collection);
  const isHere = `documents.collection = ${collection}`;
  const documents = `documents${dialect.parsed.from}`;
  const work = dialect.work('documents.created', 'octet_length(documents.content)');
  const owner = scope.owner === null ? null : params.add(scope.owner);
  const many = hasMany(scope) ? params.add(principalsJson(scope.principals)) : null;
  const principals = many === null ? scope.principals.map((principal) => params.add(principal)) : [];
  const indexes = new Map(target.indexed.map(({ path, name }) => [pathKey(path), name]));

  const indexed = (path: Path) => (indexes.has(pathKey(path)) ? indexedForm(dialect, path) : null);

  function plainForm(path: Path): SqlValueForm {
    const { rank, num, txt } = formOf(resolve(path), context);
    return { rank, num, txt: dialect.head(txt, SORTED_LENGTH) };
  }

  const followedBy = (follower: string) => `select f.followed from follows f where f.follower = ${follower}`;

  const readableGrants = `g.collection = ${collection} and (g.rights & ${READABLE}) <> 0`;
  /** The ids of the documents that are granted to one of many principals. */
  const grantedToMany = (json: string) =>
    `select g.document as id from json_each(${json}) p cross join document_grants g
      where g.principal = p.key and ${readableGrants}`;

  /** What is granted, in one way for each principal; or in one for many, with each document once. */
  function grantedPaths(): Source[] {
    if (many !== null) {
      const ids = `(select distinct id from (${grantedToMany(many)}) of_many)`;
      return [{ from: `${ids} g cross join ${documents}`, where: `${isHere} and documents.id = g.id` }];
    }
    return principals.map((principal) => ({
      from: `document_grants g cross join ${documents}`,
      where: `g.principal = ${principal} and ${readableGrants} and ${isHere} and documents.id = g.document`,
    }));
  }

  /** The documents of each way of access; `cross join` makes SQLite begin with the first table. */
  function accessPaths(): Source[] {
    if (scope.everything) return [{ from: documents, where: isHere }];
    const granted = grantedPaths();
    if (owner === null) return granted;
    const own = { from: documents, where: `${isHere} and documents.author = ${owner}` };
    if (!scope.followed) return [own, ...granted];
    const followed = {
      from: `follows f cross join ${documents}`,
      where: `f.follower = ${owner} and ${isHere} and documents.author = f.followed`,
    };
    return [own, ...granted, followed];
  }

  return {
    context,
    isHere,
    accessPaths,
    /** Every readable document once. */
    readable(): Source {
      if (scope.everything) return { from: documents, where: isHere };
      const ids = principals.map(
        (principal) => `select g.document as id from document_grants g where g.principal = ${principal}
          and ${readableGrants}`,
      );
      if (many !== null) ids.push(grantedToMany(many));
      if (owner !== null) {
        ids.push(`select d.id from documents d where d.collection = ${collection} and d.author = ${owner}`);
        if (scope.followed) {
          ids.push(`select d.id from follows f cross join documents d
            where f.follower = ${owner} and d.author = f.followed and d.collection = ${collection}`);
        }
      }
      if (ids.length === 0) return { from: documents, where: '1 = 0' };
      return {
        from: `(select distinct id from (${ids.join(' union all ')}) found) readable cross join ${documents}`,
        where: `${isHere} and documents.id = readable.id`,
      };
    },
    /** Every document of the collection, with the condition that makes it readable. */
    scan(index: Path | null): Source {
      const name = index === null ? undefined : indexes.get(pathKey(index));
      const from = `documents${name === undefined ? '' : dialect.hint(name)}${dialect.parsed.from}`;
      if (scope.everything) return { from, where: isHere };
      const isMine = many === null ? `g.principal in (${principals.join(', ')})` : isOneOfMany('g.principal', many);
      const rights = [
        `exists (select 1 from document_grants g where g.document = documents.id and ${isMine} and ${readableGrants})`,
      ].filter(() => scope.principals.length > 0);
      if (owner !== null) rights.unshift(`documents.author = ${owner}`);
      if (owner !== null && scope.followed) rights.push(`documents.author in (${followedBy(owner)})`);
      return { from, where: `${isHere} and ${anyOf(rights)}` };
    },
    /** The value at a path in the form in which it is sorted. */
    plainForm,
    /** The same as an indexed expression, where there is an index. */
    sortedForm: (path: Path) => indexed(path) ?? plainForm(path),
    isIndexed: (path: Path) => indexes.has(pathKey(path)),
    /** The condition without the help of an index. */
    filter: (where: Condition | null) => allOf([work, where === null ? TRUE : compileCondition(where, context)]),
    /** Disjoint ranges of an index, of which one must contain the document; null when no index helps. */
    ranges(where: Condition | null): Ranges | null {
      if (where === null) return null;
      const { ranges, path, areEqualities, others } = indexedFilter(where, indexed, params);
      if (ranges === null) return null;
      const rest = allOf([work, ...others.map((condition) => compileCondition(condition, context))]);
      return {
        ranges,
        path,
        areEqualities,
        rest: others.length === 0 ? TRUE : rest,
        sortedRest: rest,
      };
    },
  };
}

export type Statement = ReturnType<typeof createStatement>;
