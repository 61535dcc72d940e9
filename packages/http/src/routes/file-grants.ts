import type { Files } from '@baobab/core';
import { sendDone } from '../envelope.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import { FileGroupGrantParams, FileRoleGrantParams, FileUserGrantParams } from '../schemas/files.ts';
import { granteeIn } from './document-grants.ts';
import type { Routes } from './plugin.ts';

const GRANTEES = [
  { kind: 'user', name: 'User', url: '/file/:id/:action/user/:username', params: FileUserGrantParams },
  { kind: 'role', name: 'Role', url: '/file/:id/:action/role/:rolename', params: FileRoleGrantParams },
  { kind: 'group', name: 'Group', url: '/file/:id/:action/group/:groupId', params: FileGroupGrantParams },
] as const;

export const fileGrantRoutes: Routes<{ files: Files }> = async (app, { files }) => {
  for (const { kind, name, url, params } of GRANTEES) {
    const schema = { tags: ['files'], params, response: { 200: Envelope(Empty), ...failures } };
    const config = { fails: ['access.denied', 'file.not_found', 'grant.action_unknown', `${kind}.not_found`] as const };

    app.put(
      url,
      {
        schema: { ...schema, operationId: `grantFileTo${name}`, summary: `Grant a ${kind} a right on a file` },
        config,
      },
      async ({ actor, params: { id, action, ...to } }, reply) =>
        sendDone(reply, files.grant(actor, { id, action, grantee: granteeIn(to) })),
    );

    app.delete(
      url,
      {
        schema: { ...schema, operationId: `revokeFileFrom${name}`, summary: `Revoke a right on a file from a ${kind}` },
        config,
      },
      async ({ actor, params: { id, action, ...from } }, reply) =>
        sendDone(reply, files.revoke(actor, { id, action, grantee: granteeIn(from) })),
    );
  }
};
