import { type ApiKeys, parseDate, type ShownApiKey, wireDate, wireDateOrNull } from '@baobab/core';
import { Type } from 'typebox';
import { presenceOf } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { ApiKey, ApiKeyWithText, NewApiKey } from '../../schemas/api-keys.ts';
import { ON_FRESH } from '../../schemas/failing.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('API keys');

/** Returns an API key as administrators see it. */
export const shownApiKey = ({ id, name, role, owner, created, expires, lastUsed }: ShownApiKey) => ({
  id,
  name,
  role,
  owner,
  created: wireDate(created),
  expires: wireDateOrNull(expires),
  lastUse: wireDateOrNull(lastUsed),
});

/** API keys for other servers. */
export const apiKeyRoutes: Routes<{ apiKeys: ApiKeys }> = async (app, { apiKeys }) => {
  app.post(
    '/admin/key',
    operation('createApiKey', 'Create an API key; only this response shows it', {
      body: NewApiKey,
      created: ApiKeyWithText,
      fails: ['key.limit', 'role.not_found', ...ON_FRESH],
    }),
    async (request, reply) => {
      const { name, role, expires = null } = request.body;
      const creation = { name, role, expires: expires === null ? null : parseDate(expires, '/expires') };
      const { key, text } = await apiKeys.create(request.actor, { ...creation, presence: presenceOf(request) });
      return sendData(reply, { ...shownApiKey(key), key: text }, 201);
    },
  );

  app.get(
    '/admin/key',
    operation('listApiKeys', 'List API keys, oldest first', { data: Type.Array(ApiKey) }),
    async ({ actor }, reply) => sendData(reply, (await apiKeys.list(actor)).map(shownApiKey)),
  );

  app.get(
    '/admin/key/:id',
    operation('readApiKey', 'Read an API key', { data: ApiKey, fails: ['key.not_found'] }),
    async ({ actor, params }, reply) => sendData(reply, shownApiKey(await apiKeys.read(actor, params.id))),
  );

  app.delete(
    '/admin/key/:id',
    operation('removeApiKey', 'Delete an API key; it stops working immediately', { fails: ['key.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, apiKeys.remove(actor, params.id)),
  );
};
