import { AppError } from '../errors.ts';
import { writeJsonAt } from '../json-edit.ts';
import { baseUrl } from '../mail/addresses.ts';
import type { OutgoingMail } from '../mail/outgoing.ts';
import { emailKey } from '../names/email-address.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { EmailClaim } from '../ports/storage/emails.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { codeInvalid } from '../sessions/second-factor.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { addressIn } from './sections.ts';
import { fillHtml, fillText } from './template.ts';

const CLAIM_LIFETIME_MS = 15 * 60_000;
/** Attempts at one code, counted before they are examined. */
const MAX_ATTEMPTS = 5;
const CODE_LENGTH = 6;
/** For how long a notice is worth sending. Milliseconds. */
const NOTICE_LIFETIME_MS = 3 * 24 * 60 * 60_000;

/** Who claims which address. */
export interface Claimant {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
}

export interface EmailClaimsDeps {
  readonly storage: Storage;
  readonly outgoingMail: OutgoingMail;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  /** See `PasswordResetDeps`. */
  readonly publicUrl: string;
}

export type EmailClaims = ReturnType<typeof createEmailClaims>;

/** Claims of addresses: the mail with a code and a link, and what happens when one of them comes back. */
export function createEmailClaims({ storage, outgoingMail, secrets, clock, settings, publicUrl }: EmailClaimsDeps) {
  const codeDigest = (userId: string, code: string) => secrets.digest(`email code/${userId}/${code}`);
  const tokenDigest = (token: string) => secrets.digest(`email token/${token}`);
  const linkOf = (values: SettingValues, token: string) => `${baseUrl(values, publicUrl)}/user/email/confirm/${token}`;

  /** Tells the former address, if it was a verified one, that another has taken its place. */
  async function tellFormer(
    stores: Stores,
    values: SettingValues,
    { userId, name, former }: { readonly userId: string; readonly name: string; readonly former: string },
  ): Promise<void> {
    const filled = { user_name: name, application_name: values['application.name'] };
    await outgoingMail.post(stores, values, {
      userId,
      topic: 'email changed',
      expires: clock.now() + NOTICE_LIFETIME_MS,
      to: former,
      subject: values['email.changed.subject'],
      text: fillText(values['email.changed.template.text'], filled),
      html: fillHtml(values['email.changed.template.html'], filled),
    });
  }

  return {
    linkOf,

    /** Stores a claim, which replaces an earlier one of the user, and the mail with its code and link. */
    async make(stores: Stores, values: SettingValues, { userId, name, email }: Claimant): Promise<void> {
      const [code, token] = [secrets.digits(CODE_LENGTH), secrets.token()];
      const expires = clock.now() + CLAIM_LIFETIME_MS;
      const link = linkOf(values, token);
      const filled = { code, link, user_name: name, application_name: values['application.name'] };
      await stores.emails.claim({
        userId,
        email,
        code: codeDigest(userId, code),
        token: tokenDigest(token),
        expires,
      });
      await outgoingMail.post(stores, values, {
        userId,
        topic: 'email',
        expires,
        to: email,
        subject: values['email.verification.subject'],
        text: fillText(values['email.verification.template.text'], filled),
        html: fillHtml(values['email.verification.template.html'], filled),
      });
    },

    /** The claim of the user if the code is right. Each call counts as an attempt. */
    async withCode(userId: string, code: string): Promise<EmailClaim | null> {
      const claim = await storage.emails.attempt(userId, clock.now(), MAX_ATTEMPTS);
      return claim?.code === codeDigest(userId, code.trim()) ? claim : null;
    },

    /** The claim to which a link belongs. Changes nothing. */
    withLink: (token: string): Promise<EmailClaim | null> => storage.emails.find(tokenDigest(token), clock.now()),

    /**
     * Makes the claimed address the user's own. All of it happens together, or nothing.
     *
     * @throws `auth.code_invalid` when the claim is used up, `email.taken`
     */
    async complete({ userId, email, token }: EmailClaim): Promise<true> {
      const values = await settings.current();
      const now = clock.now();
      await storage.transaction(async (stores) => {
        // Locks the user: of concurrent changes of the address the later one sees the earlier.
        const before = await stores.users.update(userId, {});
        if (before === null || !(await stores.emails.consume(token, now))) throw codeInvalid();
        if (!(await stores.emails.verify(userId, emailKey(email), now))) throw new AppError('email.taken');
        const section = before.sections.visibleByTheUser;
        const visibleByTheUser = writeJsonAt(section, ['email'], JSON.stringify(email)).text;
        await stores.users.update(userId, { sections: { visibleByTheUser } });
        const former = before.emailVerified ? addressIn(section) : null;
        if (former !== null && emailKey(former) !== emailKey(email))
          await tellFormer(stores, values, { userId, name: before.name, former });
        // Cached credentials say whether the user may log in, and belong to the former address.
        await stores.announcer.announce({ topic: 'user', key: userId });
      });
      return true;
    },
  };
}
