import type { SessionAdmin } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { ShownSession } from '../schemas/sessions.ts';
import { operationsIn, type Routes } from './describe.ts';
import { shownSession } from './sessions.ts';

const operation = operationsIn('user administration');

export const sessionAdminRoutes: Routes<{ sessionAdmin: SessionAdmin }> = async (app, { sessionAdmin }) => {
  app.get(
    '/admin/user/:username/sessions',
    operation('listSessionsAsAdmin', 'List the sessions of a user, newest first', {
      data: Type.Array(ShownSession),
      fails: ['key.user_required', 'user.not_found'],
    }),
    async ({ actor, params }, reply) =>
      sendData(reply, (await sessionAdmin.list(actor, params.username)).map(shownSession)),
  );

  app.delete(
    '/admin/user/:username/sessions',
    operation('removeSessionsAsAdmin', 'End all sessions of a user', {
      fails: ['key.user_required', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, sessionAdmin.endAll(actor, params.username)),
  );

  app.delete(
    '/admin/user/:username/sessions/:id',
    operation('removeSessionAsAdmin', 'End one session of a user', {
      fails: ['key.user_required', 'session.not_found', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, sessionAdmin.end(actor, params.username, params.id)),
  );
};
