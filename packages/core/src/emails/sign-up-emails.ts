import { type Actor, NOBODY } from '../actor.ts';
import { accountParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { writeJsonAt } from '../json-tree.ts';
import { addressIn, emailAddress, emailKey } from '../names/email-address.ts';
import { userKey } from '../names/names.ts';
import type { Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { networkOf, type RateLimiter } from '../protection/limits.ts';
import type { Authentication } from '../sessions/authentication.ts';
import type { KnownClients } from '../sessions/logins.ts';
import { codeInvalid } from '../sessions/second-factor.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { EmailClaims } from '../users/email-claims.ts';
import { replaceSections } from '../users/sections.ts';

/** Sender of a request for an account before its first login. */
interface Sender {
  readonly username: string;
  /** Network address of the client, for rate limits. */
  readonly address: string;
  /** Client text issued by the sign-up; null if the client sent none. */
  readonly client: string | null;
}

export interface SignUpConfirmation extends Sender {
  readonly code: string;
}

export interface SignUpResend extends Sender {
  readonly password: string;
  /** Replaces the address of the sign-up; null to send to the same one again. */
  readonly email: string | null;
}

export interface SignUpEmailsDeps {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly emailClaims: EmailClaims;
  readonly authentication: Authentication;
  readonly knownClients: KnownClients;
  readonly settings: SettingsReader;
  readonly limiter: RateLimiter;
  readonly notices: Notices;
  readonly clock: Clock;
}

export type SignUpEmails = ReturnType<typeof createSignUpEmails>;

/** Use cases for users who have signed up and cannot log in before their address is verified. */
export function createSignUpEmails(deps: SignUpEmailsDeps) {
  const { storage, mailer, emailClaims, authentication, knownClients, settings, limiter, notices, clock } = deps;

  return {
    /**
     * Verifies the claimed address of a user by the code in the mail. An unknown name gets the same answer as a wrong
     * code.
     *
     * @throws `auth.code_invalid`, `email.taken`, `auth.locked`, `rate.limited`
     */
    async confirm(actor: Actor, { username, code, address, client }: SignUpConfirmation): Promise<void> {
      const key = userKey(username);
      const userId = (await storage.users.findByKey(key))?.id ?? null;
      const knownAs = userId === null ? null : knownClients.sharedBy(client, userId, 'email');
      await authentication.attempt({ to: userId === null ? null : accountParty(userId) }, async (attempt) => {
        await attempt.guess({ key, address, knownAs });
        const claim = await emailClaims.withCode(userId ?? NOBODY, code);
        if (claim === null) throw codeInvalid();
        await emailClaims.complete(claim, { actor, network: networkOf(address), by: 'code' });
      });
    },

    /**
     * Sends another code and link, to the address of the sign-up or to one that replaces it. Needs the password, so
     * that other people cannot fill the mailbox, invalidate a code that was just sent, or learn which names exist.
     *
     * @throws `user.email_invalid`, `auth.invalid`, `email.not_awaited`, `user.email_required`, `mail.unavailable`,
     * `auth.locked`, `rate.limited`, `passwords.busy`
     */
    async resend(_actor: Actor, { username, password, email, address, client }: SignUpResend): Promise<void> {
      const typed = email === null ? null : emailAddress(email);
      if (email !== null && typed === null) throw new AppError('user.email_invalid', { input: '/email' });
      const { userId, awaitsEmail } = await authentication.check({ name: username, password, address, client });
      if (!awaitsEmail) throw new AppError('email.not_awaited');
      const profile = await storage.users.find(userId);
      if (profile === null) throw new AppError('auth.invalid');
      const to = typed ?? addressIn(profile.sections.visibleByTheUser);
      if (to === null) throw new AppError('user.email_required', { input: '/email' });
      await limiter.take({ 'email/address': address, 'email/account': userId, 'email/mailbox': emailKey(to) });
      await mailer.requireSetUp();
      const [values, notified] = [await settings.current(), await notices.prepare()];
      await storage.transaction(async (stores) => {
        const before = await stores.users.update(userId, {});
        if (before === null) throw new AppError('auth.invalid');
        // Changed immediately, not after the verification, because a password reset link must not go to a mistyped
        // address.
        const visibleByTheUser = writeJsonAt(before.sections.visibleByTheUser, ['email'], JSON.stringify(to));
        const notify = (former: UserRecord) => notices.addressChanged(stores, notified, former);
        const replacement = { now: clock.now(), mayChangeAddress: true, notify };
        await replaceSections(stores, userId, { sections: { visibleByTheUser } }, replacement);
        await emailClaims.make(stores, values, { userId, name: before.name, email: to });
      });
    },
  };
}
