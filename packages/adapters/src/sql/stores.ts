import type { Announcer, Stores } from '@baobab/core';
import { createCollectionStore } from './collections.ts';
import { createDeviceStore } from './devices.ts';
import { createDocumentStore } from './documents.ts';
import type { SqlExecutor } from './executor.ts';
import { createRoleStore } from './roles.ts';
import { createSessionStore } from './sessions.ts';
import { createUserStore } from './users.ts';

export function createSqlStores(executor: SqlExecutor, announcer: Announcer): Stores {
  return {
    users: createUserStore(executor),
    sessions: createSessionStore(executor),
    devices: createDeviceStore(executor),
    roles: createRoleStore(executor),
    collections: createCollectionStore(executor),
    documents: createDocumentStore(executor),
    announcer,
  };
}
