import type { Migration } from './migrations.ts';

/** The types of columns. */
interface ColumnTypes {
  readonly uuid: string;
  readonly text: string;
  readonly integer: string;
}

export function passkeyTables({ uuid, text, integer }: ColumnTypes): Migration {
  return {
    name: 'passkeys',
    statements: [
      `create table passkeys (
        id ${uuid} primary key,
        user_id ${uuid} not null references users (id) on delete cascade,
        credential ${text} not null unique,
        public_key ${text} not null,
        counter ${integer} not null,
        transports ${text} not null,
        name ${text} not null,
        created ${integer} not null,
        last_used ${integer}
      )`,
      `create index passkeys_by_user on passkeys (user_id)`,
    ],
  };
}
