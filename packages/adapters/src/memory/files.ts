import {
  type AccessScope,
  allows,
  type FileRecord,
  type FileSelection,
  type FileStore,
  fileNames,
  inheritedByFile,
  type Rights,
  storedResolver,
  storedSortValues,
} from '@baobab/core';
import { rightsOn } from './access.ts';
import { createSharing, grantsOf, namedGrants, requireGroups, rightsBy } from './grants.ts';
import { found, type ObjectView, orderBy, pageOf, summaryOf } from './lists.ts';
import type { FileRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

const VIEW: ObjectView<FileRecord> = {
  resolve: (file) => storedResolver(fileNames(file)),
  order: orderBy((keys, file) => storedSortValues(keys, fileNames(file))),
  texts: ({ attachedData }) => [attachedData],
};

export function createFileStore(state: State): Immediate<FileStore> {
  const { files, documents, leftFiles } = state;

  function toRecord({ authorId, grants: _grants, ...row }: FileRow): FileRecord {
    return { ...row, author: state.users.get(authorId)?.name ?? '' };
  }

  /** Returns a file, unless its document is removed. */
  function visible(id: string): FileRow | null {
    const row = files.get(id);
    return row === null || row.document === null || documents.has(row.document) ? row : null;
  }

  /** Returns the rights on a file, with those that it inherits. */
  function rightsWithInherited(row: FileRow, scope: AccessScope): Rights {
    const document = row.document === null ? null : documents.get(row.document);
    if (document === null || scope.documents === undefined) return rightsBy(row, scope);
    return rightsBy(row, scope) | inheritedByFile(rightsOn(state, document, scope.documents));
  }

  const { operations } = createSharing<string, FileRow, 'removed'>(state, {
    find: visible,
    rightsOn: rightsBy,
    setGrants: (row, grants) => files.set({ ...row, grants }),
    remove({ id }) {
      files.delete(id);
      return 'removed';
    },
  });

  const readable = ({ scope, document }: Pick<FileSelection, 'scope' | 'document'>) =>
    files
      .where(document === undefined ? {} : { document })
      .filter((row) => visible(row.id) !== null && allows(rightsWithInherited(row, scope), 'read'))
      .map(toRecord);

  return {
    ...operations,
    add({ grants, ...file }) {
      requireGroups(state, grants, 'grant.group_unknown');
      const row = { ...file, grants: grantsOf(grants) };
      files.set(row);
      return toRecord(row);
    },
    find(id, scope) {
      const row = visible(id);
      return row === null ? null : { ...toRecord(row), rights: rightsWithInherited(row, scope) };
    },
    grantsOn: (id) => namedGrants(state, files.get(id)?.grants),
    list: (list) => pageOf(readable(list), list, VIEW),
    count: (selection) => found(readable(selection), selection.where, VIEW).length,
    summarize: (summary) => summaryOf(readable(summary), summary, VIEW),
    hasOwned: () => files.all().some(({ document }) => document !== null),
    leftBehind: (limit) => leftFiles.where({}, limit).map(({ document }) => document),
    ofDocument: (document, limit) => files.where({ document }, limit).map(({ id }) => id),
    removeLeft(ids) {
      for (const id of ids) files.delete(id);
    },
    forgetDocument: (document) => void leftFiles.delete(document),
    existing: (ids) => ids.filter((id) => files.has(id)),
  };
}
