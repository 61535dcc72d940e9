import {
  AppError,
  allows,
  type DocumentAddress,
  type DocumentList,
  type DocumentStore,
  documentResolver,
} from '@baobab/core';
import { createDocumentOrder } from '../document-order.ts';
import { removeDocument, rightsOn, toRecord } from './access.ts';
import { recordGrants, recordRemoval, wasRemoved } from './feed.ts';
import { createSharing, type Grants, grantsOf, namedGrants, requireGroups } from './grants.ts';
import { isDuplicate } from './indexes.ts';
import { found, type ObjectView, pageOf, summaryOf, within } from './lists.ts';
import type { DocumentRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

export function createDocumentStore(state: State): Immediate<DocumentStore> {
  const { documents, collections, orphans } = state;

  const view: ObjectView<DocumentRow> = {
    resolve: (row) => documentResolver(toRecord(state, row)),
    order(keys) {
      const { placeOf, ...order } = createDocumentOrder(keys);
      return { ...order, placeOf: (row) => placeOf(toRecord(state, row)) };
    },
    texts: ({ content }) => [content],
  };

  function locate({ collection, id }: DocumentAddress): DocumentRow | null {
    const row = documents.get(id);
    return collection === null || row?.collection === collection ? row : null;
  }

  function setGrants(row: DocumentRow, grants: Grants): void {
    recordGrants(state, row, grants);
    documents.set({ ...row, grants });
  }

  const { allowed, operations } = createSharing<DocumentAddress, DocumentRow, 'removed' | 'leaving'>(state, {
    find: locate,
    rightsOn: (row, scope) => rightsOn(state, row, scope),
    setGrants,
    remove(row) {
      recordRemoval(state, row);
      return removeDocument(state, row) ? 'leaving' : 'removed';
    },
  });

  const edit: Immediate<DocumentStore>['edit'] = (address, scope, { change, by, updated, version }) =>
    allowed(address, scope, 'update', (row) => {
      if (version !== null && version !== row.version) return 'stale';
      const isReadable = allows(rightsOn(state, row, scope), 'read');
      const content = change(row.content, isReadable);
      if (content === null) return { ...toRecord(state, row), isReadable };
      if (isDuplicate(state, row, content)) throw new AppError('document.duplicate');
      const meta = { updatedBy: by, updated, version: row.version + 1, position: state.feed.current() };
      const changed = { ...row, ...meta, content };
      documents.set(changed);
      return { ...toRecord(state, changed), isReadable };
    });

  /** Returns the documents of a collection that an access scope allows reading; null if there is no collection. */
  function readable({ collection, scope }: Pick<DocumentList, 'collection' | 'scope'>) {
    if (!collections.has(collection)) return null;
    return documents.where({ collection }).filter((row) => allows(rightsOn(state, row, scope), 'read'));
  }

  return {
    ...operations,
    add({ id, isOwnId, collection, authorId, created, content, grants }) {
      if (!collections.has(collection)) return null;
      state.requireUser(authorId);
      requireGroups(state, grants, 'grant.group_unknown');
      if (isOwnId === true && (documents.has(id) || wasRemoved(state, id))) return 'taken';
      if (isDuplicate(state, { id, collection }, content)) throw new AppError('document.duplicate');
      const position = state.feed.current();
      const written = { authorId, updatedBy: authorId, version: 1, created, updated: created, position };
      const row = { id, collection, content, ...written, grants: grantsOf(grants) };
      documents.set(row);
      return toRecord(state, row);
    },
    locate: (id) => documents.get(id)?.collection ?? null,
    find(address, scope) {
      const row = locate(address);
      return row === null ? null : { ...toRecord(state, row), rights: rightsOn(state, row, scope) };
    },
    lookUp({ ids, scope, openCollections, maxBytes }) {
      const readable = ids
        .flatMap((id) => documents.get(id) ?? [])
        .filter((row) => openCollections.includes(row.collection) || allows(rightsOn(state, row, scope), 'read'));
      return within(readable, maxBytes, view.texts).map((row) => toRecord(state, row));
    },
    replace: (address, scope, { content, ...change }) => edit(address, scope, { ...change, change: () => content }),
    edit,
    // No lock is needed: transactions run sequentially.
    lock: () => undefined,
    setGrants: (address, scope, grants) =>
      allowed(address, scope, 'all', (row) => {
        requireGroups(state, grants, 'grant.group_unknown');
        setGrants(row, grantsOf(grants));
        return 'granted';
      }),
    grantsOn: (id) => namedGrants(state, documents.get(id)?.grants),
    holders(id, action) {
      const row = documents.get(id);
      const grants = [...(row?.grants ?? [])].filter(([, rights]) => allows(rights, action));
      return { authorId: row?.authorId ?? null, principals: grants.map(([principal]) => principal) };
    },
    addOrphans: orphans.set,
    orphans: (limit) => orphans.all().slice(0, limit),
    removeOrphans: (parentId) => void orphans.delete(parentId),
    list(list) {
      const rows = readable(list);
      return rows && pageOf(rows, list, view).map((row) => toRecord(state, row));
    },
    count(collection, scope, where) {
      const rows = readable({ collection, scope });
      return rows && found(rows, where, view).length;
    },
    summarize(summary) {
      const rows = readable(summary);
      return rows && summaryOf(rows, summary, view);
    },
  };
}
