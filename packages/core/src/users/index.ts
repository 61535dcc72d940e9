export {
  type AccountAccess,
  type AccountAccessUseCases,
  createAccountAccess,
} from './account-access.ts';
export { ensureAdministrator, GENERATED_PASSWORD } from './administrator.ts';
export {
  createPasswordReset,
  PASSWORD_FIELD,
  type PasswordReset,
  REPEAT_FIELD,
  type ResetRequest,
  type ResetSubmission,
  resetTroublePage,
} from './password-reset.ts';
export { createPasswordRules, type PasswordRules } from './passwords.ts';
export { type Profile, seenBy } from './profiles.ts';
export { addressForLinks } from './reset-address.ts';
export { parseSections, socialIn, withSocial } from './sections.ts';
export { createUserAdmin, type UserAdmin, type UserAdminChange, type UserCreation } from './user-admin.ts';
export { createUserLists, type SearchableUsers, type UserLists } from './user-lists.ts';
export {
  createUsers,
  type PasswordChange,
  type ProfileChange,
  type SignUp,
  type Users,
} from './users.ts';
