import type { Migration } from './migrations.ts';

/** The types of columns. */
interface ColumnTypes {
  readonly uuid: string;
  readonly text: string;
  readonly integer: string;
}

/** Second factors, logins of sessions, and lock-outs. */
export function accountMigrations({ uuid, text, integer }: ColumnTypes): readonly Migration[] {
  return [
    {
      name: 'second factors',
      statements: [
        // When it was confirmed. Beside the password, so that a login reads and checks it without another statement.
        `alter table users add column second_factor ${integer}`,
        `create table totp_secrets (
          user_id ${uuid} primary key references users (id) on delete cascade,
          sealed ${text} not null,
          confirmed ${integer},
          last_step ${integer} not null
        )`,
        `create table recovery_codes (
          user_id ${uuid} not null references users (id) on delete cascade,
          digest ${text} not null,
          primary key (user_id, digest)
        )`,
        `create table login_challenges (
          digest ${text} primary key,
          user_id ${uuid} not null references users (id) on delete cascade,
          sealed ${text} not null,
          attempts ${integer} not null,
          expires ${integer} not null
        )`,
        `create index login_challenges_by_user on login_challenges (user_id)`,
        `create index login_challenges_by_expiry on login_challenges (expires)`,
      ],
    },
    {
      name: 'logins of sessions',
      // Null: the login with which the session began.
      statements: [`alter table sessions add column logged_in ${integer}`],
    },
    {
      name: 'lock-outs',
      statements: [
        `create table lockouts (
          lock_key ${text} primary key,
          counted ${integer} not null,
          place ${integer} not null,
          allowed ${integer} not null,
          ends ${integer} not null,
          excused ${integer} not null,
          excused_at ${integer} not null
        )`,
        `create index lockouts_by_end on lockouts (ends)`,
      ],
    },
    {
      name: 'origins of sessions',
      statements: ['network', 'agent', 'factor'].map((column) => `alter table sessions add column ${column} ${text}`),
    },
  ];
}

/** Guests, and which sessions are theirs. */
export function guestMigrations({ integer }: Pick<ColumnTypes, 'integer'>): readonly Migration[] {
  return [
    {
      name: 'guests',
      statements: [
        // When the guest was last there; null for everybody else.
        `alter table users add column guest_seen ${integer}`,
        // 1 while the user is a guest. Beside the last use, so that one index finds the unused sessions of all others.
        `alter table sessions add column guest_session ${integer}`,
      ],
    },
    { name: 'absent guests', index: { name: 'users_by_guest', on: 'users (guest_seen) where guest_seen is not null' } },
    {
      name: 'unused sessions',
      index: { name: 'sessions_by_use_of_others', on: 'sessions (last_used) where guest_session is null' },
    },
  ];
}
