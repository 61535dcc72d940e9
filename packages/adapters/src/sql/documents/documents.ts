import {
  type AccessScope,
  type Action,
  AppError,
  allows,
  allowsEverywhere,
  type ChangedDocument,
  type DocumentAddress,
  type DocumentRecord,
  type DocumentStore,
  type FoundDocument,
  type Grant,
  type NewDocument,
  type PlacedDocument,
  type Refusal,
  RIGHTS,
  type SearchIndex,
  storedWords,
  sufficientRights,
  withRules,
} from '@baobab/core';
import { letsRead, readersChanged, recordAccess, recordRemoval } from '../changes/feed-records.ts';
import { leaveFiles } from '../files/document-files.ts';
import { createDocumentLists } from '../lists/document-lists.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { asMissing } from '../statements/fragments.ts';
import { hasMany, holdGroups, isToGroup, scopeParams } from './access-scope.ts';
import { createDocumentLookUps } from './document-look-ups.ts';
import * as SQL from './document-statements.ts';
import { addGrants, withNames } from './grants.ts';
import { addWithOwnId } from './own-ids.ts';

/** Maximum number of attempts if the document changes concurrently. */
const ATTEMPTS = 5;

/** Returns the variant of a statement that requires the right to `action`. */
const variant = ({ collection }: DocumentAddress, scope: AccessScope, action: Action) => ({
  anywhere: collection === null,
  everything: allowsEverywhere(scope, action),
  followed: scope.followed,
  many: hasMany(scope),
});

/** Returns the variant of a statement that returns rights by grants. Those by rules are added to the result. */
const variantOfRead = ({ collection }: DocumentAddress, scope: AccessScope) => ({
  anywhere: collection === null,
  everything: scope.everything,
  followed: scope.followed,
  many: hasMany(scope),
});

const withRuled = <Found extends FoundDocument>(found: Found | null, { ruled }: AccessScope): Found | null =>
  found === null || ruled === 0 ? found : { ...found, rights: found.rights | ruled };

const params = ({ collection, id }: DocumentAddress, scope: AccessScope): SqlValue[] => [
  collection,
  id,
  ...scopeParams(scope),
];

/** Collection and author of a locked document, as ids. */
interface LockedRow {
  readonly collection: string;
  readonly author: string;
}

interface RemovedRow {
  /** True if files belong to the document. */
  readonly hasFiles: boolean | number;
}

/** Names in a document. */
type DocumentNames = Pick<DocumentRecord, 'collection' | 'author'>;

/** A document as returned by statements that change it. */
interface ReturnedDocument extends DocumentRecord {
  /** True if the caller is the author. Null for anonymous callers. */
  readonly own: boolean | number | null;
}

/** Returns the words to store with a content; null without a search index. */
const wordsOf = (search: SearchIndex | undefined, content: string) =>
  search === undefined ? null : storedWords(search, content);

/** Returns the reason to refuse a change of the found document, or null if it is allowed. */
function refusalOf(found: FoundDocument | null, action: Action, version: number | null): Refusal | 'stale' | null {
  if (found === null) return 'missing';
  if (!allows(found.rights, action)) return 'denied';
  return version !== null && version !== found.version ? 'stale' : null;
}

export function createDocumentStore(executor: SqlExecutor): DocumentStore {
  const insertion = SQL.INSERT(executor)(executor);

  /** Handles the errors of writes of content, which violate no other constraint. @throws `document.duplicate` */
  function asDuplicate(error: unknown): never {
    throw executor.isUniqueViolation(error) ? new AppError('document.duplicate', { cause: error }) : error;
  }

  function findOn(target: SqlExecutor, address: DocumentAddress, scope: AccessScope): Promise<FoundDocument | null> {
    const statement = SQL.FIND(variantOfRead(address, scope));
    const found = target.readOne<FoundDocument>(statement, params(address, scope));
    if (scope.rules !== undefined) {
      return found.then((document) => withRules(document, scope, (...of) => findOn(target, ...of)));
    }
    return scope.ruled === 0 ? found : found.then((document) => withRuled(document, scope));
  }
  const find: DocumentStore['find'] = (address, scope) => findOn(executor, address, scope);

  /**
   * Returns true if the caller may read a changed document. Costs a read if it belongs to another user and no rule
   * allows it.
   */
  async function isReadable(
    target: SqlExecutor,
    address: DocumentAddress,
    scope: AccessScope,
    own: ReturnedDocument['own'],
  ): Promise<boolean> {
    if (own || allowsEverywhere(scope, 'read')) return true;
    return allows((await findOn(target, address, scope))?.rights ?? 0, 'read');
  }

  /** Returns the reason why a checking statement changed nothing. Null if a retry would succeed. */
  async function refusal(
    address: DocumentAddress,
    scope: AccessScope,
    action: Action,
    version: number | null = null,
  ): Promise<Refusal | 'stale' | null> {
    return refusalOf(await find(address, scope), action, version);
  }

  async function insert(
    target: SqlExecutor,
    { id, collection, authorId, created, content, grants, search }: NewDocument,
  ): Promise<DocumentRecord | null> {
    const values = [collection, id, authorId, created, content, wordsOf(search, content)];
    const [names] = await target.write<DocumentNames>(insertion, values);
    if (names === undefined) return null;
    if (grants.length > 0) await addGrants(target, SQL.FIRST_GRANTS, id, grants);
    return { id, ...names, updatedBy: names.author, version: 1, created, updated: created, content };
  }

  return {
    async add(document) {
      const { id, isOwnId, grants } = document;
      const insertInto = (target: SqlExecutor) => insert(target, document);
      const add = isOwnId === true ? (target: SqlExecutor) => addWithOwnId(target, id, insertInto) : insertInto;
      const addWithGrants = async (transaction: SqlExecutor) => {
        await holdGroups(transaction, grants, 'grant.group_unknown');
        return add(transaction);
      };
      const added = grants.length === 0 ? add(executor) : executor.atomic(addWithGrants);
      return added.catch(asMissing(executor)).catch(asDuplicate);
    },

    async locate(id) {
      return (await executor.readOne<{ collection: string }>(SQL.LOCATE, [id]))?.collection ?? null;
    },

    find,

    async replace(address, scope, { content, by, updated, version, search }) {
      const words = wordsOf(search, content);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const values = [...params(address, scope), content, updated, version, by, words];
        const text = SQL.REPLACE(executor)(variant(address, scope, 'update'));
        const [document] = await executor.write<ReturnedDocument>(text, values).catch(asDuplicate);
        if (document !== undefined) {
          const { own, ...changed } = document;
          return { ...changed, isReadable: await isReadable(executor, address, scope, own) };
        }
        const refused = await refusal(address, scope, 'update', version);
        if (refused !== null) return refused;
      }
      throw new AppError('document.busy');
    },

    async edit(address, scope, { change, by, updated, version, search }) {
      const write = async (
        target: SqlExecutor,
        from: DocumentRecord,
        isReadable: boolean,
      ): Promise<ChangedDocument | null> => {
        const content = change(from.content, isReadable);
        if (content === null) return { ...from, isReadable };
        const words = wordsOf(search, content);
        const values = [...params(address, scope), content, updated, from.version, by, words];
        const edited = SQL.REPLACE(target)(variant(address, scope, 'update'));
        const [document] = await target.write<ReturnedDocument>(edited, values).catch(asDuplicate);
        if (document === undefined) return null;
        const { own: _own, ...changed } = document;
        return { ...changed, isReadable };
      };
      const found = await find(address, scope);
      const refused = refusalOf(found, 'update', version);
      if (found === null || refused !== null) return refused ?? 'missing';
      const { rights, ...known } = found;
      const changed = await write(executor, known, allows(rights, 'read'));
      if (changed !== null) return changed;
      // Another writer was faster. Optimistic retries may starve if many change one document, so the row is locked.
      const inTurn = await executor.atomic(async (transaction) => {
        const [locked] = await transaction.write<ReturnedDocument>(
          SQL.LOCK_TO_UPDATE(variant(address, scope, 'update')),
          params(address, scope),
        );
        if (locked === undefined) return null;
        if (version !== null && version !== locked.version) return 'stale';
        const { own, ...current } = locked;
        return write(transaction, current, await isReadable(transaction, address, scope, own));
      });
      if (inTurn !== null) return inTurn;
      const why = await refusal(address, scope, 'update', version);
      if (why !== null) return why;
      throw new AppError('document.busy');
    },

    async lock(ids) {
      if (!executor.isLocal) await executor.read(SQL.LOCK_ALL, [ids.join(',')]);
    },

    async remove(address, scope) {
      const remove = async (transaction: SqlExecutor) => {
        const text = SQL.LOCK_TO_REMOVE(transaction)(variant(address, scope, 'delete'));
        const [found] = await transaction.write<LockedRow>(text, params(address, scope));
        if (found === undefined) return null;
        await recordRemoval(transaction, { ...found, id: address.id });
        const [removed] = await transaction.write<RemovedRow>(SQL.REMOVE, [found.collection, address.id]);
        if (removed === undefined) return null;
        return removed.hasFiles && (await leaveFiles(transaction, [address.id])) ? 'leaving' : 'removed';
      };
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const removed = await executor.atomic(remove);
        if (removed !== null) return removed;
        const refused = await refusal(address, scope, 'delete');
        if (refused === 'missing' || refused === 'denied') return refused;
      }
      throw new AppError('document.busy');
    },

    async grant(address, scope, { principal, rights }) {
      const text = SQL.GRANT(executor)(variant(address, scope, 'all'));
      const values = [...params(address, scope), principal, rights];
      const give = async (transaction: SqlExecutor) => {
        await holdGroups(transaction, [{ principal }], 'group.not_found');
        const given = await transaction.change(text, values);
        if (given === 1 && letsRead(rights)) await recordAccess(transaction, address.id, [principal]);
        return given;
      };
      const isCompound = isToGroup({ principal }) || letsRead(rights);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const given = await (isCompound ? executor.atomic(give) : executor.change(text, values));
        if (given === 1) return 'granted';
        const refused = await refusal(address, scope, 'all');
        if (refused === 'missing' || refused === 'denied') return refused;
      }
      throw new AppError('document.busy');
    },

    async revoke(address, scope, { principal, action }) {
      const changed = await executor.atomic(async (transaction) => {
        const text = SQL.LOCK_GRANT(transaction)(variant(address, scope, 'all'));
        const values = [...params(address, scope), principal];
        const [held] = await transaction.write<{ rights: number }>(text, values);
        if (held === undefined) return false;
        const kept = held.rights & ~RIGHTS[action];
        const grant = [address.id, principal];
        await (kept === 0
          ? transaction.change(SQL.REMOVE_GRANT, grant)
          : transaction.change(SQL.KEEP_RIGHTS, [...grant, kept]));
        if (letsRead(held.rights) && !letsRead(kept)) await recordAccess(transaction, address.id, [principal]);
        return true;
      });
      if (changed) return 'revoked';
      const refused = await refusal(address, scope, 'all');
      return refused === 'missing' || refused === 'denied' ? refused : 'absent';
    },

    async setGrants(address, scope, grants) {
      const isSet = await executor.atomic(async (transaction) => {
        const text = SQL.LOCK_TO_GRANT(transaction)(variant(address, scope, 'all'));
        if ((await transaction.write(text, params(address, scope))).length === 0) return false;
        await holdGroups(transaction, grants, 'grant.group_unknown');
        const before = await transaction.write<Grant>(SQL.CLEAR_GRANTS, [address.id]);
        await addGrants(transaction, SQL.SET_GRANTS, address.id, grants);
        await recordAccess(transaction, address.id, readersChanged(before, grants));
        return true;
      });
      if (isSet) return 'granted';
      const refused = await refusal(address, scope, 'all');
      if (refused === 'missing' || refused === 'denied') return refused;
      throw new AppError('document.busy');
    },

    async grantsOn(id) {
      return withNames(executor, await executor.read<Grant>(SQL.GRANTS_ON, [id]));
    },

    async holders(id, action) {
      const values = [id, sufficientRights(action)];
      const rows = await executor.read<{ authorId: string; principal: string | null }>(SQL.HOLDERS, values);
      return {
        authorId: rows[0]?.authorId ?? null,
        principals: rows.flatMap(({ principal }) => principal ?? []),
      };
    },

    async addOrphans({ collection, id }) {
      await executor.change(SQL.ADD_ORPHANS, [id, collection]);
    },

    orphans: (limit) => executor.read<PlacedDocument>(SQL.ORPHANS, [limit]),

    async removeOrphans(parentId) {
      await executor.change(SQL.REMOVE_ORPHANS, [parentId]);
    },

    ...createDocumentLists(executor),
    ...createDocumentLookUps(executor),
  };
}
