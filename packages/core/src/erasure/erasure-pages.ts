import { ANONYMOUS } from '../actor.ts';
import { baseUrl } from '../mail/addresses.ts';
import type { OutgoingMail } from '../mail/outgoing.ts';
import { fillPage, type LinkPage } from '../mail/pages.ts';
import { shownName } from '../mail/shown-name.ts';
import { fillHtml, fillText } from '../mail/template.ts';
import { addressKey, attemptKey } from '../names/email-address.ts';
import { isInternalName, userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { attemptAt, networkOf, type RateLimiter } from '../protection/limits.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { ERASE_FORM, ERASE_MAIL_HTML, ERASE_MAIL_TEXT, ERASE_PAGE, RESET_FEEDBACK } from '../settings/templates.ts';
import { addressForLinks } from '../users/index.ts';
import { wireDate } from '../wire.ts';
import type { Erasures } from './erasures.ts';

/** Name of the form field with a user name or an address. */
export const ERASE_FIELD = 'username';

const MINUTE = 60_000;
const SENT = 'If there is such an account with an e-mail address, a link was sent to that address.';

export interface ErasurePagesDeps {
  readonly storage: Storage;
  readonly erasures: Erasures;
  readonly mailer: Mailer;
  readonly outgoingMail: OutgoingMail;
  readonly settings: SettingsReader;
  readonly limiter: RateLimiter;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Base URL for browsers unless overridden by the settings, without a trailing slash. */
  readonly publicUrl: string;
}

export type ErasurePages = ReturnType<typeof createErasurePages>;

/** Pages on which users delete their account without the app, as app stores require. A link by mail confirms it. */
export function createErasurePages(deps: ErasurePagesDeps) {
  const { storage, erasures, mailer, outgoingMail, settings, limiter, secrets, clock, publicUrl } = deps;

  const linkOf = (values: SettingValues, token = '') =>
    `${baseUrl(values, publicUrl)}/user/erase${token === '' ? '' : `/${token}`}`;
  /** The links share a table with those of the password reset, and neither works for the other purpose. */
  const textOf = (token: string) => `erase/${token}`;

  const form = (values: SettingValues, error = '') => fillPage(values, ERASE_FORM, { link: linkOf(values), error });
  const invalidLink = (values: SettingValues) =>
    fillPage(values, RESET_FEEDBACK, { error: 'This link does not work or has expired. Ask for a new one.' });

  async function ownerOf(token: string): Promise<UserRecord | null> {
    for (const digest of secrets.digests(textOf(token))) {
      const userId = await storage.resetTokens.find(digest, clock.now());
      if (userId !== null) return storage.users.find(userId);
    }
    return null;
  }

  async function consume({ resetTokens, users }: Stores, token: string): Promise<UserRecord | null> {
    for (const digest of secrets.digests(textOf(token))) {
      const userId = await resetTokens.consume(digest, clock.now());
      if (userId !== null) return users.update(userId, {});
    }
    return null;
  }

  async function send(values: SettingValues, user: UserRecord): Promise<void> {
    const lifetime = values['email.expiration.time'] * MINUTE;
    const to = await addressForLinks({ storage, clock }, user, lifetime);
    if (to === null) return;
    const token = secrets.token();
    const expires = clock.now() + lifetime;
    const application_name = values['application.name'];
    const user_name = user.emailVerified ? user.name : shownName(user.name, to);
    const filled = { link: linkOf(values, token), user_name, application_name };
    await storage.transaction(async (stores) => {
      await stores.resetTokens.put({ digest: secrets.digest(textOf(token)), userId: user.id, expires });
      await outgoingMail.post(stores, values, {
        userId: user.id,
        topic: 'erase',
        expires,
        to,
        subject: `Delete your account at ${application_name}`,
        text: fillText(ERASE_MAIL_TEXT, filled),
        html: fillHtml(ERASE_MAIL_HTML, filled),
      });
    });
  }

  return {
    /** Returns the form that asks for the account. */
    open: async (): Promise<LinkPage> => form(await settings.current()),

    /** Returns the form with an error about an unreadable submission. */
    refuse: async (error: string): Promise<LinkPage> => form(await settings.current(), error),

    /**
     * Sends a link to the address of an account. Unknown accounts get the same answer.
     *
     * @param typed user name or verified address
     * @throws `rate.limited`, `mail.unavailable`
     */
    async ask(typed: string, address: string): Promise<LinkPage> {
      const values = await settings.current();
      if (typed.trim() === '') return form(values, 'Type your user name or your e-mail address.');
      const key = userKey(typed);
      await limiter.take(attemptAt('resetRequest', attemptKey(typed), address));
      await mailer.requireSetUp();
      const found = await storage.users.credentials(key, addressKey(typed));
      const user = found === null || isInternalName(found.name) ? null : await storage.users.find(found.id);
      if (user !== null) await send(values, user);
      return fillPage(values, RESET_FEEDBACK, { message: SENT });
    },

    /**
     * Returns the page of the link. It asks for confirmation, and opening it changes nothing, because mail scanners
     * open links too.
     */
    async openLink(token: string): Promise<LinkPage> {
      const [values, user] = [await settings.current(), await ownerOf(token)];
      if (user === null) return invalidLink(values);
      return fillPage(values, ERASE_PAGE, { link: linkOf(values, token), user_name: user.name });
    },

    /** Deletes the account by the link, as `Erasures.requestOwn`. The link works once. */
    async submitLink(token: string, address: string): Promise<LinkPage> {
      const values = await settings.current();
      const source = { ...ANONYMOUS, network: networkOf(address) };
      const at = await erasures.request(source, (stores) => consume(stores, token));
      if (at === null) return invalidLink(values);
      if (at <= clock.now()) return fillPage(values, RESET_FEEDBACK, { message: 'Your account is deleted.' });
      const day = wireDate(at).slice(0, 10);
      const message = `You are logged out everywhere. Your account and its data will be deleted on ${day}. Until then you can keep the account with your user name and password in the app.`;
      return fillPage(values, RESET_FEEDBACK, { message });
    },
  };
}
