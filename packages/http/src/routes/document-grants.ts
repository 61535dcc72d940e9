import type { Documents } from '@baobab/core';
import { Type } from 'typebox';
import { jsonBody } from '../content-types.ts';
import { sendDone } from '../envelope.ts';
import { Grants } from '../schemas/documents.ts';
import { ON_DOCUMENT, ON_GRANTS, ON_JSON } from '../schemas/failing.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('documents');

/** Grantees of a permission, with the path parameter that names them. */
export const GRANTEES = [
  { kind: 'user', name: 'User', parameter: 'username' },
  { kind: 'role', name: 'Role', parameter: 'rolename' },
  { kind: 'group', name: 'Group', parameter: 'groupId' },
] as const;

export const documentGrantRoutes: Routes<{ documents: Documents }> = async (app, { documents }) => {
  app.put(
    '/document/:collection/:id/acl',
    operation('setDocumentGrants', 'Replace all grants on a document', {
      body: Type.Unknown(),
      fails: [...ON_DOCUMENT, 'grant.action_unknown', ...ON_GRANTS, ...ON_JSON],
      describes: { body: { 'application/json': Grants } },
    }),
    async (request, reply) =>
      sendDone(reply, documents.setGrants(request.actor, { ...request.params, body: jsonBody(request) })),
  );

  for (const { kind, name, parameter } of GRANTEES) {
    const url = `/document/:collection/:id/:action/${kind}/:${parameter}` as const;
    const fails = [...ON_DOCUMENT, 'grant.action_unknown', `${kind}.not_found`] as const;

    app.put(
      url,
      operation(`grantDocumentTo${name}`, `Grant a ${kind} a right on a document`, { fails }),
      async ({ actor, params: { collection, id, action, [parameter]: to } }, reply) =>
        sendDone(reply, documents.grant(actor, { collection, id, action, grantee: { kind, name: to } })),
    );

    app.delete(
      url,
      operation(`revokeDocumentFrom${name}`, `Revoke a right on a document from a ${kind}`, { fails }),
      async ({ actor, params: { collection, id, action, [parameter]: from } }, reply) =>
        sendDone(reply, documents.revoke(actor, { collection, id, action, grantee: { kind, name: from } })),
    );
  }
};
