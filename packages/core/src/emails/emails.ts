import { type Actor, ANONYMOUS, requireUser } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import { AppError, isAppError } from '../errors.ts';
import { writeJsonAt } from '../json-edit.ts';
import { baseUrl } from '../mail/addresses.ts';
import type { OutgoingMail } from '../mail/outgoing.ts';
import { userKey } from '../names/names.ts';
import type { Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { EmailClaim } from '../ports/storage/emails.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { networkOf } from '../protection/networks.ts';
import type { RateLimiter } from '../protection/rate-limits.ts';
import type { Authentication } from '../sessions/authentication.ts';
import { type FreshLogin, knownBySession, type Presence } from '../sessions/fresh-login.ts';
import { codeInvalid, nullIfWrong } from '../sessions/second-factor.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { EMAIL_PAGE, RESET_FEEDBACK } from '../settings/templates.ts';
import { addressIn, emailKey, isEmailAddress } from '../users/sections.ts';
import { fillHtml, fillText, type TemplateValues } from '../users/template.ts';

const CLAIM_LIFETIME_MS = 15 * 60_000;
/** Attempts at one code, counted before they are examined. */
const MAX_ATTEMPTS = 5;
const CODE_LENGTH = 6;

/** Who verifies an address, from where, and by what. */
interface Source {
  readonly actor: Actor;
  readonly network: string | null;
  readonly by: 'code' | 'link';
}

/** An HTML page. */
export interface EmailPage {
  readonly html: string;
  /** Whether the page reports an error. */
  readonly isError: boolean;
}

export interface EmailRequest {
  readonly email: string;
  readonly presence: Presence;
}

/** A code with the client's network address, for rate limits. */
export interface EmailConfirmation {
  readonly code: string;
  readonly address: string;
}

export interface EmailsDeps {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly outgoingMail: OutgoingMail;
  readonly authentication: Authentication;
  readonly freshLogin: FreshLogin;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly limiter: RateLimiter;
  readonly audit: Audit;
  readonly notices: Notices;
  /** See `PasswordResetDeps`. */
  readonly publicUrl: string;
}

export type Emails = ReturnType<typeof createEmails>;

/** E-mail addresses that users have shown to be theirs. */
export function createEmails(deps: EmailsDeps) {
  const { storage, mailer, outgoingMail, authentication, freshLogin, secrets, clock, settings, limiter } = deps;
  const { audit, notices, publicUrl } = deps;
  const codeText = (userId: string, code: string) => `email code/${userId}/${code}`;
  const tokenText = (token: string) => `email token/${token}`;

  /** The claim behind a link, which may have been sent before a change of the secret key. */
  async function claimOf(token: string): Promise<EmailClaim | null> {
    for (const digest of secrets.digests(tokenText(token))) {
      const claim = await storage.emails.find(digest, clock.now());
      if (claim !== null) return claim;
    }
    return null;
  }

  function page(values: SettingValues, template: string, given: TemplateValues): EmailPage {
    const html = fillHtml(template, { application_name: values['application.name'], ...given });
    return { html, isError: (given.error ?? '') !== '' };
  }

  const invalidLink = (values: SettingValues) =>
    page(values, RESET_FEEDBACK, { error: 'This link does not work or has expired. Ask for a new one.' });

  /**
   * Makes the claimed address the user's own. All of it happens together, or nothing.
   *
   * @throws `auth.code_invalid` when the claim is used up, `email.taken`
   */
  async function complete({ userId, email, token }: EmailClaim, source: Source): Promise<true> {
    const values = await notices.prepare();
    const now = clock.now();
    const { user, isOther } = await storage.transaction(async (stores) => {
      // Locks the user: of concurrent changes of the address the later one sees the earlier.
      const before = await stores.users.update(userId, {});
      if (before === null || !(await stores.emails.consume(token, now))) throw codeInvalid();
      if (!(await stores.emails.verify(userId, emailKey(email), now))) throw new AppError('email.taken');
      const section = before.sections.visibleByTheUser;
      const visibleByTheUser = writeJsonAt(section, ['email'], JSON.stringify(email)).text;
      await stores.users.update(userId, { sections: { visibleByTheUser } });
      const former = before.emailVerified ? addressIn(section) : null;
      const isReplaced = former !== null && emailKey(former) !== emailKey(email);
      if (isReplaced) await notices.addressChanged(stores, values, before);
      return { user: before, isOther: isReplaced };
    });
    const act = isOther ? 'email.changed' : 'email.verified';
    audit.record(source.actor, act, {
      to: userParty(user),
      network: source.network,
      details: { verified: true, by: source.by },
    });
    return true;
  }

  return {
    /**
     * Sends a code and a link to an address that the caller claims to have. Needs a fresh login. Whether the address
     * belongs to another user is told only to whoever reads its mail.
     *
     * @throws `auth.required`, `user.email_invalid`, `mail.unavailable`, `rate.limited`, the errors of `FreshLogin.ensure`
     */
    async begin(actor: Actor, { email, presence }: EmailRequest): Promise<void> {
      const { id: userId, name } = requireUser(actor);
      if (!isEmailAddress(email)) throw new AppError('user.email_invalid', { input: '/email' });
      await freshLogin.ensure(actor, presence);
      await limiter.take({ 'email/address': presence.address, 'email/account': userId });
      await mailer.requireSetUp();
      const values = await settings.current();
      const [code, token] = [secrets.digits(CODE_LENGTH), secrets.token()];
      const expires = clock.now() + CLAIM_LIFETIME_MS;
      const link = `${baseUrl(values, publicUrl)}/user/email/confirm/${token}`;
      const filled = { code, link, user_name: name, application_name: values['application.name'] };
      const claim = {
        userId,
        email,
        code: secrets.digest(codeText(userId, code)),
        token: secrets.digest(tokenText(token)),
        expires,
      };
      await storage.transaction(async (stores) => {
        await stores.emails.claim(claim);
        await outgoingMail.post(stores, values, {
          userId,
          topic: 'email',
          expires,
          to: email,
          subject: values['email.verification.subject'],
          text: fillText(values['email.verification.template.text'], filled),
          html: fillHtml(values['email.verification.template.html'], filled),
        });
      });
      audit.record(actor, 'email.claimed', { to: userParty({ id: userId, name }) });
    },

    /**
     * Verifies the claimed address by the code. Wrong codes count as wrong passwords do, and five end the code.
     *
     * @throws `auth.required`, `auth.code_invalid`, `email.taken`, `auth.locked`, `rate.limited`
     */
    async confirm(actor: Actor, { code, address }: EmailConfirmation): Promise<void> {
      const { id, name } = requireUser(actor);
      const target = { key: userKey(name), address, userId: id, knownAs: knownBySession(actor) };
      const isDone = await authentication.guess(target, async () => {
        const claim = await storage.emails.attempt(id, clock.now(), MAX_ATTEMPTS);
        if (claim === null || !secrets.digests(codeText(id, code.trim())).includes(claim.code)) return null;
        return complete(claim, { actor, network: networkOf(address), by: 'code' }).catch(nullIfWrong);
      });
      if (isDone === null) throw codeInvalid();
    },

    /** The page behind the link: it asks, and changes nothing, because mail scanners open links too. */
    async open(token: string): Promise<EmailPage> {
      const values = await settings.current();
      const claim = await claimOf(token);
      const user = claim === null ? null : await storage.users.find(claim.userId);
      if (claim === null || user === null) return invalidLink(values);
      const link = `${baseUrl(values, publicUrl)}/user/email/confirm/${token}`;
      return page(values, EMAIL_PAGE, { link, user_name: user.name, email: claim.email });
    },

    /** Verifies the claimed address by the link. */
    async submit(token: string, network: string | null): Promise<EmailPage> {
      const values = await settings.current();
      const claim = await claimOf(token);
      if (claim === null) return invalidLink(values);
      try {
        const isDone = await complete(claim, { actor: ANONYMOUS, network, by: 'link' }).catch(nullIfWrong);
        if (isDone === null) return invalidLink(values);
      } catch (error) {
        if (!isAppError(error) || error.code !== 'email.taken') throw error;
        return page(values, RESET_FEEDBACK, { error: 'This address belongs to another account.' });
      }
      return page(values, RESET_FEEDBACK, { message: 'Your address is confirmed.' });
    },
  };
}
