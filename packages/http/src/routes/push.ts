import {
  type Actor,
  type MessageState,
  type Platform,
  type PushDevices,
  type PushMessages,
  wireDate,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { type PagedRoutes, pageNumbers } from '../lists/paging.ts';
import { jsonBody } from '../requests/bodies.ts';
import { type KeyedRoutes, once } from '../requests/idempotency.ts';
import { sendDone, sendPage } from '../responses/envelope.ts';
import { Page, pageQuery } from '../schemas/common.ts';
import { ON_JSON } from '../schemas/failing.ts';
import { DeviceParams, PushMessage, PushState, PushToUsersMessage } from '../schemas/push.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('push');

type SentMessage = Parameters<PushMessages['send']>[1];

export interface PushRouteOptions extends KeyedRoutes, PagedRoutes {
  readonly pushMessages: PushMessages;
  readonly pushDevices: PushDevices;
}

const { page, recordsPerPage, recordPerPage, skip } = pageQuery;
const PageQuery = Type.Object({ page, recordsPerPage, recordPerPage, skip });

const SENDING = [
  ...ON_JSON,
  'admin.required',
  'push.refused',
  'push.too_large',
  'push.unconfigured',
  'rate.limited',
  'user.not_found',
] as const;

/**
 * Sends the state of a message as visible to the caller. Device ids allow sending to the devices, so senders see only
 * the owners; administrators see the ids too.
 */
function sendState(reply: FastifyReply, { isAdmin }: Actor, state: MessageState): FastifyReply {
  const { message, counts, deliveries, more } = state;
  const byPlatform: Readonly<Record<Platform, Record<string, number>>> = { android: {}, ios: {} };
  for (const { os, state, count } of counts) {
    const states = byPlatform[os];
    if (states !== undefined) states[state] = count;
  }
  const shown = {
    id: message.id,
    created: wireDate(message.created),
    expires: wireDate(message.expires),
    counts: byPlatform,
    devices: deliveries.map(({ username, os, state, attempt, reason, device }) => ({
      user: username,
      os,
      state,
      attempts: attempt,
      reason,
      ...(isAdmin ? { device } : {}),
    })),
  };
  return sendPage(reply, JSON.stringify(shown), { more, next: null });
}

export const pushRoutes: Routes<PushRouteOptions> = async (app, { pushMessages, pushDevices, pages, idempotency }) => {
  async function send(request: FastifyRequest, reply: FastifyReply, message: SentMessage): Promise<FastifyReply> {
    const { actor, query } = request;
    const page = pageNumbers(query as Static<typeof PageQuery>, pages);
    const state = await once({ idempotency }, reply, (transact) => pushMessages.send(actor, message, page, transact));
    return sendState(reply, actor, state);
  }

  const response = { 200: Page(PushState) };

  app.post(
    '/push/message',
    operation('sendPush', 'Send a notification to all devices of several users', {
      body: Type.Unknown(),
      querystring: PageQuery,
      response,
      isKeyed: true,
      fails: [...SENDING, 'input.array_expected'],
      describes: { body: { 'application/json': PushToUsersMessage } },
    }),
    async (request, reply) => send(request, reply, { body: jsonBody(request).value, to: null }),
  );

  app.post(
    '/push/message/:target',
    operation('sendPushToUser', 'Send a notification to all devices of a user', {
      params: Type.Object({ target: Type.String({ description: 'The name of a user, in any case' }) }),
      body: Type.Unknown(),
      querystring: PageQuery,
      response,
      isKeyed: true,
      fails: SENDING,
      describes: { body: { 'application/json': PushMessage } },
    }),
    async (request, reply) => send(request, reply, { body: jsonBody(request).value, to: request.params.target }),
  );

  app.get(
    '/push/message/:target',
    operation('readPush', 'Read the delivery status of a notification, for its sender and administrators', {
      params: Type.Object({ target: Type.String({ description: 'The id of the notification' }) }),
      querystring: PageQuery,
      response,
      fails: ['push.message_not_found'],
    }),
    async (request, reply) => {
      const { actor, params } = request;
      return sendState(reply, actor, await pushMessages.state(actor, params.target, pageNumbers(request.query, pages)));
    },
  );

  app.put(
    '/push/enable/:os/:token',
    operation('enablePush', 'Register the caller’s device', { params: DeviceParams }),
    async ({ actor, params: { os, token } }, reply) =>
      sendDone(reply, pushDevices.enable(actor, { os, deviceId: token })),
  );

  app.put(
    '/push/disable/:token',
    operation('disablePush', 'Unregister a device of the caller'),
    async ({ actor, params }, reply) => sendDone(reply, pushDevices.disable(actor, params.token)),
  );
};
