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
const event = (text: string, when: string) => setting.string(text, `What $event$ says ${when}`, oneLine);

/** Mails about account events. */
export const NOTICES = {
  section: 'Application',
  settings: {
    'security.notices': setting.boolean(
      true,
      'Whether users with a verified address get a mail about logins from new clients and about changes of passwords, factors, links and addresses',
    ),
    'security.notice.subject': setting.string('News about your account', 'The subject of that mail', oneLine),
    'security.notice.template.text': setting.text(NOTICE_TEXT, `That mail as plain text; ${PLACEHOLDERS}`),
    'security.notice.template.html': setting.text(NOTICE_HTML, `That mail as HTML; ${PLACEHOLDERS}`),
    'security.notice.login': event(
      'Somebody logged in from a client that your account has not seen before.',
      'about a login from a new client',
    ),
    'security.notice.password.changed': event('The password was changed.', 'about a new password'),
    'security.notice.password.reset': event(
      'The password was reset with a link from a mail.',
      'about a password that was reset',
    ),
    'security.notice.factor.on': event('A second factor was turned on.', 'about a second factor that was turned on'),
    'security.notice.factor.off': event('The second factor was turned off.', 'about one that was turned off'),
    'security.notice.passkey.added': event('A passkey was added.', 'about a new passkey'),
    'security.notice.passkey.removed': event('A passkey was removed.', 'about a passkey that was removed'),
    'security.notice.social.linked': event(
      'A social network was linked, by which one can log in from now on.',
      'about a new link to a social network',
    ),
    'security.notice.social.unlinked': event(
      'The link to a social network was removed.',
      'about a link that was removed',
    ),
    'security.notice.more': setting.string(
      'You will get no more mails of this kind for the next few hours.',
      'What $more$ says in the last mail before a pause; otherwise it is empty',
      oneLine,
    ),
  },
} as const satisfies SettingGroup;
