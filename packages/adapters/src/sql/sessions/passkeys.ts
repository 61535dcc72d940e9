import type { Passkey, PasskeyStore } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, changesOne } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';

type PasskeyRow = Omit<Passkey, 'transports'> & {
  /** A JSON array. */
  readonly transports: string;
};

const COLUMNS = `id, user_id as "userId", credential, public_key as "publicKey", counter, transports, name, created,
  last_used as "lastUsed"`;
const ADD = onCopies(`insert into passkeys (id, user_id, credential, public_key, counter, transports, name, created)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) on conflict (credential) do nothing`);
const FIND = `select ${COLUMNS} from passkeys where credential = ?1`;
const LIST = `select ${COLUMNS} from passkeys where user_id = ?1 order by created, id`;
const USE = onCopies(`update passkeys set counter = ?2,
  last_used = case when last_used is null or last_used < ?3 then ?3 else last_used end
  where id = ?1 and (counter < ?2 or (counter = 0 and ?2 = 0))`);
const RENAME = onCopies('update passkeys set name = ?3 where user_id = ?1 and id = ?2');
const REMOVE = onCopies('delete from passkeys where user_id = ?1 and id = ?2');
const REMOVE_OF_USER = onCopies('delete from passkeys where user_id = ?1');

const toPasskey = ({ transports, ...row }: PasskeyRow): Passkey => ({ ...row, transports: JSON.parse(transports) });

export function createPasskeyStore(executor: SqlExecutor): PasskeyStore {
  return {
    async add({ id, userId, credential, publicKey, counter, transports, name, created }) {
      const values = [id, userId, credential, publicKey, counter, JSON.stringify(transports), name, created];
      return (await executor.change(ADD, values).catch(asMissing(executor))) === 1;
    },
    async find(credential) {
      const row = await executor.readOne<PasskeyRow>(FIND, [credential]);
      return row === null ? null : toPasskey(row);
    },
    async list(userId) {
      return (await executor.read<PasskeyRow>(LIST, [userId])).map(toPasskey);
    },
    use: ({ id, counter, at }) => changesOne(executor, USE, [id, counter, at]),
    rename: (userId, id, name) => changesOne(executor, RENAME, [userId, id, name]),
    remove: (userId, id) => changesOne(executor, REMOVE, [userId, id]),
    removeOfUser: (userId) => executor.change(REMOVE_OF_USER, [userId]),
  };
}
