import { accessRoutes } from './admin/access.ts';
import { assetAdminRoutes } from './admin/assets.ts';
import { auditRoutes } from './admin/audit.ts';
import { backupRoutes, restoreRoutes } from './admin/backups.ts';
import { collectionRuleRoutes } from './admin/collection-rules.ts';
import { collectionSchemaRoutes } from './admin/collection-schemas.ts';
import { searchIndexRoutes } from './admin/collection-search.ts';
import { collectionRoutes } from './admin/collections.ts';
import { configurationRoutes } from './admin/configuration.ts';
import { followAdminRoutes } from './admin/follows.ts';
import { groupAdminRoutes } from './admin/groups.ts';
import { indexRoutes } from './admin/indexes.ts';
import { apiKeyRoutes } from './admin/keys.ts';
import { overviewRoutes } from './admin/overview.ts';
import { pushAdminRoutes } from './admin/push.ts';
import { roleRoutes } from './admin/roles.ts';
import { statisticsRoutes } from './admin/statistics.ts';
import { userAdminRoutes } from './admin/users.ts';
import { webhookRoutes } from './admin/webhooks.ts';
import { changeRoutes } from './changes/changes.ts';
import { liveRoutes } from './changes/live.ts';
import { changeStreamRoutes } from './changes/streams.ts';
import type { OptionsOfAll } from './describe.ts';
import { batchRoutes } from './documents/batch.ts';
import { documentRoutes } from './documents/documents.ts';
import { extensionRoutes } from './extensions.ts';
import { assetRoutes } from './files/assets.ts';
import { fileRoutes, fileUploadRoutes } from './files/files.ts';
import { groupRoutes } from './groups/groups.ts';
import { invitationCodeRoutes } from './groups/invitations.ts';
import { loginCodeRoutes } from './login/codes.ts';
import { loginRoutes } from './login/login.ts';
import { passkeyLoginRoutes } from './login/passkeys.ts';
import { accountRoutes } from './me/account.ts';
import { ownEmailRoutes } from './me/email.ts';
import { followRequestRoutes } from './me/follow-requests.ts';
import { groupInvitationRoutes } from './me/group-invitations.ts';
import { passkeyRoutes } from './me/passkeys.ts';
import { ownSessionRoutes } from './me/sessions.ts';
import { totpRoutes } from './me/totp.ts';
import { metricsRoutes } from './metrics.ts';
import { pushRoutes } from './push.ts';
import { socialRoutes } from './social.ts';
import { accountAccessRoutes } from './users/account-access.ts';
import { blockRoutes } from './users/blocks.ts';
import { emailRoutes } from './users/emails.ts';
import { erasureRoutes } from './users/erasure.ts';
import { followRoutes } from './users/follows.ts';
import { guestRoutes } from './users/guests.ts';
import { passwordResetRoutes } from './users/password-reset.ts';
import { otherUserRoutes } from './users/users.ts';

/**
 * Routes by the URLs that they serve; the longest match counts. Register those of a new feature here; their options
 * declare their dependencies.
 */
export const ROUTES = {
  '/login': loginRoutes,
  '/logout': loginRoutes,
  '/refresh': loginRoutes,
  '/me/sessions': ownSessionRoutes,
  '/login/code': loginCodeRoutes,
  '/me/totp': totpRoutes,
  '/me/passkeys': passkeyRoutes,
  '/login/passkey': passkeyLoginRoutes,
  '/me/email': ownEmailRoutes,
  '/user/:username/email': emailRoutes,
  '/user/email/confirm': emailRoutes,
  '/me': accountRoutes,
  '/user': accountRoutes,
  '/user/password': accountRoutes,
  '/user/guest': guestRoutes,
  '/users': otherUserRoutes,
  '/user/:username': otherUserRoutes,
  '/follow': followRoutes,
  '/followers': followRoutes,
  '/following': followRoutes,
  '/group': groupRoutes,
  '/admin/group': groupAdminRoutes,
  '/me/group-policy': groupInvitationRoutes,
  '/me/group-invitations': groupInvitationRoutes,
  '/group/:id/invitation': invitationCodeRoutes,
  '/invitation': invitationCodeRoutes,
  '/me/following-policy': followRequestRoutes,
  '/me/follow-requests': followRequestRoutes,
  '/block': blockRoutes,
  '/blocked': blockRoutes,
  '/admin/user': userAdminRoutes,
  '/me/access': accountAccessRoutes,
  '/admin/user/:username/access': accountAccessRoutes,
  '/admin/user/:username/factors': accountAccessRoutes,
  '/admin/user/:username/secure': accountAccessRoutes,
  '/admin/user/:username/passkeys': accountAccessRoutes,
  '/admin/user/:username/social': accountAccessRoutes,
  '/admin/follow': followAdminRoutes,
  '/admin/Fw': followAdminRoutes,
  '/admin/key': apiKeyRoutes,
  '/admin/statistics': statisticsRoutes,
  '/admin/checks': overviewRoutes,
  '/admin/traffic': overviewRoutes,
  '/admin/requests': overviewRoutes,
  '/admin/audit': auditRoutes,
  '/admin/access': accessRoutes,
  '/admin/backup': backupRoutes,
  '/admin/role': roleRoutes,
  '/admin/roles': roleRoutes,
  '/admin/configuration': configurationRoutes,
  '/admin/mail': configurationRoutes,
  '/user/:username/password/reset': passwordResetRoutes,
  '/user/password/reset': passwordResetRoutes,
  '/user/erase': erasureRoutes,
  '/social': socialRoutes,
  '/metrics': metricsRoutes,
  '/push': pushRoutes,
  '/admin/push': pushAdminRoutes,
  '/admin/webhook': webhookRoutes,
  '/admin/collection': collectionRoutes,
  '/admin/collection/:name/rules': collectionRuleRoutes,
  '/admin/collection/:name/schema': collectionSchemaRoutes,
  '/admin/collection/:name/index': indexRoutes,
  '/admin/index': indexRoutes,
  '/admin/collection/:name/search': searchIndexRoutes,
  '/document': documentRoutes,
  '/changes': changeRoutes,
  '/changes/stream': changeStreamRoutes,
  '/live': liveRoutes,
  '/batch': batchRoutes,
  '/file': fileRoutes,
  '/asset': assetRoutes,
  '/ext': extensionRoutes,
} as const;

/** Routes that accept forms as well as JSON. */
export const TAKING_FORMS: ReadonlySet<unknown> = new Set([
  loginRoutes,
  loginCodeRoutes,
  emailRoutes,
  passwordResetRoutes,
  erasureRoutes,
  socialRoutes,
]);

/** Routes that receive files, and those that share a path with them. They need the parser of multipart forms. */
export const UPLOADS = {
  '/file': fileUploadRoutes,
  '/admin/asset': assetAdminRoutes,
  '/admin/backup/restore': restoreRoutes,
} as const;

/** Combined dependencies of all routes: use cases and limits. */
export type FeatureOptions = OptionsOfAll<
  readonly ((typeof ROUTES)[keyof typeof ROUTES] | (typeof UPLOADS)[keyof typeof UPLOADS])[]
>;
