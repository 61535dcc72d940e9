import { ROLES, type Role, type RoleStore, rolePrincipal } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';
import { moveAudience, recordRemovalOfRole } from './feed-records.ts';
import { withRowLock } from './row-lock.ts';

interface RoleRow {
  readonly name: string;
  readonly description: string;
  readonly built_in: number;
}

const COLUMNS = 'name, description, built_in';
const FIND = `select ${COLUMNS} from roles where role_key = ?1`;
const LIST = `select ${COLUMNS} from roles order by role_key`;
const ADD = `insert into roles (role_key, name, description, built_in) values (?1, ?2, ?3, 0) on conflict do nothing`;
/** Locks the role, so that it cannot be assigned to a user during its removal. */
const CHANGEABLE = withRowLock(
  'update',
  (lock) => `select name, description, built_in from roles where role_key = ?1 and built_in = 0${lock}`,
);
const DESCRIBE = 'update roles set name = ?2, description = ?3 where role_key = ?1';
/** The foreign key's cascade updates users. No-op if the name is taken. */
const RENAME = `update roles set role_key = ?2, name = ?3, description = ?4
  where role_key = ?1 and not exists (select 1 from roles other where other.role_key = ?2)`;
const GRANTS = ['document_grants', 'file_grants'];
const MOVE_GRANTS = GRANTS.map((table) => `update ${table} set principal = ?2 where principal = ?1`);
const REMOVE_GRANTS = GRANTS.map((table) => `delete from ${table} where principal = ?1`);
const DEMOTE = 'update users set role = ?2 where role = ?1';
const REMOVE = 'delete from roles where role_key = ?1';

const toRole = ({ name, description, built_in }: RoleRow): Role => ({ name, description, builtIn: built_in === 1 });

export function createRoleStore(executor: SqlExecutor): RoleStore {
  return {
    async findByKey(key) {
      const row = await executor.readOne<RoleRow>(FIND, [key]);
      return row === null ? null : toRole(row);
    },
    async list() {
      const rows = await executor.read<RoleRow>(LIST, []);
      return rows.map(toRole);
    },
    async add({ name, description }) {
      return (await executor.change(ADD, [name.toLowerCase(), name, description])) === 1;
    },
    update: (key, { name, description }) =>
      executor.atomic(async (transaction) => {
        if ((await transaction.readOne(CHANGEABLE(transaction), [key])) === null) return null;
        const newKey = name.toLowerCase();
        if (newKey === key) {
          await transaction.change(DESCRIBE, [key, name, description]);
          return true;
        }
        if ((await transaction.change(RENAME, [key, newKey, name, description])) === 0) return false;
        const [from, to] = [rolePrincipal(key), rolePrincipal(newKey)];
        for (const move of MOVE_GRANTS) await transaction.change(move, [from, to]);
        await moveAudience(transaction, from, to);
        return true;
      }),
    remove: (key) =>
      executor.atomic(async (transaction) => {
        const role = await transaction.readOne<RoleRow>(CHANGEABLE(transaction), [key]);
        if (role === null) return false;
        await recordRemovalOfRole(transaction, role.name);
        await transaction.change(DEMOTE, [role.name, ROLES.registered]);
        for (const remove of REMOVE_GRANTS) await transaction.change(remove, [rolePrincipal(key)]);
        return (await transaction.change(REMOVE, [key])) === 1;
      }),
  };
}
