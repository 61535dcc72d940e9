import type { Migration } from './migrations.ts';
import type { Dialect } from './schema.ts';

/** Mails that wait to be sent. */
export const mailTables = ({ uuid, text, integer }: Pick<Dialect, 'uuid' | 'text' | 'integer'>): Migration => ({
  name: 'outbox of mails',
  statements: [
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
  ],
});
