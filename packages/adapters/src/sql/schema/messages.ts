import type { ColumnTypes } from './dialect.ts';

/** Mails, push messages and webhooks. */
export const messageTables = ({ uuid, text, integer }: ColumnTypes): readonly string[] => [
  `create table mails (
    id ${uuid} primary key,
    user_id ${uuid} not null references users (id) on delete cascade,
    topic ${text} not null,
    sealed ${text} not null,
    created ${integer} not null,
    expires ${integer} not null,
    due ${integer} not null,
    attempts ${integer} not null
  )`,
  `create unique index mails_by_topic on mails (topic)`,
  `create index mails_by_due on mails (due)`,
  `create index mails_by_user on mails (user_id)`,

  `create table push_messages (
    id ${uuid} primary key,
    sender ${uuid} not null,
    payload ${text} not null,
    created ${integer} not null,
    expires ${integer} not null
  )`,
  `create index push_messages_by_expiry on push_messages (expires)`,
  `create table push_deliveries (
    message ${uuid} not null references push_messages (id) on delete cascade,
    device ${text} not null,
    user_id ${uuid} not null,
    os ${text} not null,
    state ${text} not null,
    attempts ${integer} not null,
    due ${integer} not null,
    reason ${text},
    primary key (message, device)
  )`,
  `create index push_deliveries_due on push_deliveries (os, due) where state = 'waiting'`,
  `create index push_deliveries_waiting on push_deliveries (device, message) where state = 'waiting'`,

  // lease: end of the holder's lease; 0 in a restored database.
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
  // A webhook has one waiting delivery for each document, which later changes join.
  `create unique index webhook_deliveries_by_document on webhook_deliveries (webhook, document)
    where state = 'waiting'`,
  `create index webhook_deliveries_due on webhook_deliveries (webhook, due) where state = 'waiting'`,
  `create index webhook_deliveries_parked on webhook_deliveries (webhook) where state = 'parked'`,
  `create index webhook_deliveries_finished on webhook_deliveries (state, finished) where finished is not null`,
];
