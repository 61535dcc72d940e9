import { type Baobab, openClient } from '../client.ts';
import type { AnyApp, AppTypes } from '../documents/types.ts';
import type { ClientOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { type AuditEvents, createAuditEvents } from './audit.ts';
import { type Backups, createBackups } from './backups.ts';
import { type AdminCollections, createAdminCollections } from './collections.ts';
import { type AdminIndexes, createAdminIndexes } from './indexes.ts';
import { type ApiKeys, createApiKeys } from './keys.ts';
import {
  type AdminAssets,
  createAdminAssets,
  createOperation,
  createSettings,
  type Operation,
  type Settings,
} from './service.ts';
import { type AdminUsers, createAdminUsers, createRoles, type Roles } from './users.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

export type {
  AccessList,
  ApiKey,
  ApiKeyWithText,
  AuditEntry,
  AuditParty,
  BackupState,
  Belongings,
  CollectionInfo,
  EnvironmentVariable,
  IndexAdvice,
  IndexInfo,
  LoggedRequest,
  NewApiKey,
  NewWebhook,
  ParentRight,
  ParentRules,
  PerWrite,
  Role,
  Rule,
  RuleReason,
  Rules,
  RulesChange,
  RuleTest,
  RuleTestRequest,
  SearchInfo,
  SecuredAccount,
  ServiceCheck,
  Setting,
  SettingsSection,
  Statistics,
  StoredBackup,
  Traffic,
  Violations,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookWithSecret,
} from '../admin-wire.ts';
export type { AuditEvents, AuditOptions } from './audit.ts';
export type { Backups } from './backups.ts';
export type { AdminCollections } from './collections.ts';
export type { AdminIndexes } from './indexes.ts';
export type { ApiKeys } from './keys.ts';
export type { AdminAssets, AssetUpload, RequestLogOptions, Settings } from './service.ts';
export type { AdminUsers, Relation, Roles, UserChange } from './users.ts';
export type { DeliveryOptions, Webhooks } from './webhooks.ts';

/** Administrator operations. For other users they fail with `admin.required`. */
export interface Admin<A extends AppTypes = AnyApp> extends Operation {
  readonly users: AdminUsers;
  readonly roles: Roles;
  readonly collections: AdminCollections<A>;
  readonly indexes: AdminIndexes;
  readonly settings: Settings;
  readonly assets: AdminAssets;
  readonly webhooks: Webhooks;
  readonly keys: ApiKeys;
  readonly audit: AuditEvents;
  readonly backups: Backups;
}

function createAdmin<A extends AppTypes>(api: Api): Admin<A> {
  return {
    ...createOperation(api),
    users: createAdminUsers(api),
    roles: createRoles(api),
    collections: createAdminCollections<A>(api),
    indexes: createAdminIndexes(api),
    settings: createSettings(api),
    assets: createAdminAssets(api),
    webhooks: createWebhooks(api),
    keys: createApiKeys(api),
    audit: createAuditEvents(api),
    backups: createBackups(api),
  };
}

/** A client with administrator operations. */
export interface AdminClient<A extends AppTypes = AnyApp> extends Baobab<A> {
  readonly admin: Admin<A>;
}

/** Like `createClient`, with administrator operations in addition. */
export function createAdminClient<A extends AppTypes = AnyApp>(options: ClientOptions): AdminClient<A> {
  const { client, api } = openClient<A>(options);
  return { ...client, admin: createAdmin<A>(api) };
}
