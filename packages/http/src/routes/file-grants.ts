import type { Files } from '@baobab/core';
import type { Static } from 'typebox';
import { sendDone } from '../envelope.ts';
import { PathParams } from '../schemas/common.ts';
import { operationsIn } from './describe.ts';
import { GRANTEES } from './document-grants.ts';
import type { Routes } from './plugin.ts';

const operation = operationsIn('files');

export const fileGrantRoutes: Routes<{ files: Files }> = async (app, { files }) => {
  for (const { kind, name, parameter } of GRANTEES) {
    const url = `/file/:id/:action/${kind}/:${parameter}`;
    const params = PathParams('id', 'action', parameter);
    const fails = ['access.denied', 'file.not_found', 'grant.action_unknown', `${kind}.not_found`] as const;
    const changeOf = ({ id, action, [parameter]: grantee }: Static<typeof params>) => ({
      id,
      action,
      grantee: { kind, name: grantee },
    });

    app.put(
      url,
      operation(`grantFileTo${name}`, `Grant a ${kind} a right on a file`, { params, fails }),
      async ({ actor, params }, reply) => sendDone(reply, files.grant(actor, changeOf(params))),
    );

    app.delete(
      url,
      operation(`revokeFileFrom${name}`, `Revoke a right on a file from a ${kind}`, { params, fails }),
      async ({ actor, params }, reply) => sendDone(reply, files.revoke(actor, changeOf(params))),
    );
  }
};
