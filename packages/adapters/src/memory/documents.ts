import {
  type AccessScope,
  AppError,
  allows,
  type ChangedDocument,
  type DocumentAddress,
  type DocumentStore,
  type Refusal,
} from '@baobab/core';
import { found, listed, summarized } from './document-lists.ts';
import { rightsOn, toRecord } from './document-rows.ts';
import { recordGrants, recordRemoval } from './feed.ts';
import { type Grants, grantsOf, namedGrants, withGrant, withoutGrant } from './grants.ts';
import { requireGroups } from './groups.ts';
import { within } from './searches.ts';
import type { DocumentRow, State } from './state.ts';

export function createDocumentStore(state: State): DocumentStore {
  function locate({ collection, id }: DocumentAddress): DocumentRow | undefined {
    const row = state.documents.get(id);
    return collection === null || row?.collection === collection ? row : undefined;
  }

  function edit(
    address: DocumentAddress,
    scope: AccessScope,
    { change, updated, version }: Parameters<DocumentStore['edit']>[2],
  ): ChangedDocument | Refusal | 'stale' {
    const row = locate(address);
    if (row === undefined) return 'missing';
    const rights = rightsOn(state, row, scope);
    if (!allows(rights, 'update')) return 'denied';
    const isReadable = allows(rights, 'read');
    if (version !== null && version !== row.version) return 'stale';
    const changed = {
      ...row,
      content: change(row.content, isReadable),
      updated,
      version: row.version + 1,
      position: state.feed.current(),
    };
    state.documents.set(changed);
    return { ...toRecord(state, changed), isReadable };
  }

  function setGrants(row: DocumentRow, grants: Grants): void {
    recordGrants(state, row, grants);
    state.documents.set({ ...row, grants });
  }

  const readable = (collection: string, scope: AccessScope) =>
    state.documents
      .where('collection', collection)
      .filter((row) => allows(rightsOn(state, row, scope), 'read'))
      .map((row) => toRecord(state, row));

  return {
    async add({ id, collection, authorId, created, content, grants }) {
      if (state.collections.get(collection) === undefined) return null;
      if (state.users.get(authorId) === undefined) throw new AppError('user.not_found');
      requireGroups(state, grants, 'grant.group_unknown');
      const row: DocumentRow = {
        id,
        collection,
        authorId,
        version: 1,
        created,
        updated: created,
        content,
        grants: grantsOf(grants),
        position: state.feed.current(),
      };
      state.documents.set(row);
      return toRecord(state, row);
    },
    async locate(id) {
      return state.documents.get(id)?.collection ?? null;
    },
    async find(address, scope) {
      const row = locate(address);
      return row === undefined ? null : { ...toRecord(state, row), rights: rightsOn(state, row, scope) };
    },
    async lookUp({ ids, scope, openCollections, maxBytes }) {
      const rows = ids.flatMap((id) => state.documents.get(id) ?? []);
      const seen = rows.filter(
        (row) => openCollections.includes(row.collection) || allows(rightsOn(state, row, scope), 'read'),
      );
      return within(
        seen.map((row) => toRecord(state, row)),
        maxBytes,
        ({ content }) => [content],
      );
    },
    async replace(address, scope, { content, ...change }) {
      return edit(address, scope, { ...change, change: () => content });
    },
    async edit(address, scope, change) {
      return edit(address, scope, change);
    },
    async lock() {
      // No lock is needed: transactions run sequentially.
    },
    async remove(address, scope) {
      const row = locate(address);
      if (row === undefined) return 'missing';
      if (!allows(rightsOn(state, row, scope), 'delete')) return 'denied';
      recordRemoval(state, row);
      state.documents.delete(row.id);
      return 'removed';
    },
    async grant(address, scope, grant) {
      const row = locate(address);
      if (row === undefined) return 'missing';
      if (!allows(rightsOn(state, row, scope), 'all')) return 'denied';
      requireGroups(state, [grant], 'group.not_found');
      setGrants(row, withGrant(row.grants, grant));
      return 'granted';
    },
    async revoke(address, scope, revoked) {
      const row = locate(address);
      if (row === undefined) return 'missing';
      if (!allows(rightsOn(state, row, scope), 'all')) return 'denied';
      if (!row.grants.has(revoked.principal)) return 'absent';
      setGrants(row, withoutGrant(row.grants, revoked));
      return 'revoked';
    },
    async setGrants(address, scope, grants) {
      const row = locate(address);
      if (row === undefined) return 'missing';
      if (!allows(rightsOn(state, row, scope), 'all')) return 'denied';
      requireGroups(state, grants, 'grant.group_unknown');
      setGrants(row, grantsOf(grants));
      return 'granted';
    },
    async grantsOn(id) {
      return namedGrants(state, state.documents.get(id)?.grants);
    },
    async list(list) {
      if (state.collections.get(list.collection) === undefined) return null;
      return listed(readable(list.collection, list.scope), list);
    },
    async count(collection, scope, where) {
      if (state.collections.get(collection) === undefined) return null;
      return found(readable(collection, scope), where).length;
    },
    foldTotals: async () => 0,
    async summarize(summary) {
      if (state.collections.get(summary.collection) === undefined) return null;
      return summarized(readable(summary.collection, summary.scope), summary);
    },
  };
}
