import { parseDate, type ServerKeys, type ShownServerKey, wireDate, wireDateOrNull } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { ON_FRESH } from '../schemas/failing.ts';
import { NewServerKey, ServerKey, ServerKeyWithText } from '../schemas/server-keys.ts';
import { operationsIn, type Routes } from './describe.ts';
import { presenceOf } from './factors.ts';

const operation = operationsIn('server keys');

const shown = ({ id, name, role, owner, created, expires, lastUsed }: ShownServerKey) => ({
  id,
  name,
  role,
  owner,
  created: wireDate(created),
  expires: wireDateOrNull(expires),
  lastUse: wireDateOrNull(lastUsed),
});

/** API keys for other servers. */
export const serverKeyRoutes: Routes<{ serverKeys: ServerKeys }> = async (app, { serverKeys }) => {
  app.post(
    '/admin/key',
    operation('createServerKey', 'Make a server key; the response shows it, once', {
      body: NewServerKey,
      created: ServerKeyWithText,
      fails: ['key.limit', 'role.not_found', ...ON_FRESH],
    }),
    async (request, reply) => {
      const { name, role, expires = null } = request.body;
      const creation = { name, role, expires: expires === null ? null : parseDate(expires, '/expires') };
      const { key, text } = await serverKeys.create(request.actor, { ...creation, presence: presenceOf(request) });
      return sendData(reply, { ...shown(key), key: text }, 201);
    },
  );

  app.get(
    '/admin/key',
    operation('listServerKeys', 'Every server key, oldest first', { data: Type.Array(ServerKey) }),
    async ({ actor }, reply) => sendData(reply, (await serverKeys.list(actor)).map(shown)),
  );

  app.get(
    '/admin/key/:id',
    operation('readServerKey', 'A server key', { data: ServerKey, fails: ['key.not_found'] }),
    async ({ actor, params }, reply) => sendData(reply, shown(await serverKeys.read(actor, params.id))),
  );

  app.delete(
    '/admin/key/:id',
    operation('removeServerKey', 'End a server key, at once', { fails: ['key.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, serverKeys.remove(actor, params.id)),
  );
};
