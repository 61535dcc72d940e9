import type { AdminClient } from '@baobab/client/admin';

/** Client calls for groups, by operation. */
export const GROUP_USES: Readonly<Record<string, readonly ((client: AdminClient) => unknown)[]>> = {
  createGroup: [({ groups }) => groups.create('g')],
  listGroups: [({ groups }) => groups.list()],
  readGroup: [({ groups }) => groups.get('x'), ({ groups }) => groups.members('x')[Symbol.asyncIterator]().next()],
  renameGroup: [({ groups }) => groups.rename('x', 'h')],
  removeGroup: [({ groups }) => groups.remove('x')],
  setGroupMember: [({ groups }) => groups.setMember('x', 'bob')],
  listInvited: [({ groups }) => groups.invited('x').page()],
  createInvitation: [({ groups }) => groups.invite('x', { uses: 2 })],
  listInvitations: [({ groups }) => groups.codes('x').page()],
  removeInvitation: [({ groups }) => groups.endCode('x', 'y')],
  readInvitation: [({ groups }) => groups.invitation('code')],
  acceptInvitation: [({ groups }) => groups.join('code')],
  readGroupPolicy: [({ groups }) => groups.policy()],
  setGroupPolicy: [({ groups }) => groups.setPolicy('nobody')],
  listGroupInvitations: [({ groups }) => groups.invitations().page()],
  acceptGroupInvitation: [({ groups }) => groups.accept('x')],
  declineGroupInvitation: [({ groups }) => groups.decline('x')],
  removeGroupMember: [({ groups }) => groups.removeMember('x', 'bob')],
};
