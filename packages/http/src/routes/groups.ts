import type { Groups, OwnGroup } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendPage } from '../envelope.ts';
import { type KeyedRoutes, once } from '../idempotency.ts';
import { encodeCursor, type PageLimits, pageRequest } from '../paging.ts';
import { Empty, Envelope, failures, Page } from '../schemas/common.ts';
import { KEY_HEADER, ON_KEY } from '../schemas/failing.ts';
import {
  Group,
  GroupBody,
  GroupMember,
  GroupParams,
  GroupQuery,
  GroupWithMembers,
  ListedGroup,
  MemberBody,
  MemberParams,
} from '../schemas/groups.ts';
import type { Routes } from './plugin.ts';

export interface GroupRouteOptions extends KeyedRoutes {
  readonly groups: Groups;
  readonly pages: PageLimits;
}

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['groups'] });

const shown = ({ id, name, role }: OwnGroup) => ({ id, name, role });

/** Groups of users and their members. */
export const groupRoutes: Routes<GroupRouteOptions> = async (app, { groups, pages, idempotency }) => {
  app.post(
    '/group',
    {
      schema: {
        ...schema('createGroup', 'Create a group, owned by the caller'),
        body: GroupBody,
        response: { 201: Envelope(Group, 201), ...failures },
      },
      config: { fails: ['group.limit', 'group.name_invalid', ...ON_KEY], describes: { headers: KEY_HEADER } },
    },
    async ({ actor, body }, reply) => {
      const group = await once({ idempotency }, reply, (transact) => groups.create(actor, body.name, transact));
      return sendData(reply, shown(group), 201);
    },
  );

  app.get(
    '/group',
    {
      schema: {
        ...schema('listGroups', 'The groups that the caller is in, oldest first'),
        response: { 200: Envelope(Type.Array(Group)), ...failures },
      },
    },
    async ({ actor }, reply) => sendData(reply, (await groups.list(actor)).map(shown)),
  );

  app.get(
    '/admin/group',
    {
      schema: {
        ...schema('listAllGroups', 'Every group, oldest first'),
        querystring: GroupQuery,
        response: { 200: Page(Type.Array(ListedGroup)), ...failures },
      },
    },
    async ({ actor, query }, reply) => {
      const found = await groups.all(actor, pageRequest(query, pages));
      const rows = found.groups.map(({ id, name, members }) => ({ id, name, members }));
      return sendPage(reply, JSON.stringify(rows), nextOf(found.more, rows.at(-1)?.id));
    },
  );

  app.get(
    '/group/:id',
    {
      schema: {
        ...schema('readGroup', 'A group with its members, in the order of their sign-up'),
        params: GroupParams,
        querystring: GroupQuery,
        response: { 200: Page(GroupWithMembers), ...failures },
      },
      config: { fails: ['group.not_found'] },
    },
    async ({ actor, params, query }, reply) => {
      const { group, members, more } = await groups.read(actor, { ...params, ...pageRequest(query, pages) });
      const data = { ...shown(group), members: members.map(({ name, role }) => ({ name, role })) };
      return sendPage(reply, JSON.stringify(data), nextOf(more, members.at(-1)?.userId));
    },
  );

  app.put(
    '/group/:id',
    {
      schema: {
        ...schema('renameGroup', 'Rename a group'),
        params: GroupParams,
        body: GroupBody,
        response: { 200: Envelope(Group), ...failures },
      },
      config: { fails: ['access.denied', 'group.name_invalid', 'group.not_found'] },
    },
    async ({ actor, params, body }, reply) => sendData(reply, shown(await groups.rename(actor, params.id, body.name))),
  );

  app.delete(
    '/group/:id',
    {
      schema: {
        ...schema('removeGroup', 'Delete a group and the grants to it'),
        params: GroupParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ['access.denied', 'group.not_found'] },
    },
    async ({ actor, params }, reply) => {
      await groups.remove(actor, params.id);
      return sendData(reply);
    },
  );

  app.put(
    '/group/:id/member/:username',
    {
      schema: {
        ...schema('setGroupMember', 'Add a user to a group, change their role, or hand the group on'),
        params: MemberParams,
        body: MemberBody,
        response: { 200: Envelope(GroupMember), ...failures },
      },
      config: { fails: ['access.denied', 'group.limit', 'group.not_found', 'group.owner_required', 'user.not_found'] },
    },
    async ({ actor, params, body }, reply) => {
      const { name, role } = await groups.setMember(actor, { ...params, role: body.role });
      return sendData(reply, { name, role });
    },
  );

  app.delete(
    '/group/:id/member/:username',
    {
      schema: {
        ...schema('removeGroupMember', 'Remove a user from a group, or leave it'),
        params: MemberParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: {
        fails: ['access.denied', 'group.member_not_found', 'group.not_found', 'group.owner_required', 'user.not_found'],
      },
    },
    async ({ actor, params }, reply) => {
      await groups.removeMember(actor, params);
      return sendData(reply);
    },
  );
};

/** @param id of the last row, which the next page follows */
function nextOf(more: boolean, id: string | undefined) {
  return { more, next: more && id !== undefined ? encodeCursor('i', id) : null };
}
