import type { Migration } from './migrations.ts';
import type { Dialect } from './schema-dialect.ts';

/** A key ends together with its owner, and with its role. */
export const serverKeyTable = ({ uuid, text, integer }: Pick<Dialect, 'uuid' | 'text' | 'integer'>): Migration => ({
  name: 'server keys',
  statements: [
    `create table server_keys (
      id ${uuid} primary key,
      name ${text} not null,
      digest ${text} not null unique,
      role ${text} not null references roles (name) on update cascade on delete cascade,
      owner ${uuid} not null references users (id) on delete cascade,
      created ${integer} not null,
      expires ${integer},
      last_used ${integer}
    )`,
    `create index server_keys_by_role on server_keys (role)`,
    `create index server_keys_by_owner on server_keys (owner)`,
  ],
});
