import type { GroupInvitations } from '@baobab/core';
import { Type } from 'typebox';
import { type PagedRoutes, pageRequest, pagingAfter } from '../../lists/paging.ts';
import { sendData, sendDone, sendPage } from '../../responses/envelope.ts';
import { Page } from '../../schemas/common.ts';
import { Group, GroupPolicy, GroupQuery, ReceivedInvitation } from '../../schemas/groups.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('groups');

/** Group invitations that users receive, and their policies for being added. */
export const groupInvitationRoutes: Routes<PagedRoutes & { groupInvitations: GroupInvitations }> = async (
  app,
  { groupInvitations, pages },
) => {
  app.get(
    '/me/group-policy',
    operation('readGroupPolicy', 'Read your group policy', { data: GroupPolicy }),
    async ({ actor }, reply) => sendData(reply, { add: await groupInvitations.policy(actor) }),
  );

  app.put(
    '/me/group-policy',
    operation('setGroupPolicy', 'Set your group policy; memberships and invitations do not change', {
      body: GroupPolicy,
      data: GroupPolicy,
    }),
    async ({ actor, body: { add } }, reply) => {
      await groupInvitations.setPolicy(actor, add);
      return sendData(reply, { add });
    },
  );

  app.get(
    '/me/group-invitations',
    operation('listGroupInvitations', 'List your group invitations, oldest group first', {
      querystring: GroupQuery,
      response: { 200: Page(Type.Array(ReceivedInvitation)) },
    }),
    async ({ actor, query }, reply) => {
      const { invitations, more } = await groupInvitations.received(actor, pageRequest(query, pages));
      const rows = invitations.map(({ group: { id, name }, role, by }) => ({
        group: { id, name },
        role,
        invited_by: by,
      }));
      return sendPage(reply, JSON.stringify(rows), pagingAfter(more, invitations.at(-1)?.group.id));
    },
  );

  app.put(
    '/me/group-invitations/:id',
    operation('acceptGroupInvitation', 'Accept an invitation to a group', {
      data: Group,
      fails: ['group.invitation_not_found', 'group.limit'],
    }),
    async ({ actor, params }, reply) => {
      const { id, name, role } = await groupInvitations.accept(actor, params.id);
      return sendData(reply, { id, name, role });
    },
  );

  app.delete(
    '/me/group-invitations/:id',
    operation('declineGroupInvitation', 'Decline an invitation to a group', { fails: ['group.invitation_not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, groupInvitations.decline(actor, params.id)),
  );
};
