import { isAppError } from '../errors.ts';
import type { OutgoingMail } from '../mail/outgoing.ts';
import { fillHtml, fillText } from '../mail/template.ts';
import { addressIn, emailKey } from '../names/email-address.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { RateLimit } from '../ports/storage/rate-limits.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { wireDate } from '../wire.ts';

const DAY = 24 * 60 * 60_000;
/** Time for which a notice is worth sending, in milliseconds. */
const LIFETIME_MS = 3 * DAY;
/**
 * Limits of notices to a user. Logins are counted separately, so that unnamed clients cannot use up the notices of
 * changes.
 */
const LIMITS = {
  login: { times: 5, window: DAY },
  change: { times: 20, window: DAY },
  // Per unverified address, which may belong to a stranger.
  stranger: { times: 3, window: DAY },
} as const satisfies Record<string, RateLimit>;
const MAX_AGENT_LENGTH = 100;
const CONTROL = /\p{Cc}+/gu;

/** Subject of a notice. */
type NoticeKind =
  | 'login'
  | 'password.changed'
  | 'password.reset'
  | 'factor.on'
  | 'factor.off'
  | 'passkey.added'
  | 'passkey.removed'
  | 'social.linked'
  | 'social.unlinked'
  | 'username.changed'
  | 'account.suspended'
  | 'account.secured'
  | 'account.erasing';

/** An event to report, with its source. */
export interface Notice {
  readonly kind: NoticeKind;
  readonly network: string | null;
  /** User agent of the client; absent or null if unknown. */
  readonly agent?: string | null;
}

/** Settings for writing notices; null if none are sent. */
export type NoticeSettings = SettingValues | null;

export interface NoticesDeps {
  readonly outgoingMail: OutgoingMail;
  readonly mailer: Mailer;
  readonly settings: SettingsReader;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

export type Notices = ReturnType<typeof createNotices>;

/** Mails about account changes, to verified addresses and to replaced ones. */
export function createNotices({ outgoingMail, mailer, settings, secrets, clock }: NoticesDeps) {
  const shownAgent = (agent: string | null) => (agent ?? '').replaceAll(CONTROL, ' ').slice(0, MAX_AGENT_LENGTH);

  /** Counts a notice. Null beyond the limit; otherwise true for the last one. */
  async function count({ rateLimits }: Stores, whom: string, about: keyof typeof LIMITS): Promise<boolean | null> {
    const limit = LIMITS[about];
    const key = secrets.digest(`notice/${about}/${whom}`);
    const window = await rateLimits.take(key, clock.now(), limit);
    return window.taken ? window.count >= limit.times : null;
  }

  return {
    /** Reads the settings. To be called before the transaction, because this may need the storage. */
    async prepare(): Promise<NoticeSettings> {
      const values = await settings.current();
      if (!values['security.notices']) return null;
      try {
        await mailer.requireSetUp();
        return values;
      } catch (error) {
        if (isAppError(error) && error.code === 'mail.unavailable') return null;
        throw error;
      }
    },

    /**
     * Stores a notice, in the transaction of the change. Skips users without a verified address and notices beyond the
     * limit.
     */
    async post(stores: Stores, values: NoticeSettings, user: UserRecord, notice: Notice): Promise<void> {
      const to = user.emailVerified ? addressIn(user.sections.visibleByTheUser) : null;
      if (values === null || to === null) return;
      const isLast = await count(stores, user.id, notice.kind === 'login' ? 'login' : 'change');
      if (isLast === null) return;
      const now = clock.now();
      const filled = {
        event: values[`security.notice.${notice.kind}`],
        time: wireDate(now),
        network: notice.network ?? 'an unknown network',
        client: shownAgent(notice.agent ?? null),
        more: isLast ? values['security.notice.more'] : '',
        user_name: user.name,
        application_name: values['application.name'],
      };
      await outgoingMail.post(stores, values, {
        userId: user.id,
        // Unique, so that a notice does not replace a waiting one.
        topic: `notice/${secrets.token()}`,
        expires: now + LIFETIME_MS,
        to,
        subject: values['security.notice.subject'],
        text: fillText(values['security.notice.template.text'], filled),
        html: fillHtml(values['security.notice.template.html'], filled),
      });
    },

    /** Notifies the former address of a user, verified or not, that it is no longer used. Otherwise as `post`. */
    async addressChanged(stores: Stores, values: NoticeSettings, before: UserRecord): Promise<void> {
      const to = addressIn(before.sections.visibleByTheUser);
      if (values === null || to === null || (await count(stores, before.id, 'change')) === null) return;
      if (!before.emailVerified && (await count(stores, emailKey(to), 'stranger')) === null) return;
      const filled = { user_name: before.name, application_name: values['application.name'] };
      await outgoingMail.post(stores, values, {
        userId: before.id,
        topic: `email changed/${secrets.token()}`,
        expires: clock.now() + LIFETIME_MS,
        to,
        subject: values['email.changed.subject'],
        text: fillText(values['email.changed.template.text'], filled),
        html: fillHtml(values['email.changed.template.html'], filled),
      });
    },
  };
}
