import { type InvitationCodes, wireDate } from '@baobab/core';
import { Type } from 'typebox';
import { clientAddress } from '../../callers/client-address.ts';
import { type PagedRoutes, pageRequest, sendRows } from '../../lists/paging.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { Page } from '../../schemas/common.ts';
import {
  Group,
  GroupQuery,
  InvitationBody,
  ListedInvitation,
  NewInvitation,
  ShownInvitation,
} from '../../schemas/groups.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('groups');

/** Group invitations by code: `/group/:id/invitation` for inviters, `/invitation/:code` for recipients. */
export const invitationCodeRoutes: Routes<PagedRoutes & { invitationCodes: InvitationCodes }> = async (
  app,
  { invitationCodes, pages },
) => {
  app.post(
    '/group/:id/invitation',
    operation('createInvitation', 'Create an invitation code, and mail it if there is an address', {
      body: InvitationBody,
      created: NewInvitation,
      fails: [
        'access.denied',
        'group.limit',
        'group.not_found',
        'mail.unavailable',
        'rate.limited',
        'user.email_invalid',
      ],
    }),
    async (request, reply) => {
      const { role = 'member', email = null, uses = 1, expires = 604_800 } = request.body;
      const invitation = { groupId: request.params.id, role, email, uses, lifetime: expires };
      const made = await invitationCodes.create(request.actor, { ...invitation, address: clientAddress(request) });
      return sendData(reply, made, 201);
    },
  );

  app.get(
    '/group/:id/invitation',
    operation('listInvitations', 'List the valid invitation codes of a group, for its owner and managers', {
      querystring: GroupQuery,
      response: { 200: Page(Type.Array(ListedInvitation)) },
      fails: ['access.denied', 'group.not_found'],
    }),
    async ({ actor, params, query }, reply) => {
      const { codes, more } = await invitationCodes.list(actor, { ...params, ...pageRequest(query, pages) });
      const rows = codes.map(({ id, role, email, uses, expires, by }) => {
        return { id, role, email, uses, expires: wireDate(expires), invited_by: by };
      });
      return sendRows(reply, rows, more);
    },
  );

  app.delete(
    '/group/:id/invitation/:invitation',
    operation('removeInvitation', 'Revoke an invitation code', {
      fails: ['access.denied', 'group.not_found', 'invitation.invalid'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, invitationCodes.remove(actor, params)),
  );

  app.get(
    '/invitation/:code',
    operation('readInvitation', 'Read an invitation by its code', {
      data: ShownInvitation,
      fails: ['invitation.invalid', 'rate.limited'],
      access: 'anybody',
    }),
    async (request, reply) => {
      const given = { code: request.params.code, address: clientAddress(request) };
      const { group, role, by, expires } = await invitationCodes.read(request.actor, given);
      return sendData(reply, { group: { name: group.name }, role, invited_by: by, expires: wireDate(expires) });
    },
  );

  app.post(
    '/invitation/:code',
    operation('acceptInvitation', 'Join a group with an invitation code', {
      data: Group,
      fails: ['group.limit', 'invitation.email_required', 'invitation.invalid', 'rate.limited'],
    }),
    async (request, reply) => {
      const given = { code: request.params.code, address: clientAddress(request) };
      const { id, name, role } = await invitationCodes.accept(request.actor, given);
      return sendData(reply, { id, name, role });
    },
  );
};
