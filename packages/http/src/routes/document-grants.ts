import type { Documents, GrantChange } from '@baobab/core';
import { Type } from 'typebox';
import { jsonBody } from '../content-types.ts';
import { sendDone } from '../envelope.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import { DocumentParams, Grants, GroupGrantParams, RoleGrantParams, UserGrantParams } from '../schemas/documents.ts';
import { ON_DOCUMENT, ON_GRANTS, ON_JSON } from '../schemas/failing.ts';
import type { Routes } from './plugin.ts';

const response = { 200: Envelope(Empty), ...failures };

const GRANTEES = [
  { kind: 'user', name: 'User', url: '/document/:collection/:id/:action/user/:username', params: UserGrantParams },
  { kind: 'role', name: 'Role', url: '/document/:collection/:id/:action/role/:rolename', params: RoleGrantParams },
  { kind: 'group', name: 'Group', url: '/document/:collection/:id/:action/group/:groupId', params: GroupGrantParams },
] as const;

/** Whom the path of a grant names. */
export function granteeIn(
  path: { readonly username: string } | { readonly rolename: string } | { readonly groupId: string },
): GrantChange['grantee'] {
  if ('groupId' in path) return { kind: 'group', name: path.groupId };
  return 'username' in path ? { kind: 'user', name: path.username } : { kind: 'role', name: path.rolename };
}

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
    async (request, reply) =>
      sendDone(reply, documents.setGrants(request.actor, { ...request.params, body: jsonBody(request) })),
  );

  for (const { kind, name, url, params } of GRANTEES) {
    const schema = { tags: ['documents'], params, response };
    const config = { fails: [...ON_DOCUMENT, 'grant.action_unknown', `${kind}.not_found`] as const };

    app.put(
      url,
      {
        schema: { ...schema, operationId: `grantDocumentTo${name}`, summary: `Grant a ${kind} a right on a document` },
        config,
      },
      async ({ actor, params: { collection, id, action, ...to } }, reply) =>
        sendDone(reply, documents.grant(actor, { collection, id, action, grantee: granteeIn(to) })),
    );

    app.delete(
      url,
      {
        schema: {
          ...schema,
          operationId: `revokeDocumentFrom${name}`,
          summary: `Revoke a right on a document from a ${kind}`,
        },
        config,
      },
      async ({ actor, params: { collection, id, action, ...from } }, reply) =>
        sendDone(reply, documents.revoke(actor, { collection, id, action, grantee: granteeIn(from) })),
    );
  }
};
