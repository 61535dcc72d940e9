import type { ColumnTypes } from './dialect.ts';

/** Settings, the audit log, limits, and the state of running programs. */
export const serviceTables = ({ uuid, text, integer }: ColumnTypes): readonly string[] => [
  `create table settings (
    setting_key ${text} primary key,
    value ${text} not null
  )`,
  // The declared indexes of users, files and assets.
  `create table list_indexes (
    list ${text} not null,
    path ${text} not null,
    name ${text} not null unique,
    state ${text} not null,
    primary key (list, path)
  )`,

  // Without a number and a hash until the event joins the chain. Without references, because events outlive their
  // subjects.
  `create table audit_events (
    id ${uuid} primary key,
    number ${integer} unique,
    hash ${text},
    happened ${integer} not null,
    act ${text} not null,
    by_kind ${text} not null,
    by_id ${text},
    by_name ${text},
    to_kind ${text},
    to_id ${text},
    to_name ${text},
    network ${text},
    details ${text} not null,
    seals ${text} not null
  )`,
  `create index audit_events_of_actor on audit_events (by_id) where by_id is not null`,
  `create index audit_events_of_target on audit_events (to_id) where to_id is not null`,
  `create index audit_events_waiting on audit_events (id) where number is null`,
  `create index audit_events_by_act on audit_events (act, number)`,
  // A single row: the newest event of the chain, and the newest removed one.
  `create table audit_chain (
    id ${integer} primary key,
    head ${integer} not null,
    head_hash ${text} not null,
    anchor ${integer} not null,
    anchor_hash ${text} not null
  )`,

  `create table rate_limits (
    limit_key ${text} primary key,
    taken ${integer} not null,
    ends ${integer} not null
  )`,
  `create index rate_limits_by_end on rate_limits (ends)`,
  `create table idempotency_keys (
    user_id ${uuid} not null references users (id) on delete cascade,
    digest ${text} not null,
    fingerprint ${text} not null,
    expires ${integer} not null,
    failure ${text},
    data ${text},
    primary key (user_id, digest)
  )`,
  `create index idempotency_keys_by_expiry on idempotency_keys (expires)`,

  `create table jobs (
    name ${text} primary key,
    holder ${text},
    due ${integer} not null
  )`,
  // A row marks an unfinished transfer into this database.
  `create table transfers (source ${text} not null)`,
];
