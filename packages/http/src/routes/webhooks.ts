import {
  type WebhookDelivery as CoreDelivery,
  type Webhook as CoreWebhook,
  type Webhooks,
  wireDate,
} from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone, sendPage } from '../envelope.ts';
import { encodeCursor, type PageLimits, pageRequest } from '../paging.ts';
import { Empty, Envelope, failures, Page } from '../schemas/common.ts';
import {
  DeliveryParams,
  DeliveryQuery,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookParams,
  WebhookWithSecret,
} from '../schemas/webhooks.ts';
import type { Routes } from './plugin.ts';

export interface WebhookRouteOptions {
  readonly webhooks: Webhooks;
  readonly pages: PageLimits;
}

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['webhooks'] });

const shown = ({ id, url, collections, types, where, description, enabled, created }: CoreWebhook) => ({
  id,
  url,
  collections: [...collections],
  types: [...types],
  where,
  description,
  enabled,
  created: wireDate(created),
});

const TYPES = { put: 'document.put', gone: 'document.gone', test: 'test', missed: 'missed' } as const;

const shownDelivery = (delivery: CoreDelivery) => {
  const { id, type, collection, document, created, state, attempts, due, status, body, error } = delivery;
  const next = state === 'waiting' ? wireDate(due) : null;
  return {
    id,
    type: TYPES[type],
    collection,
    document,
    created: wireDate(created),
    state,
    attempts,
    next,
    status,
    body,
    error,
  };
};

/** Reasons to refuse what a client sets. */
const SETTING = ['collection.not_found', 'criteria.invalid', 'webhook.url_refused'] as const;

/** Webhooks: messages about changes of documents, sent to other services. */
export const webhookRoutes: Routes<WebhookRouteOptions> = async (app, { webhooks, pages }) => {
  app.post(
    '/admin/webhook',
    {
      schema: {
        ...schema('createWebhook', 'Create a webhook; the response shows its secret, once'),
        body: NewWebhook,
        response: { 201: Envelope(WebhookWithSecret, 201), ...failures },
      },
      config: { fails: [...SETTING, 'webhook.limit'] },
    },
    async ({ actor, body }, reply) => {
      const { webhook, secret } = await webhooks.create(actor, body);
      return sendData(reply, { ...shown(webhook), secret }, 201);
    },
  );

  app.get(
    '/admin/webhook',
    {
      schema: {
        ...schema('listWebhooks', 'Every webhook, oldest first'),
        response: { 200: Envelope(Type.Array(Webhook)), ...failures },
      },
    },
    async ({ actor }, reply) => sendData(reply, (await webhooks.list(actor)).map(shown)),
  );

  app.get(
    '/admin/webhook/:id',
    {
      schema: {
        ...schema('readWebhook', 'A webhook'),
        params: WebhookParams,
        response: { 200: Envelope(Webhook), ...failures },
      },
      config: { fails: ['webhook.not_found'] },
    },
    async ({ actor, params }, reply) => sendData(reply, shown(await webhooks.read(actor, params.id))),
  );

  app.put(
    '/admin/webhook/:id',
    {
      schema: {
        ...schema('changeWebhook', 'Change a webhook, or switch it on or off; absent members stay as they are'),
        params: WebhookParams,
        body: WebhookChange,
        response: { 200: Envelope(Webhook), ...failures },
      },
      config: { fails: [...SETTING, 'webhook.not_found'] },
    },
    async ({ actor, params, body }, reply) => sendData(reply, shown(await webhooks.change(actor, params.id, body))),
  );

  app.delete(
    '/admin/webhook/:id',
    {
      schema: {
        ...schema('removeWebhook', 'Delete a webhook with its deliveries'),
        params: WebhookParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ['webhook.not_found'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, webhooks.remove(actor, params.id)),
  );

  app.post(
    '/admin/webhook/:id/secret',
    {
      schema: {
        ...schema('rotateWebhookSecret', 'A new secret, shown once; the previous one also signs for 24 hours'),
        params: WebhookParams,
        response: { 200: Envelope(WebhookWithSecret), ...failures },
      },
      config: { fails: ['webhook.not_found'] },
    },
    async ({ actor, params }, reply) => {
      const { webhook, secret } = await webhooks.rotate(actor, params.id);
      return sendData(reply, { ...shown(webhook), secret });
    },
  );

  app.post(
    '/admin/webhook/:id/test',
    {
      schema: {
        ...schema('testWebhook', 'Send a message of type `test` now, once; the response is its outcome'),
        params: WebhookParams,
        response: { 200: Envelope(WebhookDelivery), ...failures },
      },
      config: { fails: ['webhook.not_found'] },
    },
    async ({ actor, params }, reply) => sendData(reply, shownDelivery(await webhooks.test(actor, params.id))),
  );

  app.get(
    '/admin/webhook/:id/deliveries',
    {
      schema: {
        ...schema('listWebhookDeliveries', 'The deliveries of a webhook, newest first'),
        params: WebhookParams,
        querystring: DeliveryQuery,
        response: { 200: Page(Type.Array(WebhookDelivery)), ...failures },
      },
      config: { fails: ['webhook.not_found'] },
    },
    async ({ actor, params, query }, reply) => {
      const { after, skip, limit } = pageRequest(query, pages);
      const wanted = { id: params.id, state: query.state ?? null, after, skip, limit };
      const { deliveries, more } = await webhooks.deliveries(actor, wanted);
      const last = deliveries.at(-1)?.id;
      const next = more && last !== undefined ? encodeCursor('i', last) : null;
      return sendPage(reply, JSON.stringify(deliveries.map(shownDelivery)), { more, next });
    },
  );

  app.post(
    '/admin/webhook/:id/deliveries/:delivery/replay',
    {
      schema: {
        ...schema('replayWebhookDelivery', 'Send a delivery again, with the newest state of its document'),
        params: DeliveryParams,
        response: { 200: Envelope(WebhookDelivery), ...failures },
      },
      config: { fails: ['webhook.delivery_not_found', 'webhook.not_found', 'webhook.not_replayable'] },
    },
    async ({ actor, params }, reply) => {
      const delivery = await webhooks.replay(actor, params.id, params.delivery);
      return sendData(reply, shownDelivery(delivery));
    },
  );
};
