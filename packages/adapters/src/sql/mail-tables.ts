import type { Migration } from './migrations.ts';
import type { Dialect } from './schema-dialect.ts';

/** Mails that wait to be sent, and verified addresses. */
export const mailTables = ({ uuid, text, integer }: Pick<Dialect, 'uuid' | 'text' | 'integer'>): Migration => ({
  name: 'outbox of mails and verified addresses',
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
    // When the address in the profile was verified: read with the profile.
    `alter table users add column email_verified ${integer}`,
    `create table email_claims (
      user_id ${uuid} primary key references users (id) on delete cascade,
      email ${text} not null,
      code ${text} not null,
      token ${text} not null,
      attempts ${integer} not null,
      expires ${integer} not null
    )`,
    `create unique index email_claims_by_token on email_claims (token)`,
    `create index email_claims_by_expiry on email_claims (expires)`,
    `create table verified_emails (
      email_key ${text} primary key,
      user_id ${uuid} not null references users (id) on delete cascade
    )`,
    `create index verified_emails_by_user on verified_emails (user_id)`,
  ],
});

/** What shows that addresses and links to social networks are the user's. */
export const provenance = ({ text, integer }: Pick<Dialect, 'text' | 'integer'>): Migration => ({
  name: 'provenance of addresses and social links',
  statements: [
    // When the address was replaced or removed last. Null: never, since sign-up or since this migration.
    `alter table users add column email_changed ${integer}`,
    // The person for whom a fresh login has proved the link.
    `alter table social_links add column proven_person ${text}`,
  ],
});

/** Marks users who must verify an e-mail address before they can log in. */
export const awaitedEmails = ({ integer }: Pick<Dialect, 'integer'>): Migration => ({
  name: 'users who have to verify an address',
  // 1, or null. Beside the password, so that a login reads it without another statement.
  statements: [`alter table users add column email_awaited ${integer}`],
});
