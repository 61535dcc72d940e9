import { ADDRESS } from '../names/email-address.ts';
import { FOLLOW_POLICIES } from '../ports/storage/follows.ts';
import { isFormatList } from './image-formats.ts';
import { NOTICES } from './notices.ts';
import { type Check, oneLine, type SettingGroup, setting, type ValuesOf } from './setting.ts';
import * as templates from './templates.ts';

const resizeFormats: Check<string> = [isFormatList, 'sizes such as 25%, <=80px or 100-200, separated by spaces'];
/** An unquoted name with `,` or `:` would be several senders. */
const SENDER = new RegExp(`^(?:${ADDRESS}|(?:"[^"]*"\\s*|[^<>"@,;:]*)<${ADDRESS}>)$`);
const mailSender: Check<string> = [
  (value) => value === '' || (oneLine[0](value) && SENDER.test(value.trim())),
  'an address such as app@example.com or My App <app@example.com>',
];
const senders: Check<string> = [
  (value) => value === 'administrator' || value === 'registereduser',
  'administrator or registereduser',
];

const consent: Check<string> = [
  (value) => (FOLLOW_POLICIES as readonly string[]).includes(value),
  FOLLOW_POLICIES.join(', '),
];

const shared: Check<string> = [(value) => value === 'keep' || value === 'remove', 'keep, remove'];

const invitationUrl: Check<string> = [
  (value) => value === '' || /^https?:\/\/[^\s/]+\/\S*\{code\}\S*$/.test(value),
  'an address such as https://app.example/join/{code}',
];

const applicationUrl: Check<string> = [
  (value) => value === '' || /^https?:\/\/[^\s/?#"<>]+(?:[/?#][^\s"<>]*)?$/.test(value),
  'an address such as https://app.example',
];

/** Setting that allows followers to read the documents of the users they follow. */
export const FOLLOWERS_READ = 'followers.read.documents';

const PASSWORD_RECOVERY = {
  section: 'PasswordRecovery',
  settings: {
    'email.template.text': setting.protected.text(
      templates.RESET_MAIL_TEXT,
      'Plain-text body of the password reset e-mail; $link$ $user_name$ $token$ $application_name$',
    ),
    'email.template.html': setting.protected.text(
      templates.RESET_MAIL_HTML,
      'HTML body of the password reset e-mail; $link$ $user_name$ $token$ $application_name$',
    ),
    'email.from': setting.protected.string(
      '',
      'Sender of all e-mails; noreply at the public host if empty',
      mailSender,
    ),
    'email.subject': setting.protected.string('Choose a new password', 'Subject of the password reset e-mail', oneLine),
    'email.expiration.time': setting.protected.integer(15, 'Minutes for which a link works', 1, 10_080),
    'page.html.template': setting.protected.text(
      templates.RESET_FORM,
      'Page with the form for a new password; $link$ $user_name$ $token$ $application_name$ $error$ $password$ $repeat_password$',
    ),
    'page.html.feedback.template': setting.protected.text(
      templates.RESET_FEEDBACK,
      'Page with the result of a password reset or a confirmation; $message$ $error$ $application_name$ $application_url$',
    ),
  },
} as const satisfies SettingGroup;

const APPLICATION = {
  section: 'Application',
  settings: {
    'application.name': setting.protected.string('Baobab', 'The name of the application', oneLine),
    'application.url': setting.protected.string(
      '',
      'Address of the app, linked from the pages after a password reset or a confirmation; empty for none',
      applicationUrl,
    ),
    'session_tokens.timeout': setting.protected.integer(
      15,
      'Idle time after which a session expires, in minutes; 0 for never',
      0,
      5_256_000,
    ),
    'session_tokens.lifetime': setting.protected.integer(
      0,
      'Maximum lifetime of a session, in minutes; 0 for unlimited',
      0,
      5_256_000,
    ),
    'session_tokens.max.per.user': setting.protected.integer(
      0,
      'Maximum number of sessions per user: a further login ends the least recently used one; 0 for unlimited',
      0,
      1000,
    ),
    'network.http.ssl': setting.protected.boolean(false, 'The public URL uses HTTPS'),
    'network.http.url': setting.protected.string('', 'The public host name; the one of PUBLIC_URL if empty', [
      (value) => value === '' || /^[A-Za-z0-9.-]+$|^\[[0-9A-Fa-f:]+\]$/.test(value),
      'a host name without scheme, port and path',
    ]),
    'network.http.port': setting.protected.integer(9000, 'The public port', 1, 65_535),
    [FOLLOWERS_READ]: setting.protected.boolean(true, 'Followers read the documents of users they follow'),
    'registration.open': setting.protected.boolean(true, 'Sign-up is open; administrators can always create users'),
    'registration.verified.email': setting.protected.boolean(
      false,
      'New users must confirm an e-mail address before their first login',
    ),
    'guests.allowed': setting.protected.boolean(
      false,
      'Visitors can use the app as guests, without a name and a password',
    ),
    'guests.expire.days': setting.protected.integer(
      30,
      'Days after which an inactive guest is removed; 0 for never',
      0,
      3650,
    ),
    'usernames.reserved.days': setting.protected.integer(
      30,
      'Days for which the former name of a renamed user can be taken by that user only; 0 for none',
      0,
      3650,
    ),
    'erase.grace.days': setting.protected.integer(
      7,
      'Days for which users can take back the deletion of their account; 0 for immediate deletion',
      0,
      365,
    ),
    'deletion.shared': setting.protected.string(
      'remove',
      'Documents and files in groups after their author deletes the account: remove, or keep without an author',
      shared,
    ),
    'following.default': setting.protected.string(
      'anyone',
      'Default follow policy of users who have not chosen one: anyone, approve or nobody',
      consent,
    ),
    'group.add.default': setting.protected.string(
      'approve',
      'Default group policy of users who have not chosen one: anyone, approve or nobody',
      consent,
    ),
    'group.invitation.subject': setting.protected.string(
      'An invitation to a group',
      'Subject of the group invitation e-mail',
      oneLine,
    ),
    'group.invitation.template.text': setting.protected.text(
      templates.GROUP_INVITATION_TEXT,
      'Plain-text body of the group invitation e-mail; $code$ $link$ $user_name$ $group_name$ $application_name$',
    ),
    'group.invitation.template.html': setting.protected.text(
      templates.GROUP_INVITATION_HTML,
      'HTML body of the group invitation e-mail; $code$ $link$ $user_name$ $group_name$ $application_name$',
    ),
    'invitation.url': setting.protected.string(
      '',
      'Page of the app that accepts group invitations, with {code} as the placeholder; empty for none',
      invitationUrl,
    ),
    'group.max.per.user': setting.unprotected.integer(
      100,
      'Maximum number of groups that a user can create or join; groups that others added the user to do not count',
      0,
      1000,
    ),
    'group.max.members': setting.unprotected.integer(1000, 'Maximum number of members of a group', 1, 10_000),
    'changes.retention.days': setting.unprotected.integer(
      30,
      'Days for which the change feed keeps deletions and revoked permissions',
      1,
      3650,
    ),
    'audit.retention.days': setting.protected.integer(
      365,
      'Retention of audit events, in days; 0 for unlimited',
      0,
      36_500,
    ),
    'clock.grace.minutes': setting.protected.integer(
      60,
      'Minutes that the clock must run on after a jump until data expires by it; 0 to trust it immediately',
      0,
      10_080,
    ),
    'requests.log.level': setting.protected.string(
      'all',
      'Requests that each node logs for administrators: all, errors (status 400 or above) or off',
      [(value) => ['all', 'errors', 'off'].includes(value), 'all, errors, off'],
    ),
    'requests.log.size': setting.protected.integer(1000, 'Maximum number of requests in the log of a node', 0, 10_000),
    'backup.interval.hours': setting.protected.integer(
      24,
      'Hours between two backups to BACKUP_URL; 0 for none',
      0,
      8760,
    ),
    'backup.keep': setting.protected.integer(7, 'Number of backups kept at BACKUP_URL', 1, 1000),
    'lockout.failures': setting.protected.integer(
      10,
      'Failed attempts after which an account is locked for unknown devices; 0 to disable account lockout',
      0,
      100,
    ),
    'lockout.minutes': setting.protected.integer(
      15,
      'Period in which failed attempts are counted, and duration of an account lockout, in minutes',
      1,
      1440,
    ),
    'changes.streams.per.user': setting.unprotected.integer(
      500,
      'Maximum number of subscriptions and open change streams per user (or per address without a user) and process, and of sockets',
      0,
      1000,
    ),
    'email.verification.subject': setting.protected.string(
      'Confirm your address',
      'Subject of the address verification e-mail',
      oneLine,
    ),
    'email.verification.template.text': setting.protected.text(
      templates.EMAIL_MAIL_TEXT,
      'Plain-text body of the address verification e-mail; $code$ $link$ $user_name$ $application_name$',
    ),
    'email.verification.template.html': setting.protected.text(
      templates.EMAIL_MAIL_HTML,
      'HTML body of the address verification e-mail; $code$ $link$ $user_name$ $application_name$',
    ),
    'email.changed.subject': setting.protected.string(
      'Your address has changed',
      'Subject of the address change e-mail, sent to the replaced address',
      oneLine,
    ),
    'email.changed.template.text': setting.protected.text(
      templates.EMAIL_CHANGED_TEXT,
      'Plain-text body of the address change e-mail; $user_name$ $application_name$',
    ),
    'email.changed.template.html': setting.protected.text(
      templates.EMAIL_CHANGED_HTML,
      'HTML body of the address change e-mail; $user_name$ $application_name$',
    ),
    'login.by.mail': setting.protected.boolean(false, 'Users can log in with a code sent to their verified address'),
    'login.code.subject': setting.protected.string('Your code to log in', 'Subject of the login-code e-mail', oneLine),
    'login.code.template.text': setting.protected.text(
      templates.LOGIN_CODE_TEXT,
      'Plain-text body of the login-code e-mail; $code$ $user_name$ $application_name$',
    ),
    'login.code.template.html': setting.protected.text(
      templates.LOGIN_CODE_HTML,
      'HTML body of the login-code e-mail; $code$ $user_name$ $application_name$',
    ),
    'password.min.length': setting.protected.integer(
      0,
      'Minimum length of new passwords; 8 or more is recommended, 0 allows empty passwords',
      0,
      128,
    ),
    'password.refuse.common': setting.protected.boolean(
      false,
      'Common passwords and passwords derived from the user name are refused',
    ),
  },
} as const satisfies SettingGroup;

const PUSH = {
  section: 'Push',
  settings: {
    'push.senders': setting.protected.string(
      'administrator',
      'Senders of notifications: administrator or registereduser',
      senders,
    ),
  },
} as const satisfies SettingGroup;

const IMAGES = {
  section: 'Images',
  settings: {
    'image.allows.automatic.resize': setting.unprotected.boolean(true, 'Enable image resizing'),
    'image.allowed.automatic.resize.formats': setting.unprotected.string(
      '25% 50% 75% <=80px',
      'Sizes that every caller may request, separated by spaces',
      resizeFormats,
    ),
  },
} as const satisfies SettingGroup;

/** Settings of the core itself. Adapters add their own groups. */
export const CORE_SETTINGS: readonly SettingGroup[] = [PASSWORD_RECOVERY, APPLICATION, NOTICES, PUSH, IMAGES];

/** Values of the core's own settings, each in its own type. */
export type SettingValues = ValuesOf<typeof PASSWORD_RECOVERY> &
  ValuesOf<typeof APPLICATION> &
  ValuesOf<typeof NOTICES> &
  ValuesOf<typeof PUSH> &
  ValuesOf<typeof IMAGES>;
