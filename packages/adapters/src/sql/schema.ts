import { accountMigrations, guestMigrations } from './account-schema.ts';
import { auditTables } from './audit-tables.ts';
import { counterMigrations } from './document-counters.ts';
import { removedGroupTable } from './group-removal.ts';
import { countedMemberships, groupInvitations } from './group-tables.ts';
import { listIndexTable } from './list-index-table.ts';
import { awaitedEmails, mailTables, provenance } from './mail-tables.ts';
import type { Migration } from './migrations.ts';
import { passkeyTables } from './passkey-tables.ts';
import type { Dialect } from './schema-dialect.ts';
import { serverKeyTable } from './server-key-table.ts';
import { webhookTables } from './webhook-tables.ts';

/**
 * The schema of both databases. Users and collections are referenced by id, roles by name. Keys begin with the column
 * by which a distributed database would partition. Each index on documents serves one way of listing them: everything
 * in a collection, a user's own documents, documents granted to a principal.
 */
export function schemaMigrations({
  uuid,
  text,
  integer,
  byDocumentId,
  byPosition,
  randomText,
  counters,
}: Dialect): readonly Migration[] {
  return [
    {
      name: 'foundation',
      statements: [
        `create table roles (
          role_key ${text} primary key,
          name ${text} not null unique,
          description ${text} not null,
          built_in ${integer} not null
        )`,
        `insert into roles (role_key, name, description, built_in) values
          ('registereduser', 'registereduser', 'Every signed-up user', 1),
          ('administrator', 'administrator', 'May do everything', 1),
          ('backoffice', 'BackOffice', 'Reaches every document and file', 1),
          ('anonymous', 'anonymous', 'Callers without credentials', 1)`,
        `create table users (
          id ${uuid} primary key,
          name ${text} not null,
          name_key ${text} not null unique,
          role ${text} not null references roles (name) on update cascade,
          status ${text} not null,
          password_hash ${text},
          generated ${integer} not null,
          created ${integer} not null,
          visible_user ${text} not null,
          visible_friend ${text} not null,
          visible_registered ${text} not null,
          visible_anonymous ${text} not null
        )`,
        `create index users_by_role on users (role)`,
        `create table sessions (
          id ${text} primary key,
          user_id ${uuid} not null references users (id) on delete cascade,
          created ${integer} not null,
          last_used ${integer} not null,
          device ${text}
        )`,
        `create index sessions_by_user on sessions (user_id)`,
        `create index sessions_by_use on sessions (last_used)`,
        `create index sessions_by_device on sessions (device) where device is not null`,
        `create table devices (
          id ${text} primary key,
          user_id ${uuid} not null references users (id) on delete cascade,
          os ${text} not null,
          registered ${integer} not null
        )`,
        `create index devices_by_user on devices (user_id)`,
        `create table collections (
          id ${uuid} primary key,
          name ${text} not null,
          name_key ${text} not null unique,
          created ${integer} not null
        )`,
        `create table collection_indexes (
          collection ${uuid} not null references collections (id) on delete cascade,
          path ${text} not null,
          name ${text} not null unique,
          state ${text} not null,
          primary key (collection, path)
        )`,
        `create table documents (
          id ${uuid} not null,
          collection ${uuid} not null references collections (id) on delete cascade,
          author ${uuid} not null references users (id) on delete cascade,
          version ${integer} not null,
          created ${integer} not null,
          updated ${integer} not null,
          content ${text} not null,
          primary key (collection, id)
        )`,
        byDocumentId,
        `create index documents_of_author on documents (author, collection, id)`,
        `create table document_grants (
          collection ${uuid} not null,
          document ${uuid} not null,
          principal ${text} not null,
          rights ${integer} not null,
          primary key (collection, document, principal),
          foreign key (collection, document) references documents (collection, id) on delete cascade
        )`,
        `create index document_grants_of_principal on document_grants (principal, collection, document)`,
        `create table files (
          id ${uuid} primary key,
          author ${uuid} not null references users (id) on delete cascade,
          file_name ${text} not null,
          content_type ${text} not null,
          size ${integer} not null,
          sha256 ${text} not null,
          attached_data ${text} not null,
          created ${integer} not null
        )`,
        `create index files_of_author on files (author, id)`,
        `create table file_grants (
          file ${uuid} not null references files (id) on delete cascade,
          principal ${text} not null,
          rights ${integer} not null,
          primary key (file, principal)
        )`,
        `create index file_grants_of_principal on file_grants (principal, file)`,
        `create table assets (
          id ${uuid} primary key,
          name ${text} not null unique,
          author ${uuid} references users (id) on delete set null,
          created ${integer} not null,
          meta ${text} not null,
          file_name ${text},
          content_type ${text},
          size ${integer},
          sha256 ${text}
        )`,
        `create index assets_by_author on assets (author)`,
        `create table follows (
          follower ${uuid} not null references users (id) on delete cascade,
          followed ${uuid} not null references users (id) on delete cascade,
          primary key (follower, followed)
        )`,
        `create index follows_by_followed on follows (followed, follower)`,
        `create table settings (
          setting_key ${text} primary key,
          value ${text} not null
        )`,
        `create table reset_tokens (
          user_id ${uuid} primary key references users (id) on delete cascade,
          digest ${text} not null unique,
          expires ${integer} not null
        )`,
        `create index reset_tokens_by_expiry on reset_tokens (expires)`,
        `create table social_links (
          network ${text} not null,
          person ${text} not null,
          user_id ${uuid} not null references users (id) on delete cascade,
          sealed ${text} not null,
          details ${text} not null,
          session_id ${text},
          primary key (network, person)
        )`,
        `create unique index social_links_by_user on social_links (user_id, network)`,
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
        `create table transfers (source ${text} not null)`,
        `create table jobs (
          name ${text} primary key,
          holder ${text},
          due ${integer} not null
        )`,
      ],
    },
    {
      name: 'skeletons of names',
      statements: [
        // The name from which the skeleton was computed: programs that do not know skeletons change only the name.
        `alter table users add column skeleton_of ${text}`,
        `alter table users add column skeleton ${text}`,
        `create table name_claims (skeleton ${text} primary key)`,
      ],
    },
    { name: 'users by skeleton', index: { name: 'users_by_skeleton', on: 'users (skeleton)' } },
    {
      name: 'users without skeleton',
      index: { name: 'users_without_skeleton', on: 'users (id) where skeleton_of is null or skeleton_of <> name' },
    },
    {
      name: 'traces of appends',
      statements: [`alter table documents add column edit_trace ${text}`],
    },
    {
      name: 'consent and blocks',
      statements: [
        `alter table users add column follow_policy ${text}`,
        `create table follow_requests (
          follower ${uuid} not null references users (id) on delete cascade,
          followed ${uuid} not null references users (id) on delete cascade,
          primary key (follower, followed)
        )`,
        `create index follow_requests_by_followed on follow_requests (followed, follower)`,
        // The key begins with the column by which profiles and lists are searched.
        `create table blocks (
          blocked ${uuid} not null references users (id) on delete cascade,
          blocker ${uuid} not null references users (id) on delete cascade,
          primary key (blocked, blocker)
        )`,
        `create index blocks_by_blocker on blocks (blocker, blocked)`,
        `create table pair_claims (pair ${text} primary key)`,
      ],
    },
    {
      name: 'rules of collections',
      statements: [
        // 0: every user may create, 1: only the listed roles.
        `create table collection_rules (
          collection ${uuid} primary key references collections (id) on delete cascade,
          create_restricted ${integer} not null
        )`,
        `create table collection_rule_roles (
          collection ${uuid} not null references collection_rules (collection) on delete cascade,
          rule_action ${text} not null,
          role_key ${text} not null references roles (role_key) on update cascade on delete cascade,
          primary key (collection, rule_action, role_key)
        )`,
      ],
    },
    {
      name: 'schemas of collections',
      statements: [
        `create table collection_schemas (
          collection ${uuid} primary key references collections (id) on delete cascade,
          version ${text} not null,
          content ${text} not null
        )`,
      ],
    },
    {
      name: 'groups of users',
      statements: [
        `create table user_groups (
          id ${uuid} primary key,
          name ${text} not null,
          created ${integer} not null
        )`,
        `create table group_members (
          user_id ${uuid} not null references users (id) on delete cascade,
          group_id ${uuid} not null references user_groups (id) on delete cascade,
          role ${text} not null,
          joined ${integer} not null,
          primary key (user_id, group_id)
        )`,
        `create index group_members_by_group on group_members (group_id, user_id)`,
        `create unique index group_members_owner on group_members (group_id) where role = 'owner'`,
      ],
    },
    {
      name: 'change feed',
      statements: [
        // 0: unchanged since this migration.
        `alter table documents add column position ${integer} not null default 0`,
        // Survive their documents. Rows of a collection that is gone are ignored.
        `create table access_changes (
          collection ${uuid} not null,
          document ${uuid} not null,
          audience ${text} not null,
          position ${integer} not null,
          recorded ${integer} not null,
          primary key (collection, document, audience)
        )`,
        `create index access_changes_of_audience on access_changes (audience, position, document)`,
        `create index access_changes_by_position on access_changes (position, document)`,
        `create index access_changes_by_age on access_changes (recorded, position)`,
        // '' as the key of the collection: all.
        `create table sight_marks (
          audience ${text} not null,
          collection_key ${text} not null,
          reason ${text} not null,
          position ${integer} not null,
          recorded ${integer} not null,
          primary key (audience, collection_key, reason)
        )`,
        `create index sight_marks_by_position on sight_marks (position)`,
        `create index sight_marks_by_age on sight_marks (recorded, position)`,
        `create table feed_state (
          epoch ${text} not null,
          position ${integer} not null,
          oldest ${integer} not null
        )`,
        `insert into feed_state (epoch, position, oldest) values (${randomText}, 0, 0)`,
      ],
    },
    {
      name: 'documents by position',
      index: { name: 'documents_by_position', on: `documents ${byPosition}` },
    },
    ...accountMigrations({ uuid, text, integer }),
    webhookTables({ uuid, text, integer }),
    passkeyTables({ uuid, text, integer }),
    mailTables({ uuid, text, integer }),
    serverKeyTable({ uuid, text, integer }),
    awaitedEmails({ integer }),
    ...guestMigrations({ integer }),
    ...counterMigrations(counters),
    auditTables({ uuid, text, integer }),
    listIndexTable({ text }),
    removedGroupTable({ uuid }),
    provenance({ text, integer }),
    countedMemberships({ integer }),
    groupInvitations({ uuid, text }),
  ];
}
