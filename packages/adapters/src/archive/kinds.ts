import type { ArchiveKind } from '@baobab/core';

/** Tables to copy. Each references only earlier ones. */
export const KINDS: readonly ArchiveKind[] = [
  { name: 'roles', key: ['role_key'] },
  { name: 'users', key: ['id'] },
  { name: 'former_names', key: ['name_key'] },
  { name: 'sessions', key: ['id'] },
  { name: 'devices', key: ['id'] },
  { name: 'collections', key: ['id'] },
  { name: 'collection_indexes', key: ['collection', 'path'] },
  { name: 'list_indexes', key: ['list', 'path'] },
  { name: 'collection_rules', key: ['collection'] },
  { name: 'collection_rule_roles', key: ['collection', 'rule_action', 'role_key', 'condition'] },
  { name: 'collection_schemas', key: ['collection'] },
  { name: 'search_indexes', key: ['collection'] },
  { name: 'documents', key: ['collection', 'id'] },
  { name: 'orphaned_documents', key: ['parent'] },
  { name: 'document_grants', key: ['collection', 'document', 'principal'] },
  { name: 'files', key: ['id'] },
  { name: 'file_grants', key: ['file', 'principal'] },
  { name: 'left_files', key: ['owner'] },
  { name: 'assets', key: ['id'] },
  { name: 'follows', key: ['follower', 'followed'] },
  { name: 'follow_requests', key: ['follower', 'followed'] },
  { name: 'blocks', key: ['blocked', 'blocker'] },
  { name: 'user_groups', key: ['id'] },
  { name: 'group_members', key: ['user_id', 'group_id'] },
  { name: 'group_invitations', key: ['user_id', 'group_id'] },
  { name: 'invitation_codes', key: ['id'] },
  { name: 'removed_members', key: ['user_id', 'group_id'] },
  { name: 'removed_groups', key: ['id'] },
  { name: 'settings', key: ['setting_key'] },
  { name: 'reset_tokens', key: ['user_id'] },
  { name: 'email_claims', key: ['user_id'] },
  { name: 'verified_emails', key: ['email_key'] },
  { name: 'totp_secrets', key: ['user_id'] },
  { name: 'recovery_codes', key: ['user_id', 'digest'] },
  { name: 'passkeys', key: ['id'] },
  { name: 'social_links', key: ['network', 'person'] },
  { name: 'idempotency_keys', key: ['user_id', 'digest'] },
  { name: 'push_messages', key: ['id'] },
  { name: 'push_deliveries', key: ['message', 'device'] },
  { name: 'webhooks', key: ['id'] },
  { name: 'api_keys', key: ['id'] },
  { name: 'audit_events', key: ['id'] },
  { name: 'audit_chain', key: ['id'] },
];

/** Columns that are not copied: they have no meaning in another database, or are made from other columns. */
export const LOCAL_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  documents: ['position', 'words'],
  webhooks: ['holder', 'lease'],
};

/**
 * Tables that are not copied. They describe running processes or the change feed, which restarts in each database.
 * Triggers fill the counters of documents. A restored webhook reports missed changes, which covers its waiting
 * deliveries. Search tables are filled by the server. Waiting mails would be sent twice.
 */
export const TRANSIENT: readonly string[] = [
  'document_totals',
  'document_counts',
  'document_count_changes',
  'document_search',
  'document_search_config',
  'document_search_data',
  'document_search_docsize',
  'document_search_idx',
  'access_changes',
  'sight_marks',
  'feed_state',
  'webhook_deliveries',
  'rate_limits',
  'lockouts',
  'login_challenges',
  'mails',
  'claims',
  'jobs',
  'transfers',
  'schema_version',
];
