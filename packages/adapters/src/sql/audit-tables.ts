import type { Migration } from './migrations.ts';
import type { Dialect } from './schema-dialect.ts';

export const auditTables = ({ uuid, text, integer }: Pick<Dialect, 'uuid' | 'text' | 'integer'>): Migration => ({
  name: 'audit events',
  statements: [
    // Without a number and a hash until the event joins the chain. No references: events survive what they name.
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
      details ${text} not null
    )`,
    `create index audit_events_waiting on audit_events (id) where number is null`,
    `create index audit_events_by_act on audit_events (act, number)`,
    // One row: the newest event of the chain, and the newest that was removed.
    `create table audit_chain (
      id ${integer} primary key,
      head ${integer} not null,
      head_hash ${text} not null,
      anchor ${integer} not null,
      anchor_hash ${text} not null
    )`,
  ],
});
