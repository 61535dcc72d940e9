import type { SessionAdmin } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import { ShownSession } from '../schemas/sessions.ts';
import { UsernameParams } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { shownSession } from './sessions.ts';

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['user administration'] });
const done = { 200: Envelope(Empty), ...failures };

export const sessionAdminRoutes: Routes<{ sessionAdmin: SessionAdmin }> = async (app, { sessionAdmin }) => {
  app.get(
    '/admin/user/:username/sessions',
    {
      schema: {
        ...schema('listSessionsAsAdmin', 'List the sessions of a user, newest first'),
        params: UsernameParams,
        response: { 200: Envelope(Type.Array(ShownSession)), ...failures },
      },
      config: { fails: ['user.not_found'] },
    },
    async ({ actor, params }, reply) =>
      sendData(reply, (await sessionAdmin.list(actor, params.username)).map(shownSession)),
  );

  app.delete(
    '/admin/user/:username/sessions',
    {
      schema: {
        ...schema('removeSessionsAsAdmin', 'End all sessions of a user'),
        params: UsernameParams,
        response: done,
      },
      config: { fails: ['user.not_found'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, sessionAdmin.endAll(actor, params.username)),
  );

  app.delete(
    '/admin/user/:username/sessions/:id',
    {
      schema: {
        ...schema('removeSessionAsAdmin', 'End one session of a user'),
        params: Type.Object({ username: Type.String(), id: Type.String() }),
        response: done,
      },
      config: { fails: ['session.not_found', 'user.not_found'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, sessionAdmin.end(actor, params.username, params.id)),
  );
};
