import type { Groups, OwnGroup } from '@baobab/core';
import { Type } from 'typebox';
import { type PagedRoutes, pageRequest, pagingAfter } from '../../lists/paging.ts';
import { type KeyedRoutes, once } from '../../requests/idempotency.ts';
import { sendData, sendDone, sendPage } from '../../responses/envelope.ts';
import { Envelope, Page } from '../../schemas/common.ts';
import {
  Group,
  GroupBody,
  GroupMember,
  GroupQuery,
  GroupWithMembers,
  Invited,
  MemberBody,
  SentInvitation,
} from '../../schemas/groups.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('groups');

const shown = ({ id, name, role }: OwnGroup) => ({ id, name, role });

/** Groups and their members. */
export const groupRoutes: Routes<KeyedRoutes & PagedRoutes & { groups: Groups }> = async (
  app,
  { groups, pages, idempotency },
) => {
  app.post(
    '/group',
    operation('createGroup', 'Create a group, owned by the caller', {
      body: GroupBody,
      created: Group,
      isKeyed: true,
      fails: ['group.limit', 'group.name_invalid'],
    }),
    async ({ actor, body }, reply) => {
      const group = await once({ idempotency }, reply, (transact) => groups.create(actor, body.name, transact));
      return sendData(reply, shown(group), 201);
    },
  );

  app.get(
    '/group',
    operation('listGroups', 'List the groups of the caller, oldest first', { data: Type.Array(Group) }),
    async ({ actor }, reply) => sendData(reply, (await groups.list(actor)).map(shown)),
  );

  app.get(
    '/group/:id',
    operation('readGroup', 'Read a group with its members', {
      querystring: GroupQuery,
      response: { 200: Page(GroupWithMembers) },
      fails: ['group.not_found'],
    }),
    async ({ actor, params, query }, reply) => {
      const { group, members, more } = await groups.read(actor, { ...params, ...pageRequest(query, pages) });
      const data = { ...shown(group), members: members.map(({ name, role }) => ({ name, role })) };
      return sendPage(reply, JSON.stringify(data), pagingAfter(more, members.at(-1)?.userId));
    },
  );

  app.get(
    '/group/:id/invited',
    operation('listInvited', 'List the invited users of a group, for its owner and managers', {
      querystring: GroupQuery,
      response: { 200: Page(Type.Array(SentInvitation)) },
      fails: ['access.denied', 'group.not_found'],
    }),
    async ({ actor, params, query }, reply) => {
      const { invitations, more } = await groups.invited(actor, { ...params, ...pageRequest(query, pages) });
      const rows = invitations.map(({ name, role, by }) => ({ name, role, invited_by: by }));
      return sendPage(reply, JSON.stringify(rows), pagingAfter(more, invitations.at(-1)?.userId));
    },
  );

  app.put(
    '/group/:id',
    operation('renameGroup', 'Rename a group', {
      body: GroupBody,
      data: Group,
      fails: ['access.denied', 'group.name_invalid', 'group.not_found'],
    }),
    async ({ actor, params, body }, reply) => sendData(reply, shown(await groups.rename(actor, params.id, body.name))),
  );

  app.delete(
    '/group/:id',
    operation('removeGroup', 'Delete a group and the grants to it', { fails: ['access.denied', 'group.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, groups.remove(actor, params.id)),
  );

  app.put(
    '/group/:id/member/:username',
    operation('setGroupMember', 'Add or invite a user, change a role, or transfer ownership', {
      body: MemberBody,
      response: { 200: Envelope(GroupMember, 200), 202: Envelope(Invited, 202) },
      fails: [
        'access.denied',
        'group.add_refused',
        'group.limit',
        'group.member_not_found',
        'group.not_found',
        'group.owner_required',
        'rate.limited',
        'user.not_found',
      ],
    }),
    async ({ actor, params, body }, reply) => {
      const member = await groups.setMember(actor, { ...params, role: body.role });
      if (member === null) return sendData(reply, { status: 'invited' }, 202);
      return sendData(reply, { name: member.name, role: member.role });
    },
  );

  app.delete(
    '/group/:id/member/:username',
    operation('removeGroupMember', 'Remove a member, withdraw an invitation, or leave the group', {
      fails: ['access.denied', 'group.member_not_found', 'group.not_found', 'group.owner_required', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, groups.removeMember(actor, params)),
  );
};
