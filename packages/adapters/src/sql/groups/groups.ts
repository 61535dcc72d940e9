import type { CountedGroup, GroupCounts, GroupMember, GroupStore, OwnGroup } from '@baobab/core';
import { FIRST_ID } from '../lists/document-list-statements.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, changesOne, countOf, isThere, withRowLock } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';
import { createGroupRemoval, removeGroup } from './group-removal.ts';

const INSERT = 'insert into user_groups (id, name, created) values (?1, ?2, ?3)';
const JOIN = 'insert into group_members (group_id, user_id, role, joined, counted) values (?1, ?2, ?3, ?4, ?5)';
const FIND = `select g.id, g.name, g.created, m.role from user_groups g
  left join group_members m on m.group_id = g.id and m.user_id = ?2 where g.id = ?1`;
const OF_USER = `select g.id, g.name, g.created, m.role from group_members m join user_groups g on g.id = m.group_id
  where m.user_id = ?1 order by m.group_id limit ?2`;
const LIST = `select g.id, g.name, g.created,
    (select count(*) from group_members m where m.group_id = g.id) as members
  from user_groups g where g.id > ?1 order by g.id limit ?2 offset ?3`;
const MEMBERS = `select m.user_id as "userId", u.name, m.role from group_members m join users u on u.id = m.user_id
  where m.group_id = ?1 and m.user_id > ?2 order by m.user_id limit ?3 offset ?4`;
const SIZE = 'select count(*) as n from group_members where group_id = ?1';
const LOCK_USER = withRowLock('no key update', (lock) =>
  onCopies(`select name from users where id = ?1 and ${isThere()}${lock}`),
);
const COUNT_OF_USER = `select count(case when counted = 1 then 1 end) as counted,
    count(case when counted = 0 then 1 end) as given
  from group_members where user_id = ?1`;
const LOCK = withRowLock('no key update', (lock) => `select id from user_groups where id = ?1${lock}`);
const RENAME = 'update user_groups set name = ?2 where id = ?1';
const SET_ROLE = `${JOIN} on conflict (user_id, group_id) do update set role = excluded.role`;
const DEMOTE_OWNER = "update group_members set role = 'manager' where group_id = ?1 and role = 'owner'";
const LEAVE = 'delete from group_members where group_id = ?1 and user_id = ?2';

/** Locked in the order of their ids, also against transfers of ownership to this user. */
const LOCK_GROUPS_OF_USER = withRowLock(
  'no key update of g',
  (lock) => `select g.id from group_members m join user_groups g on g.id = m.group_id where m.user_id = ?1
  order by g.id${lock}`,
);
const LOCK_USER_TO_REMOVE = withRowLock('update', (lock) => onCopies(`select id from users where id = ?1${lock}`));
const OWNED = "select group_id as id from group_members where user_id = ?1 and role = 'owner' order by group_id";
const SUCCESSOR = `select user_id as id from group_members where group_id = ?1 and user_id <> ?2
  order by case role when 'manager' then 0 else 1 end, joined, user_id limit 1`;
const PROMOTE = "update group_members set role = 'owner' where group_id = ?1 and user_id = ?2";

/**
 * Removes a user from all groups, before the account is deleted. Each group that the user owns gets a new owner, or
 * is removed if it has no other member.
 */
export async function leaveGroups(transaction: SqlExecutor, userId: string): Promise<void> {
  if (!transaction.isLocal) {
    await transaction.read(LOCK_USER_TO_REMOVE(transaction), [userId]);
    await transaction.read(LOCK_GROUPS_OF_USER(transaction), [userId]);
  }
  for (const { id } of await transaction.read<{ id: string }>(OWNED, [userId])) {
    const [successor] = await transaction.read<{ id: string }>(SUCCESSOR, [id, userId]);
    await transaction.change(LEAVE, [id, userId]);
    if (successor === undefined) await removeGroup(transaction, id);
    else await transaction.change(PROMOTE, [id, successor.id]);
  }
}

export function createGroupStore(executor: SqlExecutor): GroupStore {
  return {
    async add({ id, name, created }, ownerId) {
      await executor
        .atomic(async (transaction) => {
          await transaction.change(INSERT, [id, name, created]);
          await transaction.change(JOIN, [id, ownerId, 'owner', created, 1]);
        })
        .catch(asMissing(executor));
    },
    find: (id, userId) => executor.readOne<OwnGroup>(FIND, [id, userId]),
    ofUser: (userId, limit) => executor.read<OwnGroup>(OF_USER, [userId, limit]),
    list: ({ after, skip, limit }) => executor.read<CountedGroup>(LIST, [after ?? FIRST_ID, limit, skip]),
    members: (id, { after, skip, limit }) => executor.read<GroupMember>(MEMBERS, [id, after ?? FIRST_ID, limit, skip]),
    size: (id) => countOf(executor, SIZE, [id]),
    async lockUser(userId) {
      const [user] = await executor.read<{ name: string }>(LOCK_USER(executor), [userId]);
      const [counts] = user === undefined ? [] : await executor.read<GroupCounts>(COUNT_OF_USER, [userId]);
      return user === undefined || counts === undefined ? null : { name: user.name, ...counts };
    },
    async lock(id) {
      return (await executor.read(LOCK(executor), [id])).length === 1;
    },
    rename: (id, name) => changesOne(executor, RENAME, [id, name]),
    ...createGroupRemoval(executor),
    async setRole(id, userId, role, { joined, counted }) {
      await executor.change(SET_ROLE, [id, userId, role, joined, Number(counted)]);
    },
    handOver: (id, userId, { joined, counted }) =>
      executor.atomic(async (transaction) => {
        await transaction.change(DEMOTE_OWNER, [id]);
        await transaction.change(SET_ROLE, [id, userId, 'owner', joined, Number(counted)]);
      }),
    removeMember: (id, userId) => changesOne(executor, LEAVE, [id, userId]),
  };
}
