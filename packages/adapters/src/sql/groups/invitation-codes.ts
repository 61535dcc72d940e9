import {
  type FoundCode,
  type InvitationCodeStore,
  KEPT_CODE_MS,
  type ListedCode,
  MAX_CODE_LIFETIME_MS,
} from '@baobab/core';
import { FIRST_ID } from '../lists/document-list-statements.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { changesOne, countOf, isThere } from '../statements/fragments.ts';
import { isOpenTo } from '../users/user-rows.ts';

const ADD = `insert into invitation_codes (id, digest, group_id, invited_by, role, email, uses, expires)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`;
const COLUMNS = 'c.id, c.role, c.email, c.uses, c.expires, b.name as "by"';
const FROM = `invitation_codes c join users b on b.id = c.invited_by and ${isThere('b.name')}`;
const FIND = `select ${COLUMNS}, c.group_id, g.name as group_name, g.created from ${FROM}
    join user_groups g on g.id = c.group_id
  where c.digest = ?1 and c.expires > ?2 and b.status = 'ACTIVE'`;
const FIND_FOR = `${FIND} and ${isOpenTo('c.invited_by', '?3')}`;
const USE = `update invitation_codes
  set uses = uses - 1, expires = case when uses = 1 and expires > ?3 then ?3 else expires end
  where id = ?1 and uses > 0 and expires > ?2`;
const COUNT = 'select count(*) as n from invitation_codes where group_id = ?1 and expires > ?2 and uses > 0';
const LIST = `select ${COLUMNS} from ${FROM}
  where c.group_id = ?1 and c.expires > ?2 and c.uses > 0 and c.id > ?3 order by c.id limit ?4 offset ?5`;
const REMOVE = 'delete from invitation_codes where group_id = ?1 and id = ?2 and uses > 0';
const REMOVE_OF = 'delete from invitation_codes where group_id = ?1 and invited_by = ?2';
const REMOVE_OF_OWNER = `delete from invitation_codes where group_id = ?1
  and invited_by = (select user_id from group_members where group_id = ?1 and role = 'owner')`;
const REMOVE_ALL_OF = 'delete from invitation_codes where invited_by = ?1';
const RECORD_REMOVAL = `insert into removed_members (user_id, group_id, removed, expires) values (?1, ?2, ?3, ?4)
  on conflict (user_id, group_id) do update set removed = excluded.removed, expires = excluded.expires`;
const LAST_REMOVAL = 'select removed from removed_members where user_id = ?1 and group_id = ?2';

interface FoundRow extends ListedCode {
  readonly group_id: string;
  readonly group_name: string;
  readonly created: number;
}

export function createInvitationCodeStore(executor: SqlExecutor): InvitationCodeStore {
  return {
    async add({ id, groupId, by, role, email, uses, expires }, digest) {
      await executor.change(ADD, [id, digest, groupId, by, role, email, uses, expires]);
    },
    async find(digest, now, viewer): Promise<FoundCode | null> {
      const row = await (viewer === null
        ? executor.readOne<FoundRow>(FIND, [digest, now])
        : executor.readOne<FoundRow>(FIND_FOR, [digest, now, viewer]));
      if (row === null) return null;
      const { group_id: id, group_name: name, created, ...code } = row;
      return { ...code, group: { id, name, created } };
    },
    use: (id, now) => changesOne(executor, USE, [id, now, now + KEPT_CODE_MS]),
    count: (groupId, now) => countOf(executor, COUNT, [groupId, now]),
    list: (groupId, now, { after, skip, limit }) =>
      executor.read<ListedCode>(LIST, [groupId, now, after ?? FIRST_ID, limit, skip]),
    remove: (groupId, id) => changesOne(executor, REMOVE, [groupId, id]),
    async removeOf(groupId, userId) {
      await executor.change(REMOVE_OF, [groupId, userId]);
    },
    async removeOfOwner(groupId) {
      await executor.change(REMOVE_OF_OWNER, [groupId]);
    },
    async removeAllOf(userId) {
      await executor.change(REMOVE_ALL_OF, [userId]);
    },
    async recordRemoval({ groupId, userId, removed }) {
      await executor.change(RECORD_REMOVAL, [userId, groupId, removed, removed + MAX_CODE_LIFETIME_MS]);
    },
    async lastRemoval(groupId, userId) {
      return (await executor.readOne<{ removed: number }>(LAST_REMOVAL, [userId, groupId]))?.removed ?? null;
    },
  };
}
