import type { Announcer, Stores } from '@baobab/core';
import { createAuditStore } from './audit.ts';
import { createChangeStore } from './changes/changes.ts';
import { createCollectionStore } from './collections/collections.ts';
import { createDocumentStore } from './documents/documents.ts';
import { createAssetStore } from './files/assets.ts';
import { createFileStore } from './files/files.ts';
import { createGroupInvitationStore } from './groups/group-invitations.ts';
import { createGroupStore } from './groups/groups.ts';
import { createInvitationCodeStore } from './groups/invitation-codes.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { createJobStore } from './jobs.ts';
import { createMailStore } from './mails.ts';
import { createDeviceStore } from './push/devices.ts';
import { createOutboxStore } from './push/outbox.ts';
import { createApiKeyStore } from './sessions/api-keys.ts';
import { createChallengeStore, createFactorStore } from './sessions/factors.ts';
import { createPasskeyStore } from './sessions/passkeys.ts';
import { createLockoutStore, createRateLimitStore } from './sessions/rate-limits.ts';
import { createSessionStore } from './sessions/sessions.ts';
import { createSettingStore } from './settings.ts';
import type { SqlExecutor } from './statements/executor.ts';
import { createSealedStore } from './statements/sealed.ts';
import { createBlockStore } from './users/blocks.ts';
import { createEmailStore } from './users/emails.ts';
import { createFollowStore } from './users/follows.ts';
import { createResetTokenStore } from './users/reset-tokens.ts';
import { createRoleStore } from './users/roles.ts';
import { createSocialLinkStore } from './users/social-links.ts';
import { createUserStore } from './users/users.ts';
import { createWebhookStore } from './webhooks/webhooks.ts';

const FACTORIES = {
  users: createUserStore,
  sessions: createSessionStore,
  apiKeys: createApiKeyStore,
  devices: createDeviceStore,
  roles: createRoleStore,
  collections: createCollectionStore,
  documents: createDocumentStore,
  changes: createChangeStore,
  files: createFileStore,
  assets: createAssetStore,
  follows: createFollowStore,
  groups: createGroupStore,
  groupInvitations: createGroupInvitationStore,
  invitationCodes: createInvitationCodeStore,
  blocks: createBlockStore,
  settings: createSettingStore,
  resetTokens: createResetTokenStore,
  factors: createFactorStore,
  challenges: createChallengeStore,
  passkeys: createPasskeyStore,
  rateLimits: createRateLimitStore,
  lockouts: createLockoutStore,
  idempotency: createIdempotencyStore,
  jobs: createJobStore,
  outbox: createOutboxStore,
  mails: createMailStore,
  emails: createEmailStore,
  socialLinks: createSocialLinkStore,
  webhooks: createWebhookStore,
  sealed: createSealedStore,
  audit: createAuditStore,
} satisfies { readonly [Name in Exclude<keyof Stores, 'announcer'>]: (executor: SqlExecutor) => Stores[Name] };

const NAMES = Object.keys(FACTORIES) as readonly (keyof typeof FACTORIES)[];

export function createSqlStores(executor: SqlExecutor, announcer: Announcer): Stores {
  const stores = NAMES.map((name) => [name, FACTORIES[name](executor)]);
  return { ...Object.fromEntries(stores), announcer };
}

interface OnFirstUse {
  readonly executor: SqlExecutor;
}

const ON_FIRST_USE = Object.defineProperties(
  {},
  Object.fromEntries(
    NAMES.map((name) => [
      name,
      {
        get(this: OnFirstUse) {
          const store = FACTORIES[name](this.executor);
          Object.defineProperty(this, name, { value: store });
          return store;
        },
      },
    ]),
  ),
);

/** Creates the stores of a transaction, each on first use, since most transactions use two or three. */
export function createTransactionStores(executor: SqlExecutor, announcer: Announcer): Stores {
  return Object.assign(Object.create(ON_FIRST_USE), { executor, announcer });
}
