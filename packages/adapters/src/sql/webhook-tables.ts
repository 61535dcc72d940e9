import type { Migration } from './migrations.ts';
import type { Dialect } from './schema-dialect.ts';

export const webhookTables = ({ uuid, text, integer }: Pick<Dialect, 'uuid' | 'text' | 'integer'>): Migration => ({
  name: 'webhooks',
  statements: [
    `create table webhooks (
      id ${uuid} primary key,
      url ${text} not null,
      collections ${text} not null,
      types ${text} not null,
      condition ${text},
      description ${text} not null,
      enabled ${integer} not null,
      created ${integer} not null,
      secret ${text} not null,
      previous ${text},
      previous_until ${integer} not null,
      epoch ${text} not null,
      feed_position ${integer} not null,
      feed_id ${text} not null,
      feed_marks ${integer} not null,
      holder ${text},
      lease ${integer} not null default 0
    )`,
    `create table webhook_deliveries (
      webhook ${uuid} not null references webhooks (id) on delete cascade,
      id ${uuid} not null,
      type ${text} not null,
      collection ${text},
      document ${uuid},
      revision ${integer} not null,
      state ${text} not null,
      created ${integer} not null,
      since ${integer},
      attempts ${integer} not null,
      due ${integer} not null,
      status ${integer},
      body ${text},
      error ${text},
      finished ${integer},
      primary key (webhook, id)
    )`,
    // Of one document a webhook has one waiting delivery: a newer change joins it.
    `create unique index webhook_deliveries_by_document on webhook_deliveries (webhook, document)
      where state = 'waiting'`,
    `create index webhook_deliveries_due on webhook_deliveries (webhook, due) where state = 'waiting'`,
    `create index webhook_deliveries_parked on webhook_deliveries (webhook) where state = 'parked'`,
    `create index webhook_deliveries_finished on webhook_deliveries (state, finished) where finished is not null`,
  ],
});
