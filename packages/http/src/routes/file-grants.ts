import type { Files } from '@baobab/core';
import { sendDone } from '../envelope.ts';
import { operationsIn, type Routes } from './describe.ts';
import { GRANTEES } from './document-grants.ts';

const operation = operationsIn('files');

export const fileGrantRoutes: Routes<{ files: Files }> = async (app, { files }) => {
  for (const { kind, name, parameter } of GRANTEES) {
    const url = `/file/:id/:action/${kind}/:${parameter}` as const;
    const fails = ['access.denied', 'file.not_found', 'grant.action_unknown', `${kind}.not_found`] as const;

    app.put(
      url,
      operation(`grantFileTo${name}`, `Grant a ${kind} a right on a file`, { fails }),
      async ({ actor, params: { id, action, [parameter]: to } }, reply) =>
        sendDone(reply, files.grant(actor, { id, action, grantee: { kind, name: to } })),
    );

    app.delete(
      url,
      operation(`revokeFileFrom${name}`, `Revoke a right on a file from a ${kind}`, { fails }),
      async ({ actor, params: { id, action, [parameter]: from } }, reply) =>
        sendDone(reply, files.revoke(actor, { id, action, grantee: { kind, name: from } })),
    );
  }
};
