import {
  AppError,
  allows,
  type FileRecord,
  type FileStore,
  fileNames,
  type Reach,
  storedResolver,
  storedSortValues,
} from '@baobab/core';
import { grantsOf, rightsBy, withGrant, withoutGrant } from './grants.ts';
import { found, type Looks, pageOf, summaryOf } from './searches.ts';
import type { FileRow, State } from './state.ts';

const LOOKS: Looks<FileRecord> = {
  resolve: (file) => storedResolver(fileNames(file)),
  keys: (order, file) => storedSortValues(order, fileNames(file)),
  texts: ({ attachedData }) => [attachedData],
};

export function createFileStore(state: State): FileStore {
  function toRecord({ authorId, grants: _grants, ...row }: FileRow): FileRecord {
    return { ...row, author: state.users.get(authorId)?.name ?? '' };
  }

  const readable = (reach: Reach) =>
    state.files
      .values()
      .filter((row) => allows(rightsBy(row, reach), 'read'))
      .map(toRecord);

  return {
    async add({ grants, ...file }) {
      if (state.users.get(file.authorId) === undefined) throw new AppError('user.not_found');
      const row = { ...file, grants: grantsOf(grants) };
      state.files.set(row);
      return toRecord(row);
    },
    async find(id, reach) {
      const row = state.files.get(id);
      return row === undefined ? null : { ...toRecord(row), rights: rightsBy(row, reach) };
    },
    async remove(id, reach) {
      const row = state.files.get(id);
      if (row === undefined) return 'missing';
      if (!allows(rightsBy(row, reach), 'delete')) return 'denied';
      state.files.delete(id);
      return 'removed';
    },
    async grant(id, reach, grant) {
      const row = state.files.get(id);
      if (row === undefined) return 'missing';
      if (!allows(rightsBy(row, reach), 'all')) return 'denied';
      state.files.set({ ...row, grants: withGrant(row.grants, grant) });
      return 'granted';
    },
    async revoke(id, reach, revoked) {
      const row = state.files.get(id);
      if (row === undefined) return 'missing';
      if (!allows(rightsBy(row, reach), 'all')) return 'denied';
      state.files.set({ ...row, grants: withoutGrant(row.grants, revoked) });
      return 'revoked';
    },
    async list({ reach, ...list }) {
      return pageOf(readable(reach), list, LOOKS);
    },
    async count({ reach, where }) {
      return found(readable(reach), where, LOOKS).length;
    },
    async summarize({ reach, ...summary }) {
      return summaryOf(readable(reach), summary, LOOKS);
    },
    async existing(ids) {
      return ids.filter((id) => state.files.get(id) !== undefined);
    },
  };
}
