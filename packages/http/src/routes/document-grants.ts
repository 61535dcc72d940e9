import type { Documents, GrantChange, GranteeKind } from '@baobab/core';
import { Type } from 'typebox';
import { jsonBody } from '../content-types.ts';
import { sendData } from '../envelope.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import { DocumentParams, Grants, GroupGrantParams, RoleGrantParams, UserGrantParams } from '../schemas/documents.ts';
import { ON_DOCUMENT, ON_GRANTS, ON_JSON } from '../schemas/failing.ts';
import type { Routes } from './plugin.ts';

const TO_USER = '/document/:collection/:id/:action/user/:username';
const TO_ROLE = '/document/:collection/:id/:action/role/:rolename';
const TO_GROUP = '/document/:collection/:id/:action/group/:groupId';

const response = { 200: Envelope(Empty), ...failures };
const toUser = { tags: ['documents'], params: UserGrantParams, response };
const toRole = { tags: ['documents'], params: RoleGrantParams, response };
const toGroup = { tags: ['documents'], params: GroupGrantParams, response };

interface GrantParams {
  readonly collection: string;
  readonly id: string;
  readonly action: string;
}

const change = (params: GrantParams, kind: GranteeKind, name: string): GrantChange => ({
  collection: params.collection,
  id: params.id,
  action: params.action,
  grantee: { kind, name },
});

export const documentGrantRoutes: Routes<{ documents: Documents }> = async (app, { documents }) => {
  app.put(
    '/document/:collection/:id/acl',
    {
      schema: {
        operationId: 'setDocumentGrants',
        summary: 'Replace all grants on a document',
        tags: ['documents'],
        params: DocumentParams,
        body: Type.Unknown(),
        response,
      },
      config: {
        fails: [...ON_DOCUMENT, 'grant.action_unknown', ...ON_GRANTS, ...ON_JSON],
        describes: { body: { 'application/json': Grants } },
      },
    },
    async (request, reply) => {
      await documents.setGrants(request.actor, { ...request.params, body: jsonBody(request) });
      return sendData(reply);
    },
  );

  app.put(
    TO_USER,
    {
      schema: { ...toUser, operationId: 'grantDocumentToUser', summary: 'Grant a user a right on a document' },
      config: { fails: [...ON_DOCUMENT, 'grant.action_unknown', 'user.not_found'] },
    },
    async ({ actor, params }, reply) => {
      await documents.grant(actor, change(params, 'user', params.username));
      return sendData(reply);
    },
  );

  app.delete(
    TO_USER,
    {
      schema: { ...toUser, operationId: 'revokeDocumentFromUser', summary: 'Revoke a right on a document from a user' },
      config: { fails: [...ON_DOCUMENT, 'grant.action_unknown', 'user.not_found'] },
    },
    async ({ actor, params }, reply) => {
      await documents.revoke(actor, change(params, 'user', params.username));
      return sendData(reply);
    },
  );

  app.put(
    TO_ROLE,
    {
      schema: {
        ...toRole,
        operationId: 'grantDocumentToRole',
        summary: 'Grant a role a right on a document',
      },
      config: { fails: [...ON_DOCUMENT, 'grant.action_unknown', 'role.not_found'] },
    },
    async ({ actor, params }, reply) => {
      await documents.grant(actor, change(params, 'role', params.rolename));
      return sendData(reply);
    },
  );

  app.delete(
    TO_ROLE,
    {
      schema: { ...toRole, operationId: 'revokeDocumentFromRole', summary: 'Revoke a right on a document from a role' },
      config: { fails: [...ON_DOCUMENT, 'grant.action_unknown', 'role.not_found'] },
    },
    async ({ actor, params }, reply) => {
      await documents.revoke(actor, change(params, 'role', params.rolename));
      return sendData(reply);
    },
  );

  app.put(
    TO_GROUP,
    {
      schema: {
        ...toGroup,
        operationId: 'grantDocumentToGroup',
        summary: 'Grant the members of a group a right on a document',
      },
      config: { fails: [...ON_DOCUMENT, 'grant.action_unknown', 'group.not_found'] },
    },
    async ({ actor, params }, reply) => {
      await documents.grant(actor, change(params, 'group', params.groupId));
      return sendData(reply);
    },
  );

  app.delete(
    TO_GROUP,
    {
      schema: {
        ...toGroup,
        operationId: 'revokeDocumentFromGroup',
        summary: 'Revoke a right on a document from a group',
      },
      config: { fails: [...ON_DOCUMENT, 'grant.action_unknown', 'group.not_found'] },
    },
    async ({ actor, params }, reply) => {
      await documents.revoke(actor, change(params, 'group', params.groupId));
      return sendData(reply);
    },
  );
};
