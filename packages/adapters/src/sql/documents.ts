import {
  type Action,
  AppError,
  allows,
  type DocumentAddress,
  type DocumentRecord,
  type DocumentStore,
  type EditState,
  type FoundDocument,
  type Grant,
  type NamedGrant,
  parsePrincipal,
  type Reach,
  type Refusal,
  RIGHTS,
} from '@baobab/core';
import { createDocumentLists } from './document-lists.ts';
import { reachParams } from './document-reach.ts';
import * as SQL from './document-statements.ts';
import type { SqlExecutor, SqlValue } from './executor.ts';
import { addGrants } from './grant-rows.ts';

/** A changed document is looked at again this often when it changes under our eyes. */
const ATTEMPTS = 5;

const variant = ({ collection }: DocumentAddress, { everything, followed }: Reach) => ({
  anywhere: collection === null,
  everything,
  followed,
});

const params = ({ collection, id }: DocumentAddress, reach: Reach): SqlValue[] => [
  collection,
  id,
  ...reachParams(reach),
];

/** A document with what edits leave. */
type Traced = DocumentRecord & EditState;

/** Why a change of what was found is not made; null when it may be. */
function refusalOf(found: FoundDocument | null, action: Action, version: number | null): Refusal | 'stale' | null {
  if (found === null) return 'missing';
  if (!allows(found.rights, action)) return 'denied';
  return version !== null && version !== found.version ? 'stale' : null;
}

export function createDocumentStore(executor: SqlExecutor): DocumentStore {
  function find(address: DocumentAddress, reach: Reach): Promise<FoundDocument | null> {
    return executor.readOne<FoundDocument>(SQL.FIND(variant(address, reach)), params(address, reach));
  }

  /** Why a statement that checks everything itself changed nothing. Null: by now it would. */
  async function refusal(
    address: DocumentAddress,
    reach: Reach,
    action: Action,
    version: number | null = null,
  ): Promise<Refusal | 'stale' | null> {
    return refusalOf(await find(address, reach), action, version);
  }

  async function insert(
    target: SqlExecutor,
    values: readonly SqlValue[],
    grants: readonly Grant[],
  ): Promise<DocumentRecord | null> {
    const [document] = await target.write<DocumentRecord>(SQL.INSERT(target), values);
    if (document === undefined) return null;
    await addGrants(target, SQL.FIRST_GRANTS, document.id, grants);
    return document;
  }

  async function namesOf(kind: NamedGrant['kind'], keys: readonly string[]): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    for (let at = 0; at < keys.length; at += SQL.NAMES_AT_ONCE) {
      const page = keys.slice(at, at + SQL.NAMES_AT_ONCE);
      const rows = await executor.read<{ key: string; name: string }>(SQL.NAMES[kind], page);
      for (const { key, name } of rows) names.set(key, name);
    }
    return names;
  }

  return {
    async add({ id, collection, authorId, created, content, grants }) {
      const values = [collection, id, authorId, created, content];
      try {
        if (grants.length === 0) return await insert(executor, values, grants);
        return await executor.atomic((transaction) => insert(transaction, values, grants));
      } catch (error) {
        throw executor.isForeignKeyViolation(error) ? new AppError('user.not_found', { cause: error }) : error;
      }
    },

    find,

    async replace(address, reach, { content, updated, version }) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const values = [...params(address, reach), content, updated, version];
        const [document] = await executor.write<DocumentRecord>(SQL.REPLACE(variant(address, reach)), values);
        if (document !== undefined) return document;
        const refused = await refusal(address, reach, 'update', version);
        if (refused !== null) return refused;
      }
      throw new AppError('document.busy');
    },

    async edit(address, reach, { change, updated, version }) {
      const write = async (target: SqlExecutor, from: Traced): Promise<DocumentRecord | null> => {
        const { content, trace } = change(from);
        const values = [...params(address, reach), content, updated, from.version, trace];
        const [document] = await target.write<DocumentRecord>(SQL.EDIT(variant(address, reach)), values);
        return document ?? null;
      };
      const text = SQL.FIND_TO_EDIT(variant(address, reach));
      const found = await executor.readOne<FoundDocument & Traced>(text, params(address, reach));
      const refused = refusalOf(found, 'update', version);
      if (found === null || refused !== null) return refused ?? 'missing';
      const changed = await write(executor, found);
      if (changed !== null) return changed;
      // Somebody was faster. Trying again might go on like this for long where many change one document.
      const inTurn = await executor.atomic(async (transaction) => {
        const [locked] = await transaction.write<Traced>(
          SQL.LOCK_TO_UPDATE(variant(address, reach)),
          params(address, reach),
        );
        if (locked === undefined) return null;
        if (version !== null && version !== locked.version) return 'stale';
        return write(transaction, locked);
      });
      if (inTurn !== null) return inTurn;
      const why = await refusal(address, reach, 'update', version);
      if (why !== null) return why;
      throw new AppError('document.busy');
    },

    async lock(ids) {
      if (executor.takesTurns) return;
      const inOrder = ids.toSorted();
      for (let at = 0; at < inOrder.length; at += SQL.NAMES_AT_ONCE) {
        await executor.read(SQL.LOCK_ALL, inOrder.slice(at, at + SQL.NAMES_AT_ONCE));
      }
    },

    async remove(address, reach) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if ((await executor.change(SQL.REMOVE(variant(address, reach)), params(address, reach))) === 1)
          return 'removed';
        const refused = await refusal(address, reach, 'delete');
        if (refused === 'missing' || refused === 'denied') return refused;
      }
      throw new AppError('document.busy');
    },

    async grant(address, reach, { principal, rights }) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const values = [...params(address, reach), principal, rights];
        if ((await executor.change(SQL.GRANT(executor)(variant(address, reach)), values)) === 1) return 'granted';
        const refused = await refusal(address, reach, 'all');
        if (refused === 'missing' || refused === 'denied') return refused;
      }
      throw new AppError('document.busy');
    },

    async revoke(address, reach, { principal, action }) {
      const keep = ~RIGHTS[action] & 15;
      const changed = await executor.atomic(async (transaction) => {
        const values = [...params(address, reach), principal, keep];
        const touched = await transaction.change(SQL.REVOKE(variant(address, reach)), values);
        if (touched > 0) await transaction.change(SQL.SWEEP_GRANT, [address.id, principal]);
        return touched > 0;
      });
      if (changed) return 'revoked';
      const refused = await refusal(address, reach, 'all');
      return refused === 'missing' || refused === 'denied' ? refused : 'revoked';
    },

    async setGrants(address, reach, grants) {
      const isSet = await executor.atomic(async (transaction) => {
        const locked = await transaction.write(SQL.LOCK_TO_GRANT(variant(address, reach)), params(address, reach));
        if (locked.length === 0) return false;
        await transaction.change(SQL.CLEAR_GRANTS, [address.id]);
        await addGrants(transaction, SQL.SET_GRANTS, address.id, grants);
        return true;
      });
      if (isSet) return 'granted';
      const refused = await refusal(address, reach, 'all');
      if (refused === 'missing' || refused === 'denied') return refused;
      throw new AppError('document.busy');
    },

    async grantsOn(id) {
      const grants = await executor.read<Grant>(SQL.GRANTS_ON, [id]);
      const held = grants.map(({ principal, rights }) => ({ ...parsePrincipal(principal), rights }));
      const keysOf = (wanted: NamedGrant['kind']) => held.flatMap(({ kind, key }) => (kind === wanted ? [key] : []));
      const names = { user: await namesOf('user', keysOf('user')), role: await namesOf('role', keysOf('role')) };
      return held.flatMap(({ kind, key, rights }) => {
        const name = names[kind].get(key);
        return name === undefined ? [] : [{ kind, name, rights }];
      });
    },

    ...createDocumentLists(executor),
  };
}
