import {
  type WebhookDelivery as CoreDelivery,
  type Webhook as CoreWebhook,
  type Webhooks,
  wireDate,
} from '@baobab/core';
import { Type } from 'typebox';
import { type PagedRoutes, pageRequest, sendRows } from '../../lists/paging.ts';
import { presenceOf } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { Page } from '../../schemas/common.ts';
import { PRESENCE } from '../../schemas/factors.ts';
import { ON_ADMINISTRATOR } from '../../schemas/failing.ts';
import {
  DeliveryQuery,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookWithSecret,
} from '../../schemas/webhooks.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('webhooks');

const shown = (webhook: CoreWebhook) => ({
  id: webhook.id,
  url: webhook.url,
  collections: webhook.collections,
  types: webhook.types,
  where: webhook.where,
  description: webhook.description,
  enabled: webhook.enabled,
  created: wireDate(webhook.created),
});

const TYPES = {
  put: 'document.put',
  gone: 'document.gone',
  user: 'user.create',
  test: 'test',
  missed: 'missed',
} as const;

const shownDelivery = (delivery: CoreDelivery) => ({
  id: delivery.id,
  type: TYPES[delivery.type],
  collection: delivery.collection,
  document: delivery.document,
  created: wireDate(delivery.created),
  state: delivery.state,
  attempts: delivery.attempts,
  next: delivery.state === 'waiting' ? wireDate(delivery.due) : null,
  status: delivery.status,
  body: delivery.body,
  error: delivery.error,
});

/** Failures of settings that a client sends. */
const SETTING = ['collection.not_found', 'criteria.invalid', 'webhook.url_refused'] as const;

/** Webhooks: messages to external servers about document changes. */
export const webhookRoutes: Routes<PagedRoutes & { webhooks: Webhooks }> = async (app, { webhooks, pages }) => {
  app.post(
    '/admin/webhook',
    operation('createWebhook', 'Create a webhook; only this response shows its secret', {
      body: NewWebhook,
      created: WebhookWithSecret,
      fails: [...SETTING, 'webhook.limit', ...ON_ADMINISTRATOR],
    }),
    async (request, reply) => {
      const { current_password: _password, ...settings } = request.body;
      const { webhook, secret } = await webhooks.create(request.actor, { settings, presence: presenceOf(request) });
      return sendData(reply, { ...shown(webhook), secret }, 201);
    },
  );

  app.get(
    '/admin/webhook',
    operation('listWebhooks', 'List webhooks, oldest first', { data: Type.Array(Webhook) }),
    async ({ actor }, reply) => sendData(reply, (await webhooks.list(actor)).map(shown)),
  );

  app.get(
    '/admin/webhook/:id',
    operation('readWebhook', 'Read a webhook', { data: Webhook, fails: ['webhook.not_found'] }),
    async ({ actor, params }, reply) => sendData(reply, shown(await webhooks.read(actor, params.id))),
  );

  app.put(
    '/admin/webhook/:id',
    operation('changeWebhook', 'Change or switch a webhook; absent members do not change', {
      body: WebhookChange,
      data: Webhook,
      fails: [...SETTING, 'webhook.not_found', 'webhook.of_extension', ...ON_ADMINISTRATOR],
    }),
    async (request, reply) => {
      const { current_password: _password, ...settings } = request.body;
      const change = { settings, presence: presenceOf(request) };
      return sendData(reply, shown(await webhooks.change(request.actor, request.params.id, change)));
    },
  );

  app.delete(
    '/admin/webhook/:id',
    operation('removeWebhook', 'Delete a webhook with its deliveries', {
      fails: ['webhook.not_found', 'webhook.of_extension'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, webhooks.remove(actor, params.id)),
  );

  app.post(
    '/admin/webhook/:id/secret',
    operation('rotateWebhookSecret', 'Create a new secret; the previous one also signs for 24 hours', {
      data: WebhookWithSecret,
      fails: ['webhook.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
    }),
    async (request, reply) => {
      const { webhook, secret } = await webhooks.rotate(request.actor, request.params.id, presenceOf(request));
      return sendData(reply, { ...shown(webhook), secret });
    },
  );

  app.post(
    '/admin/webhook/:id/test',
    operation('testWebhook', 'Send a test message once, and return its outcome', {
      data: WebhookDelivery,
      fails: ['webhook.not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, shownDelivery(await webhooks.test(actor, params.id))),
  );

  app.get(
    '/admin/webhook/:id/deliveries',
    operation('listWebhookDeliveries', 'List the deliveries of a webhook, newest first', {
      querystring: DeliveryQuery,
      response: { 200: Page(Type.Array(WebhookDelivery)) },
      fails: ['webhook.not_found'],
    }),
    async ({ actor, params, query }, reply) => {
      const { after, skip, limit } = pageRequest(query, pages);
      const wanted = { id: params.id, state: query.state ?? null, after, skip, limit };
      const { deliveries, more } = await webhooks.deliveries(actor, wanted);
      return sendRows(reply, deliveries.map(shownDelivery), more);
    },
  );

  app.post(
    '/admin/webhook/:id/deliveries/:delivery/replay',
    operation('replayWebhookDelivery', 'Send a delivery again, with the newest state of its document', {
      data: WebhookDelivery,
      fails: ['webhook.delivery_not_found', 'webhook.not_found', 'webhook.not_replayable'],
    }),
    async ({ actor, params }, reply) =>
      sendData(reply, shownDelivery(await webhooks.replay(actor, params.id, params.delivery))),
  );
};
