import type { Announcer, Stores } from '@baobab/core';
import { createAssetStore } from './assets.ts';
import { createAuditStore } from './audit.ts';
import { createBlockStore } from './blocks.ts';
import { createChallengeStore } from './challenges.ts';
import { createChangeStore } from './changes.ts';
import { createCollectionStore } from './collections.ts';
import { createDeviceStore } from './devices.ts';
import { createDocumentStore } from './documents.ts';
import { createEmailStore } from './emails.ts';
import type { SqlExecutor } from './executor.ts';
import { createFactorStore } from './factors.ts';
import { createFileStore } from './files.ts';
import { createFollowStore } from './follows.ts';
import { createGroupInvitationStore } from './group-invitations.ts';
import { createGroupStore } from './groups.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { createInvitationCodeStore } from './invitation-codes.ts';
import { createJobStore } from './jobs.ts';
import { createLockoutStore } from './lockouts.ts';
import { createMailStore } from './mails.ts';
import { createOutboxStore } from './outbox.ts';
import { createPasskeyStore } from './passkeys.ts';
import { createRateLimitStore } from './rate-limits.ts';
import { createResetTokenStore } from './reset-tokens.ts';
import { createRoleStore } from './roles.ts';
import { createSealedStore } from './sealed.ts';
import { createServerKeyStore } from './server-keys.ts';
import { createSessionStore } from './sessions.ts';
import { createSettingStore } from './settings.ts';
import { createSocialLinkStore } from './social-links.ts';
import { createUserStore } from './users.ts';
import { createWebhookStore } from './webhooks.ts';

const FACTORIES = {
  users: createUserStore,
  sessions: createSessionStore,
  serverKeys: createServerKeyStore,
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
