import type { Actor } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { attemptAt, type RateLimiter } from '../protection/rate-limits.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { RESET_FEEDBACK } from '../settings/templates.ts';
import { userKey } from './names.ts';
import { MAX_PASSWORD_LENGTH } from './passwords.ts';
import { isEmailAddress } from './sections.ts';
import { fillHtml, fillText, type TemplateValues } from './template.ts';
import { endSessions } from './users.ts';

/** Names of the fields of the form. */
export const PASSWORD_FIELD = 'password';
export const REPEAT_FIELD = 'repeat-password';

/** A page for a person in a browser. */
export interface ResetPage {
  readonly html: string;
  /** Whether it says that something went wrong. */
  readonly isError: boolean;
}

export interface ResetRequest {
  readonly username: string;
  /** Where the request comes from, for the limits. */
  readonly address: string;
}

export interface ResetSubmission {
  readonly token: string;
  readonly password: string;
  readonly repeated: string;
  readonly address: string;
}

/** A page that needs nothing of the storage, which may be what is not there. */
export function resetTroublePage(error: string): ResetPage {
  return { html: fillHtml(RESET_FEEDBACK, { error }), isError: true };
}

export interface PasswordResetDeps {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly limiter: RateLimiter;
  /** Where browsers reach the service unless the settings say otherwise, without a slash at the end. */
  readonly publicUrl: string;
}

export type PasswordReset = ReturnType<typeof createPasswordReset>;

const MINUTE = 60_000;

/** Never from a request: whoever sends it could make the link lead elsewhere. */
function baseUrl(values: SettingValues, fallback: string): string {
  const host = values['network.http.url'];
  if (host === '') return fallback;
  const scheme = values['network.http.ssl'] ? 'https' : 'http';
  const port = values['network.http.port'];
  return `${scheme}://${host}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}`;
}

/** A mail without a sender is not taken by everybody, so there is one while nobody has set it. */
function senderOf(values: SettingValues, fallbackUrl: string): string {
  const [, host = 'localhost'] =
    /^https?:\/\/(?:[^/@]*@)?([^/:[\]]+|\[[^\]]+\])/.exec(baseUrl(values, fallbackUrl)) ?? [];
  return values['email.from'].trim() || `noreply@${host}`;
}

/** The address to which a user wants mail; null when there is none. */
function addressOf({ sections }: UserRecord): string | null {
  const { email } = JSON.parse(sections.visibleByTheUser);
  return typeof email === 'string' && isEmailAddress(email) ? email : null;
}

/** What is wrong with what was typed; null when nothing is. An empty form is a slip, though empty passwords exist. */
function formError(password: string, repeated: string): string | null {
  if (password === '') return 'Type the new password twice.';
  if (password !== repeated) return 'The two passwords are not the same.';
  return password.length > MAX_PASSWORD_LENGTH
    ? `The password is longer than ${MAX_PASSWORD_LENGTH} characters.`
    : null;
}

/** The way to a new password for those who forgot the old one: a link by mail, a form, and a page that says it is done. */
export function createPasswordReset(deps: PasswordResetDeps) {
  const { storage, mailer, passwords, secrets, clock, settings, limiter, publicUrl } = deps;

  function linkOf(values: SettingValues, token: string): string {
    return `${baseUrl(values, publicUrl)}/user/password/reset/${token}`;
  }

  function form(values: SettingValues, user: UserRecord, token: string, error: string): ResetPage {
    const html = fillHtml(values['page.html.template'], {
      link: linkOf(values, token),
      user_name: user.name,
      token,
      application_name: values['application.name'],
      error,
      password: PASSWORD_FIELD,
      repeat_password: REPEAT_FIELD,
    });
    return { html, isError: error !== '' };
  }

  function feedback(values: SettingValues, given: TemplateValues): ResetPage {
    const application_name = values['application.name'];
    const html = fillHtml(values['page.html.feedback.template'], { application_name, ...given });
    return { html, isError: (given.error ?? '') !== '' };
  }

  const deadLink = (values: SettingValues) =>
    feedback(values, { error: 'This link does not work or has expired. Ask for a new one.' });

  async function ownerOf(token: string): Promise<UserRecord | null> {
    const userId = await storage.resetTokens.find(secrets.digest(token), clock.now());
    return userId === null ? null : storage.users.find(userId);
  }

  return {
    /**
     * Sends a link to the address in the user's profile; earlier links of theirs work no more. A name that nobody
     * has gets the answer of a user without an address.
     *
     * @throws `reset.address_missing`, `rate.limited`, `mail.unavailable`, `mail.refused`
     */
    async request(_actor: Actor, { username, address }: ResetRequest): Promise<void> {
      await limiter.take(attemptAt('resetRequest', userKey(username), address));
      const user = await storage.users.findByKey(userKey(username));
      const to = user === null ? null : addressOf(user);
      if (user === null || to === null) throw new AppError('reset.address_missing');
      const values = await settings.current();
      await mailer.requireSetUp();
      const token = secrets.token();
      const expires = clock.now() + values['email.expiration.time'] * MINUTE;
      await storage.resetTokens.put({ digest: secrets.digest(token), userId: user.id, expires });
      const application_name = values['application.name'];
      const filled = { link: linkOf(values, token), user_name: user.name, token, application_name };
      await mailer.send({
        from: senderOf(values, publicUrl),
        to,
        subject: values['email.subject'],
        text: fillText(values['email.template.text'], filled),
        html: fillHtml(values['email.template.html'], filled),
      });
    },

    /** The page that a link opens. */
    async open(token: string): Promise<ResetPage> {
      const [values, user] = [await settings.current(), await ownerOf(token)];
      return user === null ? deadLink(values) : form(values, user, token, '');
    },

    /** The form again, with what was wrong with a submission that could not be read. It does not use up the link. */
    async refuse(token: string, error: string): Promise<ResetPage> {
      const [values, user] = [await settings.current(), await ownerOf(token)];
      return user === null ? deadLink(values) : form(values, user, token, error);
    },

    /**
     * Sets the password and ends all sessions of the user. The link works once; a slip in the form does not use it up.
     *
     * @throws `rate.limited`, `passwords.busy`
     */
    async submit({ token, password, repeated, address }: ResetSubmission): Promise<ResetPage> {
      await limiter.take({ 'resetSubmit/address': address });
      const [values, user] = [await settings.current(), await ownerOf(token)];
      if (user === null) return deadLink(values);
      const slip = formError(password, repeated);
      if (slip !== null) return form(values, user, token, slip);
      const passwordHash = await passwords.hash(password);
      const done = await storage.transaction(async (stores) => {
        const userId = await stores.resetTokens.consume(secrets.digest(token), clock.now());
        if (userId === null) return false;
        await stores.users.update(userId, { passwordHash });
        await endSessions(stores, userId, null);
        return true;
      });
      return done ? feedback(values, { message: 'Your new password is set.' }) : deadLink(values);
    },
  };
}
