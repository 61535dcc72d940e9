import {
  type AccessScope,
  type Action,
  allows,
  type FileRecord,
  type FileSelection,
  type FileStore,
  type FoundFile,
  type Grant,
  inheritedByFile,
  isStoredId,
  type OrderKey,
  type Refusal,
  RIGHTS,
} from '@baobab/core';
import { type CriteriaDialect, createParams, type Params } from '../criteria/dialect.ts';
import { fileFields, TABLES } from '../criteria/list-fields.ts';
import { createObjectQueries } from '../criteria/object-queries.ts';
import type { MakeSource } from '../criteria/object-statement.ts';
import { createRuledAccess } from '../criteria/ruled-access.ts';
import { storedMeaning } from '../criteria/stored-fields.ts';
import { hasMany, holdGroups, isToGroup, scopeParams } from '../documents/access-scope.ts';
import { createDocumentStore } from '../documents/documents.ts';
import { addGrants, withNames } from '../documents/grants.ts';
import { FIRST_ID, LAST_ID } from '../lists/document-list-statements.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { asMissing, countOf, jsonIds } from '../statements/fragments.ts';
import { readBounded } from '../statements/pages.ts';
import { ANY_OWNED, FORGET_OWNER, type Inheritance, LEFT_BEHIND, OF_DOCUMENT } from './document-files.ts';
import * as SQL from './file-statements.ts';

const params = (id: string, scope: AccessScope): SqlValue[] => [id, ...scopeParams(scope)];

function callerOf(scope: AccessScope): SQL.CallerKind {
  if (scope.everything) return 'all';
  return hasMany(scope) ? 'many' : 'few';
}

const FIELDS = fileFields('files.');

/** Returns true if an order of the ids is descending. Null for another order. */
function directionOf([key]: readonly OrderKey[]): boolean | null {
  if (key === undefined) return false;
  return isStoredId(key) ? key.descending : null;
}

/** Returns what a caller inherits from documents; null if nothing. @param params receives the values of rules */
function inheritanceOf(scope: AccessScope, params: Params, dialect: CriteriaDialect): Inheritance | null {
  const { documents } = scope;
  if (documents === undefined) return null;
  const plain = { many: hasMany(scope), followed: documents.followed, ruled: null };
  if (documents.rules === undefined || scope.everything) return plain;
  const access = createRuledAccess({ dialect, params }, documents);
  return { ...plain, ruled: access.readByRules('d', dialect.json('d.content')) };
}

/** @param params receives the values of rules */
const readerOf = (
  scope: AccessScope,
  joinsDocuments: boolean,
  params: Params,
  dialect: CriteriaDialect,
): SQL.Reader => ({
  caller: callerOf(scope),
  hasOwned: scope.documents !== undefined,
  inheritance: joinsDocuments ? inheritanceOf(scope, params, dialect) : null,
});

/**
 * Files in an access scope.
 *
 * @param joinsDocuments see `SqlExecutor`; if false, the files do not include inherited ones
 */
export const sourceOf =
  ({ scope, document }: FileSelection, joinsDocuments: boolean): MakeSource =>
  (statement, dialect) => {
    for (const value of params('', scope)) statement.add(value);
    const source = {
      columns: SQL.COLUMNS,
      listed: SQL.LISTED,
      table: TABLES.files,
      from: SQL.joined,
      resolve: storedMeaning(dialect, FIELDS),
      sortColumn: (key: OrderKey) => (isStoredId(key) ? ({ sql: 'files.id', kind: 'id' } as const) : null),
    };
    const reader = () => readerOf(scope, joinsDocuments, statement, dialect);
    if (document !== undefined) {
      const where = `files.document = ${statement.add(document)} and ${SQL.readableFiles(reader())}`;
      return { ...source, where, whole: null };
    }
    return {
      ...source,
      where: SQL.readableFiles(reader()),
      whole: { list: 'files', isIndexed: () => true, within: () => SQL.readableIds(reader()) },
    };
  };

export function createFileStore(executor: SqlExecutor): FileStore {
  const queries = createObjectQueries(executor);
  const documents = createDocumentStore(executor);
  const source = (selection: FileSelection) => sourceOf(selection, executor.joinsDocuments());

  /** Returns the rights with those on the document of the file. Costs a read of it. */
  async function withInherited(found: FoundFile | null, scope: AccessScope): Promise<FoundFile | null> {
    if (found === null || found.document === null || scope.documents === undefined) return found;
    const document = await documents.find({ collection: null, id: found.document }, scope.documents);
    return { ...found, rights: found.rights | inheritedByFile(document?.rights ?? 0) };
  }

  async function find(id: string, scope: AccessScope): Promise<FoundFile | null> {
    return withInherited(await executor.readOne<FoundFile>(SQL.FIND(callerOf(scope)), params(id, scope)), scope);
  }

  /** Returns the reason why a checking statement changed nothing. */
  async function refusal(
    id: string,
    { documents: _documents, ...scope }: AccessScope,
    action: Action,
  ): Promise<Refusal | null> {
    const found = await find(id, scope);
    if (found === null) return 'missing';
    return allows(found.rights, action) ? null : 'denied';
  }

  /** Returns the id of a collection by its name; null for none. */
  async function collectionId(name: string | null): Promise<string | null> {
    if (name === null) return null;
    return (await executor.readOne<{ id: string }>(SQL.COLLECTION_ID, [name.toLowerCase()]))?.id ?? null;
  }

  /** Returns the reader of a list, with the values of its statement after the given ones. */
  async function listReader(scope: AccessScope, first: readonly SqlValue[]) {
    const { criteria } = executor;
    const joinsDocuments = executor.joinsDocuments();
    const isRuled = joinsDocuments && scope.documents?.rules !== undefined && !scope.everything;
    if (isRuled) await criteria.prepare(executor);
    const statement = createParams(criteria.typed, first);
    const reader = readerOf(scope, joinsDocuments, statement, criteria);
    const kind: 'search' | 'read' = isRuled ? 'search' : 'read';
    return { reader, values: statement.values, kind };
  }

  return {
    async add({ authorId, grants, ...file }) {
      const { id, fileName, contentType, size, sha256, attachedData, created, document, collection } = file;
      const place = [document, await collectionId(collection)];
      const values = [id, authorId, fileName, contentType, size, sha256, attachedData, created, ...place];
      const insert = async (target: SqlExecutor): Promise<FileRecord> => {
        await holdGroups(target, grants, 'grant.group_unknown');
        const [added] = await target.write<{ author: string }>(SQL.INSERT, values);
        await addGrants(target, SQL.FIRST_GRANTS, id, grants);
        return { ...file, author: added?.author ?? '' };
      };
      return (grants.length === 0 ? insert(executor) : executor.atomic(insert)).catch(asMissing(executor));
    },

    find,

    async remove(id, scope) {
      if ((await executor.change(SQL.REMOVE(callerOf(scope)), params(id, scope))) === 1) return 'removed';
      return (await refusal(id, scope, 'delete')) ?? 'missing';
    },

    async grant(id, scope, { principal, rights }) {
      const values = [...params(id, scope), principal, rights];
      const give = (target: SqlExecutor) => target.change(SQL.GRANT(executor)(callerOf(scope)), values);
      const giveToGroup = (transaction: SqlExecutor) =>
        holdGroups(transaction, [{ principal }], 'group.not_found').then(() => give(transaction));
      if ((await (isToGroup({ principal }) ? executor.atomic(giveToGroup) : give(executor))) === 1) return 'granted';
      return (await refusal(id, scope, 'all')) ?? 'missing';
    },

    async revoke(id, scope, { principal, action }) {
      const keep = ~RIGHTS[action] & 15;
      const changed = await executor.atomic(async (transaction) => {
        const values = [...params(id, scope), principal, keep];
        const touched = await transaction.change(SQL.REVOKE(callerOf(scope)), values);
        if (touched > 0) await transaction.change(SQL.SWEEP_GRANT, [id, principal]);
        return touched > 0;
      });
      return changed ? 'revoked' : ((await refusal(id, scope, 'all')) ?? 'absent');
    },

    async grantsOn(id) {
      return withNames(executor, await executor.read<Grant>(SQL.GRANTS_ON, [id]));
    },

    async list(wanted) {
      const { scope, document, where, order, after, skip, limit, maxBytes } = wanted;
      const descending = where === null && document === undefined ? directionOf(order) : null;
      if (descending === null) return queries.list<FileRecord>(source(wanted), wanted);
      const first = [...params(after?.id ?? (descending ? LAST_ID : FIRST_ID), scope), skip];
      const { reader, values, kind } = await listReader(scope, first);
      const text = SQL.list({ reader, isLocal: executor.isLocal, descending }, wanted);
      const rank = descending ? 'id desc' : 'id';
      const bounded = { text, values, columns: SQL.LISTED, order: rank, maxBytes };
      const rows = await readBounded<FileRecord>(executor, kind, bounded);
      return rows.length > limit ? rows.slice(0, limit) : rows;
    },

    async count(selection) {
      const { scope, document, where } = selection;
      if (where !== null || document !== undefined) return queries.count(source(selection), where);
      const { reader, values } = await listReader(scope, params('', scope));
      return countOf(executor, SQL.count(reader), values);
    },

    summarize: (summary) => queries.summarize(source(summary), summary),

    async hasOwned() {
      return (await executor.read(ANY_OWNED, [])).length > 0;
    },

    async leftBehind(limit) {
      return (await executor.read<{ id: string }>(LEFT_BEHIND, [limit])).map(({ id }) => id);
    },

    async ofDocument(document, limit) {
      return (await executor.read<{ id: string }>(OF_DOCUMENT, [document, limit])).map(({ id }) => id);
    },

    async removeLeft(ids) {
      const text = `delete from files where id in ${jsonIds(executor, '?1')}`;
      await executor.change(text, [JSON.stringify(ids)]);
    },

    async forgetDocument(document) {
      await executor.change(FORGET_OWNER, [document]);
    },

    async existing(ids) {
      const text = `select id from files where id in ${jsonIds(executor, '?1')}`;
      return (await executor.read<{ id: string }>(text, [JSON.stringify(ids)])).map(({ id }) => id);
    },
  };
}
