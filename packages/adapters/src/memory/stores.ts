import type { Storage, Stores } from '@baobab/core';
import { createDeviceStore, createSessionStore } from './accounts.ts';
import { createAssetStore } from './assets.ts';
import { createAuditStore } from './audit-events.ts';
import { createChangeStore } from './changes.ts';
import { createCollectionStore } from './collections.ts';
import { createTimeCorrection } from './correct-times.ts';
import {
  createApiKeyStore,
  createChallengeStore,
  createEmailStore,
  createFactorStore,
  createPasskeyStore,
  createResetTokenStore,
  createSocialLinkStore,
} from './credentials.ts';
import { createDocumentStore } from './documents.ts';
import { createExpiry } from './expired.ts';
import { createFileStore } from './files.ts';
import { createBlockStore, createFollowStore } from './follows.ts';
import { createGroupInvitationStore, createGroupStore, createInvitationCodeStore } from './groups.ts';
import { createIndexStore, createSearchIndexStore } from './indexes.ts';
import { createMailStore, createOutboxStore } from './outbox.ts';
import { createRoleStore } from './roles.ts';
import { createSealedStore } from './sealed.ts';
import {
  createIdempotencyStore,
  createJobStore,
  createLockoutStore,
  createRateLimitStore,
  createSettingStore,
} from './small-stores.ts';
import type { State } from './state.ts';
import { createStatisticsStore } from './statistics.ts';
import type { Immediate } from './tables.ts';
import { createUserStore } from './users.ts';
import { createWebhookStore } from './webhooks.ts';

type AllStores = Omit<Stores, 'announcer'> &
  Pick<Storage, 'indexes' | 'searchIndexes' | 'statistics'> & {
    readonly maintenance: Pick<Storage, 'removeExpired' | 'correctTimes'>;
  };

export const createStores = (state: State): { readonly [Name in keyof AllStores]: Immediate<AllStores[Name]> } => ({
  users: createUserStore(state),
  sessions: createSessionStore(state),
  devices: createDeviceStore(state),
  roles: createRoleStore(state),
  collections: createCollectionStore(state),
  documents: createDocumentStore(state),
  changes: createChangeStore(state),
  files: createFileStore(state),
  assets: createAssetStore(state),
  follows: createFollowStore(state),
  groups: createGroupStore(state),
  groupInvitations: createGroupInvitationStore(state),
  invitationCodes: createInvitationCodeStore(state),
  blocks: createBlockStore(state),
  settings: createSettingStore(state),
  resetTokens: createResetTokenStore(state),
  factors: createFactorStore(state),
  challenges: createChallengeStore(state),
  passkeys: createPasskeyStore(state),
  rateLimits: createRateLimitStore(state),
  lockouts: createLockoutStore(state),
  idempotency: createIdempotencyStore(state),
  jobs: createJobStore(state),
  outbox: createOutboxStore(state),
  mails: createMailStore(state),
  emails: createEmailStore(state),
  socialLinks: createSocialLinkStore(state),
  apiKeys: createApiKeyStore(state),
  webhooks: createWebhookStore(state),
  sealed: createSealedStore(state),
  audit: createAuditStore(state),
  indexes: createIndexStore(state),
  searchIndexes: createSearchIndexStore(state),
  statistics: createStatisticsStore(state),
  maintenance: { ...createExpiry(state), ...createTimeCorrection(state) },
});
