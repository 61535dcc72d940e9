import type { UserCredentials, UserRecord, UserStore } from '@baobab/core';
import { readOne, type SqlExecutor } from './executor.ts';

interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly status: UserRecord['status'];
  readonly generated: number;
  readonly created: number;
  readonly visible_user: string;
  readonly visible_friend: string;
  readonly visible_registered: string;
  readonly visible_anonymous: string;
}

const COLUMNS =
  'id, name, role, status, generated, created, visible_user, visible_friend, visible_registered, visible_anonymous';

const INSERT = `insert into users (${COLUMNS}, name_key, password_hash)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) on conflict do nothing`;
const BY_ID = `select ${COLUMNS} from users where id = ?1`;
const BY_KEY = `select ${COLUMNS} from users where name_key = ?1`;
const CREDENTIALS = 'select id, name, role, status, password_hash as "passwordHash" from users where name_key = ?1';

function toRecord(row: UserRow): UserRecord {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    status: row.status,
    generated: row.generated === 1,
    created: row.created,
    sections: {
      visibleByTheUser: row.visible_user,
      visibleByFriend: row.visible_friend,
      visibleByRegisteredUsers: row.visible_registered,
      visibleByAnonymousUsers: row.visible_anonymous,
    },
  };
}

export function createUserStore(executor: SqlExecutor): UserStore {
  async function one(sql: string, param: string): Promise<UserRecord | null> {
    const row = await readOne<UserRow>(executor, sql, [param]);
    return row === null ? null : toRecord(row);
  }

  return {
    async add({ id, name, role, status, generated, created, sections, key, passwordHash }) {
      const added = await executor.change(INSERT, [
        id,
        name,
        role,
        status,
        generated ? 1 : 0,
        created,
        sections.visibleByTheUser,
        sections.visibleByFriend,
        sections.visibleByRegisteredUsers,
        sections.visibleByAnonymousUsers,
        key,
        passwordHash,
      ]);
      return added === 1;
    },
    find: (id) => one(BY_ID, id),
    findByKey: (key) => one(BY_KEY, key),
    credentials: (key) => readOne<UserCredentials>(executor, CREDENTIALS, [key]),
  };
}
