import { CHANGE_TYPES, MAX_WEBHOOK_COLLECTIONS, MAX_WEBHOOK_DESCRIPTION, WEBHOOK_DELIVERY_STATES } from '@baobab/core';
import { Type } from 'typebox';
import { CurrentPassword, NullableText, OneOf, pagingQuery, Wire } from './common.ts';

const Types = Type.Array(OneOf(CHANGE_TYPES), {
  minItems: 1,
  maxItems: 2,
  description: '`put`: a document was stored or changed; `gone`: it was deleted, or no longer matches `where`',
});
const WHERE = 'A condition as in `where` of lists, with one collection only; null for all documents';

const settings = {
  url: Type.String({ description: 'Receiver of the messages: an http or https URL' }),
  collections: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_WEBHOOK_COLLECTIONS,
    description: 'Names of collections',
  }),
  types: Types,
  description: Type.String({ maxLength: MAX_WEBHOOK_DESCRIPTION }),
  enabled: Type.Boolean({ description: 'True if messages are sent' }),
};

const id = Type.String({ format: 'uuid' });

const shown = { id, ...settings, where: NullableText(WHERE), created: Wire.date };

export const Webhook = Type.Object(shown, { title: 'Webhook' });
export const WebhookWithSecret = Type.Object(
  { ...shown, secret: Type.String({ description: 'Signs the messages; only this response shows it' }) },
  { title: 'WebhookWithSecret' },
);

const optional = {
  types: Type.Optional(Types),
  where: Type.Optional(NullableText(WHERE)),
  description: Type.Optional(settings.description),
  enabled: Type.Optional(settings.enabled),
  current_password: CurrentPassword,
};

export const NewWebhook = Type.Object(
  { url: settings.url, collections: settings.collections, ...optional },
  { title: 'NewWebhook', additionalProperties: false },
);
export const WebhookChange = Type.Object(
  { url: Type.Optional(settings.url), collections: Type.Optional(settings.collections), ...optional },
  { title: 'WebhookChange', additionalProperties: false },
);

export const WebhookDelivery = Type.Object(
  {
    id,
    type: OneOf(
      ['document.put', 'document.gone', 'user.create', 'test', 'missed'],
      '`missed`: changes that are not delivered one by one; see `error`',
    ),
    collection: NullableText(),
    document: NullableText('The id of the document'),
    created: Wire.date,
    state: OneOf(WEBHOOK_DELIVERY_STATES),
    attempts: Type.Integer({ description: 'Number of attempts' }),
    next: NullableText('Time of the next attempt; null if there is none'),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status of the last response; null without one',
    }),
    body: NullableText('The first 1,024 bytes of the last response; null without one'),
    error: NullableText('The reason why the last attempt failed; null after a success'),
  },
  { title: 'WebhookDelivery' },
);

export const DeliveryQuery = Type.Object({
  state: Type.Optional(OneOf(WEBHOOK_DELIVERY_STATES, 'Only deliveries in this state')),
  ...pagingQuery,
});
