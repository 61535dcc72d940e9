import {
  type AccessScope,
  type Action,
  AppError,
  allows,
  type FileRecord,
  type FileStore,
  type FoundFile,
  type Grant,
  isStoredId,
  type OrderKey,
  type Refusal,
  RIGHTS,
} from '@baobab/core';
import { hasMany, holdGroups, isToGroup, scopeParams } from './access-scope.ts';
import { readBounded } from './bounded.ts';
import { fileFields, TABLES } from './criteria/list-fields.ts';
import { createObjectQueries } from './criteria/object-queries.ts';
import type { MakeSource } from './criteria/object-statement.ts';
import { storedMeaning } from './criteria/stored-fields.ts';
import { FIRST_ID, LAST_ID, pageSize } from './document-list-statements.ts';
import type { SqlExecutor, SqlValue } from './executor.ts';
import * as SQL from './file-statements.ts';
import { withNames } from './grant-names.ts';
import { addGrants } from './grant-rows.ts';

const params = (id: string, scope: AccessScope): SqlValue[] => [id, ...scopeParams(scope)];

function callerOf(scope: AccessScope): SQL.CallerKind {
  if (scope.everything) return 'all';
  return hasMany(scope) ? 'many' : 'few';
}

const FIELDS = fileFields('files.');

/** Returns true if an order of the ids is descending. Null for another order. */
function directionOf([key]: readonly OrderKey[]): boolean | null {
  if (key === undefined) return false;
  return isStoredId(key.path) ? key.descending : null;
}

/** Files in an access scope. */
export const sourceOf =
  (scope: AccessScope): MakeSource =>
  (statement, dialect) => {
    for (const value of params('', scope)) statement.add(value);
    return {
      columns: SQL.COLUMNS,
      listed: SQL.LISTED,
      table: TABLES.files,
      from: SQL.joined,
      where: SQL.READABLE_FILES(callerOf(scope)),
      resolve: storedMeaning(dialect, FIELDS),
      sortColumn: (path) => (isStoredId(path) ? 'files.id' : null),
      whole: { list: 'files', isIndexed: () => true, within: () => SQL.READABLE_IDS(callerOf(scope)) },
    };
  };

export function createFileStore(executor: SqlExecutor): FileStore {
  const queries = createObjectQueries(executor);
  const find = (id: string, scope: AccessScope) =>
    executor.readOne<FoundFile>(SQL.FIND(callerOf(scope)), params(id, scope));

  /** Returns the reason why a checking statement changed nothing. */
  async function refusal(id: string, scope: AccessScope, action: Action): Promise<Refusal | null> {
    const found = await find(id, scope);
    if (found === null) return 'missing';
    return allows(found.rights, action) ? null : 'denied';
  }

  return {
    async add({ id, authorId, fileName, contentType, size, sha256, attachedData, created, grants }) {
      const values = [id, authorId, fileName, contentType, size, sha256, attachedData, created];
      const insert = async (target: SqlExecutor): Promise<FileRecord> => {
        await holdGroups(target, grants, 'grant.group_unknown');
        const [file] = await target.write<FileRecord>(SQL.INSERT, values);
        await addGrants(target, SQL.FIRST_GRANTS, id, grants);
        return file as FileRecord;
      };
      try {
        return await (grants.length === 0 ? insert(executor) : executor.atomic(insert));
      } catch (error) {
        throw executor.isForeignKeyViolation(error) ? new AppError('user.not_found', { cause: error }) : error;
      }
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

    async list({ scope, ...list }) {
      const { where, order, after, skip, limit, maxBytes } = list;
      const descending = where === null ? directionOf(order) : null;
      if (descending === null) return queries.list<FileRecord>(sourceOf(scope), list);
      const values = [...params(after?.id ?? (descending ? LAST_ID : FIRST_ID), scope), skip];
      const text = SQL.list({ caller: callerOf(scope), isLocal: executor.isLocal, descending }, list);
      const rank = descending ? 'id desc' : 'id';
      const bounded = { text, values, columns: SQL.LISTED, order: rank, rows: pageSize(limit), maxBytes };
      const rows = await readBounded<FileRecord>(executor, 'read', bounded);
      return rows.length > limit ? rows.slice(0, limit) : rows;
    },

    async count({ scope, where }) {
      if (where !== null) return queries.count(sourceOf(scope), where);
      return executor.count(SQL.count(callerOf(scope)), params('', scope));
    },

    summarize: ({ scope, ...summary }) => queries.summarize(sourceOf(scope), summary),

    async existing(ids) {
      const found: string[] = [];
      for (let at = 0; at < ids.length; at += SQL.IDS_AT_ONCE) {
        const rows = await executor.read<{ id: string }>(SQL.EXISTING, ids.slice(at, at + SQL.IDS_AT_ONCE));
        found.push(...rows.map(({ id }) => id));
      }
      return found;
    },
  };
}
