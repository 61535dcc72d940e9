import { type ApiKeyStore, type ApiKeyWithOwner, AppError, type UserStatus } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, countOf } from '../statements/fragments.ts';

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly owner: string;
  readonly created: number;
  readonly expires: number | null;
  readonly last_used: number | null;
}

interface OwnedKeyRow extends KeyRow {
  readonly owner_name: string;
  readonly owner_role: string;
  readonly owner_status: UserStatus;
}

const COLUMNS = 'id, name, role, owner, created, expires, last_used';
const COUNT = 'select count(*) as n from api_keys';
const HAS_OWNER = 'select count(*) as n from users where id = ?1';
const ADD = `insert into api_keys (id, name, role, owner, created, expires, digest)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7)`;
const OWNED = `select k.id, k.name, k.role, k.owner, k.created, k.expires, k.last_used,
    u.name as owner_name, u.role as owner_role, u.status as owner_status
  from api_keys k join users u on u.id = k.owner`;
const FIND = `${OWNED} where k.id = ?1`;
const FIND_BY_DIGEST = `${OWNED} where k.digest = ?1`;
const LIST = `${OWNED} order by k.id`;
const TOUCH = 'update api_keys set last_used = ?2 where id = ?1 and (last_used is null or last_used <= ?3)';
const REMOVE = `delete from api_keys where id = ?1 returning ${COLUMNS}`;

const toKey = ({ owner: ownerId, last_used: lastUsed, id, name, role, created, expires }: KeyRow) => ({
  id,
  name,
  role,
  ownerId,
  created,
  expires,
  lastUsed,
});

const toOwned = (row: OwnedKeyRow): ApiKeyWithOwner => ({
  ...toKey(row),
  owner: { id: row.owner, name: row.owner_name, role: row.owner_role, status: row.owner_status },
});

export function createApiKeyStore(executor: SqlExecutor): ApiKeyStore {
  async function findBy(statement: string, value: string): Promise<ApiKeyWithOwner | null> {
    const row = await executor.readOne<OwnedKeyRow>(statement, [value]);
    return row === null ? null : toOwned(row);
  }

  return {
    add: ({ id, name, role, ownerId, created, expires, digest }, most) =>
      executor.atomic(async (transaction) => {
        if ((await countOf(transaction, COUNT, [])) >= most) return false;
        if ((await countOf(transaction, HAS_OWNER, [ownerId])) === 0) throw new AppError('user.not_found');
        await transaction
          .change(ADD, [id, name, role, ownerId, created, expires, digest])
          .catch(asMissing(transaction, 'role.not_found'));
        return true;
      }),
    find: (id) => findBy(FIND, id),
    findByDigest: (digest) => findBy(FIND_BY_DIGEST, digest),
    async list() {
      return (await executor.read<OwnedKeyRow>(LIST, [])).map(toOwned);
    },
    async touch({ id, at, since }) {
      await executor.change(TOUCH, [id, at, since]);
    },
    async remove(id) {
      const [row] = await executor.write<KeyRow>(REMOVE, [id]);
      return row === undefined ? null : toKey(row);
    },
  };
}
