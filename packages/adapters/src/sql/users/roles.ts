import { type Principal, ROLES, type Role, type RoleStore, rolePrincipal } from '@baobab/core';
import { moveAudience, recordRemovalOfRole } from '../changes/feed-records.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { withRowLock } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';

interface RoleRow {
  readonly name: string;
  readonly description: string;
  readonly built_in: number;
}

const COLUMNS = 'name, description, built_in';
const FIND = `select ${COLUMNS} from roles where role_key = ?1`;
const LIST = `select ${COLUMNS} from roles order by role_key`;
const ADD = onCopies(
  `insert into roles (role_key, name, description, built_in) values (?1, ?2, ?3, 0) on conflict do nothing`,
);
/** Locks the role, so that it cannot be assigned to a user during its removal. */
const CHANGEABLE = withRowLock('update', (lock) =>
  onCopies(`select name, description, built_in from roles where role_key = ?1 and built_in = 0${lock}`),
);
const DESCRIBE = onCopies('update roles set name = ?2, description = ?3 where role_key = ?1');
/** The foreign key's cascade updates users. No-op if the name is taken. */
const RENAME = onCopies(`update roles set role_key = ?2, name = ?3, description = ?4
  where role_key = ?1 and not exists (select 1 from roles other where other.role_key = ?2)`);
const GRANTS = ['document_grants', 'file_grants'];
const MOVE_GRANTS = GRANTS.map((table) => `update ${table} set principal = ?2 where principal = ?1`);
const REMOVE_GRANTS = GRANTS.map((table) => `delete from ${table} where principal = ?1`);
const DEMOTE = onCopies('update users set role = ?2 where role = ?1');
const REMOVE = onCopies('delete from roles where role_key = ?1');

const toRole = ({ name, description, built_in }: RoleRow): Role => ({ name, description, builtIn: built_in === 1 });

/** Also for a new role: a grant that was made during the removal of a former role with its name may be left. */
async function removeGrants(transaction: SqlExecutor, principal: Principal): Promise<void> {
  for (const remove of REMOVE_GRANTS) await transaction.change(remove, [principal]);
}

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
    add: ({ name, description }) =>
      executor.atomic(async (transaction) => {
        const key = name.toLowerCase();
        if ((await transaction.change(ADD, [key, name, description])) === 0) return false;
        await removeGrants(transaction, rolePrincipal(key));
        return true;
      }),
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
        await removeGrants(transaction, to);
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
        await removeGrants(transaction, rolePrincipal(key));
        return (await transaction.change(REMOVE, [key])) === 1;
      }),
  };
}
