import { type Actor, ANONYMOUS, requireUser } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import { AppError, isAppError } from '../errors.ts';
import { fillPage, type LinkPage } from '../mail/pages.ts';
import { shownName } from '../mail/shown-name.ts';
import { emailAddress, emailKey } from '../names/email-address.ts';
import { userKey } from '../names/names.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { networkOf, type RateLimiter } from '../protection/limits.ts';
import type { Authentication } from '../sessions/authentication.ts';
import { type FreshLogin, knownBySession, type Presence } from '../sessions/fresh-login.ts';
import { codeInvalid } from '../sessions/second-factor.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { EMAIL_PAGE, RESET_FEEDBACK } from '../settings/templates.ts';
import type { EmailClaims } from '../users/email-claims.ts';

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
  readonly emailClaims: EmailClaims;
  readonly authentication: Authentication;
  readonly freshLogin: FreshLogin;
  readonly settings: SettingsReader;
  readonly limiter: RateLimiter;
  readonly audit: Audit;
}

export type Emails = ReturnType<typeof createEmails>;

/** Verification of users' e-mail addresses. */
export function createEmails(deps: EmailsDeps) {
  const { storage, mailer, emailClaims, authentication, freshLogin, settings, limiter, audit } = deps;

  const invalidLink = (values: SettingValues) =>
    fillPage(values, RESET_FEEDBACK, { error: 'This link does not work or has expired. Ask for a new one.' });

  return {
    /**
     * Sends a code and a link to an address claimed by the caller. Needs a fresh login. Only the owner of the mailbox
     * learns whether the address belongs to another user.
     *
     * @throws `auth.required`, `user.email_invalid`, `mail.unavailable`, `rate.limited`, the errors of
     * `FreshLogin.ensure`
     */
    async begin(actor: Actor, { email: typed, presence }: EmailRequest): Promise<void> {
      const { id: userId, name } = requireUser(actor);
      const email = emailAddress(typed);
      if (email === null) throw new AppError('user.email_invalid', { input: '/email' });
      await freshLogin.ensure(actor, presence);
      const attempt = { 'email/address': presence.address, 'email/account': userId, 'email/mailbox': emailKey(email) };
      await limiter.take(attempt);
      await mailer.requireSetUp();
      const values = await settings.current();
      await audit.transaction(storage.transaction, async (stores, record) => {
        await emailClaims.make(stores, values, { userId, name, email });
        record(actor, 'email.claimed', { to: userParty({ id: userId, name }) });
      });
    },

    /**
     * Verifies the claimed address by the code. Wrong codes count like wrong passwords, and five invalidate the code.
     *
     * @throws `auth.required`, `auth.code_invalid`, `email.taken`, `auth.locked`, `rate.limited`
     */
    async confirm(actor: Actor, { code, address }: EmailConfirmation): Promise<void> {
      const { id, name } = requireUser(actor);
      await authentication.attempt({ to: userParty({ id, name }) }, async (attempt) => {
        await attempt.guess({ key: userKey(name), address, knownAs: knownBySession(actor, 'email') });
        const claim = await emailClaims.withCode(id, code);
        if (claim === null) throw codeInvalid();
        await emailClaims.complete(claim, { actor, network: networkOf(address), by: 'code' });
      });
    },

    /**
     * Returns the page of the link. It asks for confirmation, and opening it changes nothing, because mail scanners
     * open links too.
     */
    async open(token: string): Promise<LinkPage> {
      const values = await settings.current();
      const claim = await emailClaims.withLink(token);
      const user = claim === null ? null : await storage.users.find(claim.userId);
      if (claim === null || user === null) return invalidLink(values);
      const link = emailClaims.linkOf(values, token);
      return fillPage(values, EMAIL_PAGE, { link, user_name: shownName(user.name, claim.email), email: claim.email });
    },

    /** Verifies the claimed address by the link. */
    async submit(token: string, network: string | null): Promise<LinkPage> {
      const values = await settings.current();
      const claim = await emailClaims.withLink(token);
      if (claim === null) return invalidLink(values);
      try {
        await emailClaims.complete(claim, { actor: ANONYMOUS, network, by: 'link' });
      } catch (error) {
        if (!isAppError(error)) throw error;
        if (error.code === 'auth.code_invalid') return invalidLink(values);
        if (error.code !== 'email.taken') throw error;
        return fillPage(values, RESET_FEEDBACK, { error: 'This address belongs to another account.' });
      }
      return fillPage(values, RESET_FEEDBACK, { message: 'Your address is confirmed.' });
    },
  };
}
