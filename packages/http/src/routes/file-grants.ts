import type { Files } from '@baobab/core';
import { sendData } from '../envelope.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import { FileGroupGrantParams, FileRoleGrantParams, FileUserGrantParams } from '../schemas/files.ts';
import type { Routes } from './plugin.ts';

const TO_USER = '/file/:id/:action/user/:username';
const TO_ROLE = '/file/:id/:action/role/:rolename';
const TO_GROUP = '/file/:id/:action/group/:groupId';

const response = { 200: Envelope(Empty), ...failures };
const toUser = { tags: ['files'], params: FileUserGrantParams, response };
const toRole = { tags: ['files'], params: FileRoleGrantParams, response };
const toGroup = { tags: ['files'], params: FileGroupGrantParams, response };

export const fileGrantRoutes: Routes<{ files: Files }> = async (app, { files }) => {
  app.put(
    TO_USER,
    {
      schema: { ...toUser, operationId: 'grantFileToUser', summary: 'Grant a user a right on a file' },
      config: { fails: ['access.denied', 'file.not_found', 'grant.action_unknown', 'user.not_found'] },
    },
    async ({ actor, params: { username, ...params } }, reply) => {
      await files.grant(actor, { ...params, grantee: { kind: 'user', name: username } });
      return sendData(reply);
    },
  );

  app.delete(
    TO_USER,
    {
      schema: { ...toUser, operationId: 'revokeFileFromUser', summary: 'Revoke a right on a file from a user' },
      config: { fails: ['access.denied', 'file.not_found', 'grant.action_unknown', 'user.not_found'] },
    },
    async ({ actor, params: { username, ...params } }, reply) => {
      await files.revoke(actor, { ...params, grantee: { kind: 'user', name: username } });
      return sendData(reply);
    },
  );

  app.put(
    TO_ROLE,
    {
      schema: { ...toRole, operationId: 'grantFileToRole', summary: 'Grant a role a right on a file' },
      config: { fails: ['access.denied', 'file.not_found', 'grant.action_unknown', 'role.not_found'] },
    },
    async ({ actor, params: { rolename, ...params } }, reply) => {
      await files.grant(actor, { ...params, grantee: { kind: 'role', name: rolename } });
      return sendData(reply);
    },
  );

  app.delete(
    TO_ROLE,
    {
      schema: { ...toRole, operationId: 'revokeFileFromRole', summary: 'Revoke a right on a file from a role' },
      config: { fails: ['access.denied', 'file.not_found', 'grant.action_unknown', 'role.not_found'] },
    },
    async ({ actor, params: { rolename, ...params } }, reply) => {
      await files.revoke(actor, { ...params, grantee: { kind: 'role', name: rolename } });
      return sendData(reply);
    },
  );

  app.put(
    TO_GROUP,
    {
      schema: {
        ...toGroup,
        operationId: 'grantFileToGroup',
        summary: 'Grant the members of a group a right on a file',
      },
      config: { fails: ['access.denied', 'file.not_found', 'grant.action_unknown', 'group.not_found'] },
    },
    async ({ actor, params: { groupId, ...params } }, reply) => {
      await files.grant(actor, { ...params, grantee: { kind: 'group', name: groupId } });
      return sendData(reply);
    },
  );

  app.delete(
    TO_GROUP,
    {
      schema: { ...toGroup, operationId: 'revokeFileFromGroup', summary: 'Revoke a right on a file from a group' },
      config: { fails: ['access.denied', 'file.not_found', 'grant.action_unknown', 'group.not_found'] },
    },
    async ({ actor, params: { groupId, ...params } }, reply) => {
      await files.revoke(actor, { ...params, grantee: { kind: 'group', name: groupId } });
      return sendData(reply);
    },
  );
};
