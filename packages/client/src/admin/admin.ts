import type { Api } from '../transport/api.ts';
import { type AuditEvents, createAuditEvents } from './audit.ts';
import { type AdminCollections, createAdminCollections } from './collections.ts';
import { type AdminIndexes, createAdminIndexes } from './indexes.ts';
import { createServerKeys, type ServerKeys } from './keys.ts';
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

/** Calls for administrators; for other users they fail with `admin.required`. */
export interface Admin extends Operation {
  readonly users: AdminUsers;
  readonly roles: Roles;
  readonly collections: AdminCollections;
  readonly indexes: AdminIndexes;
  readonly settings: Settings;
  readonly assets: AdminAssets;
  readonly webhooks: Webhooks;
  readonly keys: ServerKeys;
  readonly audit: AuditEvents;
}

export function createAdmin(api: Api): Admin {
  return {
    ...createOperation(api),
    users: createAdminUsers(api),
    roles: createRoles(api),
    collections: createAdminCollections(api),
    indexes: createAdminIndexes(api),
    settings: createSettings(api),
    assets: createAdminAssets(api),
    webhooks: createWebhooks(api),
    keys: createServerKeys(api),
    audit: createAuditEvents(api),
  };
}
