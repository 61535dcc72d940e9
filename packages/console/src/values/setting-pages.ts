import type { ServiceCheck } from '@baobab/client/admin';
import { ownOf } from './own.ts';

/** Pages of the settings, in the order of the navigation. */
export const SETTING_PAGES = [
  'general',
  'sign-up',
  'security',
  'email',
  'notifications',
  'social',
  'images',
  'extensions',
  'retention',
  'backups',
  'environment',
] as const;
export type SettingPage = (typeof SETTING_PAGES)[number];

/** A titled part of a page. */
export interface SettingGroup {
  /** Key of its title in the texts. */
  readonly title: string;
  readonly keys: readonly string[];
  /** True if the group opens on request: most servers keep its defaults. */
  readonly isRare?: boolean;
}

const mail = (name: string): readonly string[] => [`${name}.subject`, `${name}.template.text`, `${name}.template.html`];

/** Settings by page. A key that is missing here appears on the page of its section. */
const GROUPS: Readonly<Partial<Record<SettingPage, readonly SettingGroup[]>>> = {
  general: [
    { title: 'application', keys: ['application.name', 'application.url'] },
    { title: 'address', keys: ['network.http.url', 'network.http.port', 'network.http.ssl'] },
    { title: 'following', keys: ['following.default', 'followers.read.documents'] },
    { title: 'groups', keys: ['group.add.default', 'group.max.per.user', 'group.max.members', 'invitation.url'] },
    { title: 'realtime', keys: ['changes.streams.per.user'] },
  ],
  'sign-up': [
    {
      title: 'signUp',
      keys: ['registration.open', 'registration.verified.email', 'login.by.mail', 'usernames.reserved.days'],
    },
    { title: 'guests', keys: ['guests.allowed'] },
    { title: 'deletion', keys: ['erase.grace.days', 'deletion.shared'] },
    {
      title: 'sessions',
      keys: ['session_tokens.timeout', 'session_tokens.lifetime', 'session_tokens.max.per.user'],
    },
  ],
  security: [
    { title: 'passwords', keys: ['password.min.length', 'password.refuse.common'] },
    { title: 'lockout', keys: ['lockout.failures', 'lockout.minutes'] },
    { title: 'notices', keys: ['security.notices'] },
    {
      title: 'noticeTexts',
      isRare: true,
      keys: [
        ...mail('security.notice'),
        'security.notice.login',
        'security.notice.password.changed',
        'security.notice.password.reset',
        'security.notice.factor.on',
        'security.notice.factor.off',
        'security.notice.passkey.added',
        'security.notice.passkey.removed',
        'security.notice.social.linked',
        'security.notice.social.unlinked',
        'security.notice.username.changed',
        'security.notice.account.suspended',
        'security.notice.account.secured',
        'security.notice.account.erasing',
        'security.notice.more',
      ],
    },
  ],
  email: [
    {
      title: 'server',
      keys: [
        'network.smtp.host',
        'network.smtp.port',
        'network.smtp.ssl',
        'network.smtp.tls',
        'network.smtp.authentication',
        'network.smtp.user',
        'network.smtp.password',
        'email.from',
      ],
    },
    {
      title: 'passwordReset',
      isRare: true,
      keys: [...mail('email'), 'email.expiration.time', 'page.html.template', 'page.html.feedback.template'],
    },
    { title: 'verification', isRare: true, keys: mail('email.verification') },
    { title: 'addressChanged', isRare: true, keys: mail('email.changed') },
    { title: 'loginCode', isRare: true, keys: mail('login.code') },
    { title: 'invitation', isRare: true, keys: mail('group.invitation') },
  ],
  notifications: [
    { title: 'senders', keys: ['push.senders'] },
    { title: 'android', keys: ['push.android.project', 'push.android.service_account'] },
    {
      title: 'ios',
      keys: ['push.ios.team', 'push.ios.topic', 'push.ios.key_id', 'push.ios.key', 'push.sandbox.enable'],
    },
  ],
  social: [
    { title: 'google', keys: ['social.google.enabled', 'social.google.token', 'social.google.secret'] },
    { title: 'facebook', keys: ['social.facebook.enabled', 'social.facebook.token', 'social.facebook.secret'] },
    { title: 'openid', keys: ['social.openid.enabled', 'social.openid.issuer', 'social.openid.token'] },
  ],
  images: [{ title: 'resizing', keys: ['image.allows.automatic.resize', 'image.allowed.automatic.resize.formats'] }],
  backups: [{ title: 'schedule', keys: ['backup.interval.hours', 'backup.keep'] }],
  retention: [
    {
      title: 'retention',
      keys: ['audit.retention.days', 'changes.retention.days', 'guests.expire.days', 'clock.grace.minutes'],
    },
  ],
};

/** Pages by section of the server. */
const PAGES: Readonly<Record<string, SettingPage>> = {
  PasswordRecovery: 'email',
  Application: 'general',
  Push: 'notifications',
  Images: 'images',
  Social: 'social',
  Extensions: 'extensions',
};

/** Pages of checks whose settings are not on the page of their section. */
const PAGES_OF_CHECKS: Readonly<Partial<Record<ServiceCheck['check'], SettingPage>>> = {
  backups: 'backups',
  clock: 'retention',
};

/** Returns the page with the settings that fix the findings of a check; null if there is none. */
export const pageOfCheck = ({ check, section }: Pick<ServiceCheck, 'check' | 'section'>): SettingPage | null =>
  section === null ? null : (PAGES_OF_CHECKS[check] ?? ownOf(PAGES, section) ?? null);

const PLACED: ReadonlySet<string> = new Set(
  Object.values(GROUPS).flatMap((groups) => groups.flatMap(({ keys }) => keys)),
);

/** The keys of extensions have the name of the extension after this prefix. */
const OF_EXTENSION = /^extension\.([\w-]+)\./;

/** Returns the name of the extension that declares a setting; null for others. */
const extensionOf = (key: string): string | null => OF_EXTENSION.exec(key)?.[1] ?? null;

/** Returns the key of a setting without the part that its group shows. */
export const shortKeyOf = (key: string): string => key.replace(OF_EXTENSION, '');

interface Keyed {
  readonly section: string;
  readonly key: string;
}

/** Returns the groups of a page with those settings that the server has. Settings without a group come last. */
export function groupsOf<S extends Keyed>(
  page: SettingPage,
  settings: readonly S[],
): readonly (Omit<SettingGroup, 'keys'> & { readonly settings: readonly S[] })[] {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const found = (GROUPS[page] ?? []).map(({ keys, ...group }) => ({
    ...group,
    settings: keys.flatMap((key) => byKey.get(key) ?? []),
  }));
  const others = settings.filter(({ section, key }) => ownOf(PAGES, section) === page && !PLACED.has(key));
  const titleOf = ({ key }: S) => extensionOf(key) ?? 'other';
  const rest = Array.from(new Set(others.map(titleOf)), (title) => ({
    title,
    settings: others.filter((setting) => titleOf(setting) === title),
  }));
  return [...found, ...rest].filter((group) => group.settings.length > 0);
}

/** Returns the range in the server's description of an integer; null if there is none. */
export function rangeOf(expected: string): readonly [least: number, most: number] | null {
  const [, least, most] = /^a whole number from (\d+) to (\d+)$/.exec(expected) ?? [];
  return least === undefined || most === undefined ? null : [Number(least), Number(most)];
}

/** Returns a description of the server as a sentence about the setting. */
export function helpOf(description: string): string {
  return `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
}
