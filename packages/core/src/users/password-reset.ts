import { type Actor, ANONYMOUS } from '../actor.ts';
import { type Audit, type AuditedActor, userParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { baseUrl } from '../mail/addresses.ts';
import type { MailDelivery } from '../mail/delivery.ts';
import type { OutgoingMail } from '../mail/outgoing.ts';
import { fillPage, type LinkPage } from '../mail/pages.ts';
import { shownName } from '../mail/shown-name.ts';
import { fillHtml, fillText, type TemplateValues } from '../mail/template.ts';
import { addressKey, attemptKey } from '../names/email-address.ts';
import { typedPassword, userKey } from '../names/names.ts';
import type { Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { attemptAt, type Guesses, networkOf, type RateLimiter } from '../protection/limits.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { RESET_FEEDBACK } from '../settings/templates.ts';
import { endSessions } from './account-changes.ts';
import type { PasswordRules } from './passwords.ts';
import { addressForLinks } from './reset-address.ts';

/** Names of the form fields. */
export const PASSWORD_FIELD = 'password';
export const REPEAT_FIELD = 'repeat-password';

export interface ResetRequest {
  /** A name, or a verified address. */
  readonly username: string;
  /** Network address of the client, for rate limits. */
  readonly address: string;
}

export interface ResetSubmission {
  readonly token: string;
  readonly password: string;
  readonly repeated: string;
  readonly address: string;
}

/** Returns an error page without using the storage, which may be unavailable. */
export function resetTroublePage(error: string): LinkPage {
  return { html: fillHtml(RESET_FEEDBACK, { error }), isError: true };
}

export interface PasswordResetDeps {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly outgoingMail: OutgoingMail;
  readonly mailDelivery: Pick<MailDelivery, 'attempt'>;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly passwordRules: PasswordRules;
  readonly limiter: RateLimiter;
  readonly guesses: Guesses;
  readonly audit: Audit;
  readonly notices: Notices;
  /** Base URL for browsers unless overridden by the settings, without a trailing slash. */
  readonly publicUrl: string;
}

export type PasswordReset = ReturnType<typeof createPasswordReset>;

const MINUTE = 60_000;

/**
 * Returns the error in the form; null if there is none. An empty form is rejected although empty passwords are allowed.
 */
function formError(password: string, repeated: string): string | null {
  if (password === '') return 'Type the new password twice.';
  return typedPassword(password) === typedPassword(repeated) ? null : 'The two passwords are not the same.';
}

/** Password reset: a link by mail, a form, and a page that confirms the result. */
export function createPasswordReset(deps: PasswordResetDeps) {
  const {
    storage,
    mailer,
    outgoingMail,
    mailDelivery,
    passwords,
    secrets,
    clock,
    settings,
    passwordRules,
    limiter,
    guesses,
    audit,
    notices,
    publicUrl,
  } = deps;

  function linkOf(values: SettingValues, token: string): string {
    return `${baseUrl(values, publicUrl)}/user/password/reset/${token}`;
  }

  const form = (values: SettingValues, user: UserRecord, token: string, error: string): LinkPage =>
    fillPage(values, values['page.html.template'], {
      link: linkOf(values, token),
      user_name: user.name,
      token,
      error,
      password: PASSWORD_FIELD,
      repeat_password: REPEAT_FIELD,
    });

  const feedback = (values: SettingValues, given: TemplateValues): LinkPage =>
    fillPage(values, values['page.html.feedback.template'], given);

  const invalidLink = (values: SettingValues) =>
    feedback(values, { error: 'This link does not work or has expired. Ask for a new one.' });

  async function ownerOf(token: string): Promise<UserRecord | null> {
    for (const digest of secrets.digests(token)) {
      const userId = await storage.resetTokens.find(digest, clock.now());
      if (userId !== null) return storage.users.find(userId);
    }
    return null;
  }

  async function consume({ resetTokens }: Stores, token: string): Promise<string | null> {
    for (const digest of secrets.digests(token)) {
      const userId = await resetTokens.consume(digest, clock.now());
      if (userId !== null) return userId;
    }
    return null;
  }

  /**
   * Stores a link, and a mail with it to the user's address, and invalidates earlier links. Resolves when the mail
   * server has accepted the mail, or the first attempt has failed temporarily: then the outbox retries.
   *
   * @param network of the client that asks; null if that is an administrator
   * @throws `reset.address_missing`; `mail.unavailable` without a mail server, `mail.refused` if it refuses the mail
   */
  async function mailLink(actor: AuditedActor, user: UserRecord | null, network: string | null): Promise<void> {
    const values = await settings.current();
    const lifetime = values['email.expiration.time'] * MINUTE;
    const to = user === null ? null : await addressForLinks({ storage, clock }, user, lifetime);
    if (user === null || to === null) throw new AppError('reset.address_missing');
    await mailer.requireSetUp();
    const token = secrets.token();
    const expires = clock.now() + lifetime;
    const application_name = values['application.name'];
    const user_name = user.emailVerified ? user.name : shownName(user.name, to);
    const filled = { link: linkOf(values, token), user_name, token, application_name };
    const letter = {
      userId: user.id,
      topic: 'reset',
      expires,
      to,
      subject: values['email.subject'],
      text: fillText(values['email.template.text'], filled),
      html: fillHtml(values['email.template.html'], filled),
    };
    const mail = await audit.transaction(storage.transaction, async (stores, record) => {
      record(actor, 'password.reset_requested', { to: userParty(user), ...(network !== null && { network }) });
      await stores.resetTokens.put({ digest: secrets.digest(token), userId: user.id, expires });
      return outgoingMail.postClaimed(stores, values, letter);
    });
    await mailDelivery.attempt(mail);
  }

  /**
   * Returns the user with a name or verified address. Requests are counted for the typed text, also for unknown users,
   * and by address also for the account. @throws `rate.limited`
   */
  async function userOf(typed: string, address: string): Promise<UserRecord | null> {
    const key = userKey(typed);
    const counted = attemptKey(typed);
    await limiter.take(attemptAt('resetRequest', counted, address));
    const found = await storage.users.credentials(key, addressKey(typed));
    if (found === null) return null;
    if (userKey(found.name) !== counted) await limiter.take(attemptAt('resetRequest', userKey(found.name), address));
    return storage.users.find(found.id);
  }

  return {
    /**
     * Mails a link. An unknown name gets the same answer as a user without an address.
     *
     * @throws `rate.limited`, the errors of `mailLink`
     */
    async request(_actor: Actor, { username, address }: ResetRequest): Promise<void> {
      await mailLink(ANONYMOUS, await userOf(username, address), networkOf(address));
    },

    /** Mails a link to a user for an administrator. @throws the errors of `mailLink` */
    mailTo: (administrator: Actor, user: UserRecord): Promise<void> => mailLink(administrator, user, null),

    /** Returns the page of the link. */
    async open(token: string): Promise<LinkPage> {
      const [values, user] = [await settings.current(), await ownerOf(token)];
      return user === null ? invalidLink(values) : form(values, user, token, '');
    },

    /** Returns the form with an error about an unreadable submission. The link stays valid. */
    async refuse(token: string, error: string): Promise<LinkPage> {
      const [values, user] = [await settings.current(), await ownerOf(token)];
      return user === null ? invalidLink(values) : form(values, user, token, error);
    },

    /**
     * Sets the password, and ends all sessions and a lockout of the user. The link works once. An error in the form
     * does not use it up.
     *
     * @throws `rate.limited`, `passwords.busy`
     */
    async submit({ token, password, repeated, address }: ResetSubmission): Promise<LinkPage> {
      await limiter.take({ 'resetSubmit/address': address });
      const [values, user] = [await settings.current(), await ownerOf(token)];
      if (user === null) return invalidLink(values);
      const error = formError(password, repeated) ?? (await passwordRules.problem({ password, username: user.name }));
      if (error !== null) return form(values, user, token, error);
      const passwordHash = await passwords.hash(password);
      const prepared = await notices.prepare();
      const done = await audit.transaction(storage.transaction, async (stores, record) => {
        const userId = await consume(stores, token);
        if (userId === null) return false;
        const changed = await stores.users.update(userId, { passwordHash });
        await endSessions(stores, userId, null);
        const notice = { kind: 'password.reset', network: networkOf(address) } as const;
        if (changed !== null) await notices.post(stores, prepared, changed, notice);
        record(ANONYMOUS, 'password.reset', { to: userParty(user), network: networkOf(address) });
        return true;
      });
      // Users often reset a password after wrong guesses.
      if (done) await guesses.forgive(userKey(user.name));
      return done ? feedback(values, { message: 'Your new password is set.' }) : invalidLink(values);
    },
  };
}
