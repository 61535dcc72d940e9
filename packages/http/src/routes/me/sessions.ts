import type { SessionUseCases, Users } from '@baobab/core';
import { Type } from 'typebox';
import { shownSession } from '../../render/profile.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { ShownSession } from '../../schemas/sessions.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('sessions');

export const ownSessionRoutes: Routes<{ sessions: SessionUseCases; users: Users }> = async (
  app,
  { sessions, users },
) => {
  app.get(
    '/me/sessions',
    operation('listSessions', 'List the sessions of the caller, newest first', { data: Type.Array(ShownSession) }),
    async ({ actor }, reply) => sendData(reply, (await sessions.list(actor)).map(shownSession)),
  );

  app.delete(
    '/me/sessions',
    operation('removeOtherSessions', 'End all sessions of the caller except the current one'),
    async ({ actor }, reply) => sendDone(reply, users.endOtherSessions(actor)),
  );

  app.delete(
    '/me/sessions/:id',
    operation('removeSession', 'End a session of the caller', { fails: ['session.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, sessions.remove(actor, params.id)),
  );
};
