import type { Group, GroupInvitationStore, GroupPolicy, InvitedRole, SentInvitation } from '@baobab/core';
import { FIRST_ID } from '../lists/document-list-statements.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { changesOne, countOf, isThere } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';
import { isOpenTo } from '../users/user-rows.ts';

const SET = `insert into group_invitations (group_id, user_id, role, invited_by) values (?1, ?2, ?3, ?4)
  on conflict (user_id, group_id) do update set role = excluded.role, invited_by = excluded.invited_by`;
const REMOVE = 'delete from group_invitations where group_id = ?1 and user_id = ?2';
const COUNT = 'select count(*) as n from group_invitations where group_id = ?1';
const INVITING = `join users b on b.id = i.invited_by and ${isThere('b.name')}`;
const UNBLOCKED = isOpenTo('i.user_id', 'i.invited_by');
const OPEN = `select i.role from group_invitations i ${INVITING}
  where i.group_id = ?1 and i.user_id = ?2 and ${UNBLOCKED}`;
const RECEIVED = `select g.id, g.name, g.created, i.role, b.name as "by" from group_invitations i ${INVITING}
    join user_groups g on g.id = i.group_id
  where i.user_id = ?1 and i.group_id > ?2 and ${UNBLOCKED} order by i.group_id limit ?3 offset ?4`;
const SENT = `select i.user_id as "userId", u.name, i.role, b.name as "by" from group_invitations i ${INVITING}
    join users u on u.id = i.user_id
  where i.group_id = ?1 and i.user_id > ?2 order by i.user_id limit ?3 offset ?4`;
const POLICY = 'select group_policy as policy from users where id = ?1';
const SET_POLICY = onCopies('update users set group_policy = ?2 where id = ?1');

interface ReceivedRow extends Group {
  readonly role: InvitedRole;
  readonly by: string;
}

export function createGroupInvitationStore(executor: SqlExecutor): GroupInvitationStore {
  return {
    async set({ groupId, userId, role, by }) {
      await executor.change(SET, [groupId, userId, role, by]);
    },
    remove: (groupId, userId) => changesOne(executor, REMOVE, [groupId, userId]),
    async open(groupId, userId) {
      return (await executor.readOne<{ role: InvitedRole }>(OPEN, [groupId, userId]))?.role ?? null;
    },
    count: (groupId) => countOf(executor, COUNT, [groupId]),
    async received(userId, { after, skip, limit }) {
      const rows = await executor.read<ReceivedRow>(RECEIVED, [userId, after ?? FIRST_ID, limit, skip]);
      return rows.map(({ role, by, ...group }) => ({ group, role, by }));
    },
    sent: (groupId, { after, skip, limit }) =>
      executor.read<SentInvitation>(SENT, [groupId, after ?? FIRST_ID, limit, skip]),
    async policy(userId) {
      return (await executor.readOne<{ policy: GroupPolicy | null }>(POLICY, [userId]))?.policy ?? null;
    },
    async setPolicy(userId, policy) {
      await executor.change(SET_POLICY, [userId, policy]);
    },
  };
}
