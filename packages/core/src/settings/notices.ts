import { oneLine, type SettingGroup, setting } from './setting.ts';

const NOTICE_TEXT = `Hello $user_name$,

$event$

Account: $user_name$ at $application_name$
When: $time$
From: $network$ $client$

If it was you, there is nothing to do. If not, choose a new password at once, and end all other sessions.

$more$
`;

const NOTICE_HTML = `<p>Hello $user_name$,</p>
<p><strong>$event$</strong></p>
<p>Account: $user_name$ at $application_name$<br>
When: $time$<br>
From: $network$ $client$</p>
<p>If it was you, there is nothing to do. If not, choose a new password at once, and end all other sessions.</p>
<p>$more$</p>
`;

const PLACEHOLDERS = '$event$ $time$ $network$ $client$ $more$ $user_name$ $application_name$';
const event = (text: string, when: string) => setting.protected.string(text, `Text of $event$ ${when}`, oneLine);

/** Mails about account events. */
export const NOTICES = {
  section: 'Application',
  settings: {
    'security.notices': setting.protected.boolean(
      true,
      'Users with a verified address get a mail about logins from new clients and about changes of passwords, factors, links, addresses and names',
    ),
    'security.notice.subject': setting.protected.string(
      'News about your account',
      'Subject of the security notice e-mail',
      oneLine,
    ),
    'security.notice.template.text': setting.protected.text(
      NOTICE_TEXT,
      `Plain-text body of the security notice e-mail; ${PLACEHOLDERS}`,
    ),
    'security.notice.template.html': setting.protected.text(
      NOTICE_HTML,
      `HTML body of the security notice e-mail; ${PLACEHOLDERS}`,
    ),
    'security.notice.login': event(
      'There was a login to your account from a new client.',
      'after a login from a new client',
    ),
    'security.notice.password.changed': event('The password was changed.', 'after a change of the password'),
    'security.notice.password.reset': event(
      'The password was reset with a link from a mail.',
      'after a reset of the password',
    ),
    'security.notice.factor.on': event('A second factor was turned on.', 'after a second factor is turned on'),
    'security.notice.factor.off': event('The second factor was turned off.', 'after a second factor is turned off'),
    'security.notice.passkey.added': event('A passkey was added.', 'after a passkey is added'),
    'security.notice.passkey.removed': event('A passkey was removed.', 'after a passkey is removed'),
    'security.notice.social.linked': event(
      'A social network was linked. It can be used to log in from now on.',
      'after a social network is linked',
    ),
    'security.notice.social.unlinked': event('The link to a social network was removed.', 'after a link is removed'),
    'security.notice.username.changed': event('The user name was changed.', 'after a change of the user name'),
    'security.notice.account.suspended': event(
      'Your account was suspended. Only an administrator can activate it again.',
      'after the user suspends the account',
    ),
    'security.notice.account.secured': event(
      'An administrator has logged you out everywhere and removed your password, second factor, passkeys and linked social networks. Choose a new password with the link that was mailed to you, or ask for one in the app.',
      'after an administrator secures the account',
    ),
    'security.notice.account.erasing': event(
      'Your account is being deleted. You can keep it in the app until then, with your user name and password.',
      'after the user deletes the account',
    ),
    'security.notice.more': setting.protected.string(
      'You will get no more mails of this kind for the next few hours.',
      'Text of $more$ in the last mail before a pause; otherwise it is empty',
      oneLine,
    ),
  },
} as const satisfies SettingGroup;
