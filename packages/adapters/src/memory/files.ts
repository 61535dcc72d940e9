import {
  type AccessScope,
  AppError,
  allows,
  type FileRecord,
  type FileStore,
  fileNames,
  storedResolver,
  storedSortValues,
} from '@baobab/core';
import { grantsOf, namedGrants, rightsBy, withGrant, withoutGrant } from './grants.ts';
import { requireGroups } from './groups.ts';
import { found, type ObjectView, pageOf, summaryOf } from './searches.ts';
import type { FileRow, State } from './state.ts';

const LOOKS: ObjectView<FileRecord> = {
  resolve: (file) => storedResolver(fileNames(file)),
  keys: (order, file) => storedSortValues(order, fileNames(file)),
  texts: ({ attachedData }) => [attachedData],
};

export function createFileStore(state: State): FileStore {
  function toRecord({ authorId, grants: _grants, ...row }: FileRow): FileRecord {
    return { ...row, author: state.users.get(authorId)?.name ?? '' };
  }

  const readable = (scope: AccessScope) =>
    state.files
      .values()
      .filter((row) => allows(rightsBy(row, scope), 'read'))
      .map(toRecord);

  return {
    async add({ grants, ...file }) {
      if (state.users.get(file.authorId) === undefined) throw new AppError('user.not_found');
      requireGroups(state, grants, 'grant.group_unknown');
      const row = { ...file, grants: grantsOf(grants) };
      state.files.set(row);
      return toRecord(row);
    },
    async find(id, scope) {
      const row = state.files.get(id);
      return row === undefined ? null : { ...toRecord(row), rights: rightsBy(row, scope) };
    },
    async remove(id, scope) {
      const row = state.files.get(id);
      if (row === undefined) return 'missing';
      if (!allows(rightsBy(row, scope), 'delete')) return 'denied';
      state.files.delete(id);
      return 'removed';
    },
    async grant(id, scope, grant) {
      const row = state.files.get(id);
      if (row === undefined) return 'missing';
      if (!allows(rightsBy(row, scope), 'all')) return 'denied';
      requireGroups(state, [grant], 'group.not_found');
      state.files.set({ ...row, grants: withGrant(row.grants, grant) });
      return 'granted';
    },
    async revoke(id, scope, revoked) {
      const row = state.files.get(id);
      if (row === undefined) return 'missing';
      if (!allows(rightsBy(row, scope), 'all')) return 'denied';
      if (!row.grants.has(revoked.principal)) return 'absent';
      state.files.set({ ...row, grants: withoutGrant(row.grants, revoked) });
      return 'revoked';
    },
    async grantsOn(id) {
      return namedGrants(state, state.files.get(id)?.grants);
    },
    async list({ scope, ...list }) {
      return pageOf(readable(scope), list, LOOKS);
    },
    async count({ scope, where }) {
      return found(readable(scope), where, LOOKS).length;
    },
    async summarize({ scope, ...summary }) {
      return summaryOf(readable(scope), summary, LOOKS);
    },
    async existing(ids) {
      return ids.filter((id) => state.files.get(id) !== undefined);
    },
  };
}
