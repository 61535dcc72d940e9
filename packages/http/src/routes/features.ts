import { assetAdminRoutes } from './asset-admin.ts';
import { assetRoutes } from './assets.ts';
import { auditRoutes } from './audit.ts';
import { batchRoutes } from './batch.ts';
import { blockRoutes } from './blocks.ts';
import { changeStreamRoutes } from './change-streams.ts';
import { changeRoutes } from './changes.ts';
import { collectionRuleRoutes } from './collection-rules.ts';
import { collectionSchemaRoutes } from './collection-schemas.ts';
import { collectionRoutes } from './collections.ts';
import type { OptionsOfAll } from './describe.ts';
import { documentGrantRoutes } from './document-grants.ts';
import { documentRoutes } from './documents.ts';
import { emailRoutes } from './emails.ts';
import { factorRoutes } from './factors.ts';
import { fileGrantRoutes } from './file-grants.ts';
import { fileWriteRoutes } from './file-writes.ts';
import { fileRoutes } from './files.ts';
import { followAdminRoutes } from './follow-admin.ts';
import { followConsentRoutes } from './follow-consent.ts';
import { followRoutes } from './follows.ts';
import { groupInvitationRoutes } from './group-invitations.ts';
import { groupRoutes } from './groups.ts';
import { guestRoutes } from './guests.ts';
import { indexRoutes } from './indexes.ts';
import { invitationCodeRoutes } from './invitation-codes.ts';
import { loginCodeRoutes } from './login-codes.ts';
import { metricsRoutes } from './metrics.ts';
import { operationRoutes } from './operation.ts';
import { otherUserRoutes } from './other-users.ts';
import { overviewRoutes } from './overview.ts';
import { passkeyRoutes } from './passkeys.ts';
import { passwordResetRoutes } from './password-reset.ts';
import { pushRoutes } from './push.ts';
import { roleRoutes } from './roles.ts';
import { serverKeyRoutes } from './server-keys.ts';
import { sessionAdminRoutes } from './session-admin.ts';
import { sessionRoutes } from './sessions.ts';
import { settingRoutes } from './settings.ts';
import { socialRoutes } from './social.ts';
import { userAdminRoutes } from './user-admin.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';

/** Routes of all features. Register those of a new feature here; their options declare their dependencies. */
export const FEATURES = [
  sessionRoutes,
  loginCodeRoutes,
  factorRoutes,
  passkeyRoutes,
  emailRoutes,
  userRoutes,
  guestRoutes,
  otherUserRoutes,
  followRoutes,
  groupRoutes,
  groupInvitationRoutes,
  invitationCodeRoutes,
  followConsentRoutes,
  blockRoutes,
  userAdminRoutes,
  followAdminRoutes,
  sessionAdminRoutes,
  serverKeyRoutes,
  operationRoutes,
  overviewRoutes,
  auditRoutes,
  roleRoutes,
  settingRoutes,
  passwordResetRoutes,
  socialRoutes,
  metricsRoutes,
  pushRoutes,
  webhookRoutes,
  collectionRoutes,
  collectionRuleRoutes,
  collectionSchemaRoutes,
  indexRoutes,
  documentRoutes,
  changeRoutes,
  changeStreamRoutes,
  batchRoutes,
  documentGrantRoutes,
  fileRoutes,
  fileGrantRoutes,
  assetRoutes,
] as const;

/** Features that accept forms as well as JSON. */
export const TAKING_FORMS: ReadonlySet<unknown> = new Set([
  sessionRoutes,
  loginCodeRoutes,
  emailRoutes,
  passwordResetRoutes,
  socialRoutes,
]);

/** Routes that receive files, and those that share a path with them. They need the parser of multipart forms. */
export const UPLOADS = [fileWriteRoutes, assetAdminRoutes] as const;

/** Combined dependencies of all routes: use cases and limits. */
export type FeatureOptions = OptionsOfAll<typeof FEATURES> & OptionsOfAll<typeof UPLOADS>;
