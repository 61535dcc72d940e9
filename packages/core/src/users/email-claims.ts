import type { Actor } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { writeJsonAt } from '../json-tree.ts';
import { baseUrl } from '../mail/addresses.ts';
import type { OutgoingMail } from '../mail/outgoing.ts';
import { shownName } from '../mail/shown-name.ts';
import { fillHtml, fillText } from '../mail/template.ts';
import { addressIn, emailKey } from '../names/email-address.ts';
import { typedCode } from '../names/names.ts';
import type { Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { EmailClaim } from '../ports/storage/emails.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { codeInvalid } from '../sessions/second-factor.ts';
import type { SettingValues } from '../settings/catalogue.ts';

const CLAIM_LIFETIME_MS = 15 * 60_000;
/** Maximum number of attempts at one code, counted before they are checked. */
const MAX_ATTEMPTS = 5;
const CODE_LENGTH = 6;

/** A user with the address to verify. */
export interface Claimant {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
}

/** Caller, network and method of a verification. */
export interface ClaimSource {
  readonly actor: Actor;
  readonly network: string | null;
  readonly by: 'code' | 'link';
}

export interface EmailClaimsDeps {
  readonly storage: Storage;
  readonly outgoingMail: OutgoingMail;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly notices: Notices;
  /** See `PasswordResetDeps`. */
  readonly publicUrl: string;
}

export type EmailClaims = ReturnType<typeof createEmailClaims>;

/** Returns true if the user has another address than this one. */
function hasOther({ sections }: UserRecord, email: string): boolean {
  const former = addressIn(sections.visibleByTheUser);
  return former !== null && emailKey(former) !== emailKey(email);
}

/** Claims of addresses: sends a mail with a code and a link, and completes the claim when one of them is used. */
export function createEmailClaims(deps: EmailClaimsDeps) {
  const { storage, outgoingMail, secrets, clock, audit, notices, publicUrl } = deps;
  const codeText = (userId: string, code: string) => `email code/${userId}/${code}`;
  const tokenText = (token: string) => `email token/${token}`;
  const linkOf = (values: SettingValues, token: string) => `${baseUrl(values, publicUrl)}/user/email/confirm/${token}`;

  /** Returns the claim of a link, including one sent before a change of the secret key. */
  async function claimOf(token: string): Promise<EmailClaim | null> {
    for (const digest of secrets.digests(tokenText(token))) {
      const claim = await storage.emails.find(digest, clock.now());
      if (claim !== null) return claim;
    }
    return null;
  }

  return {
    linkOf,

    /** Stores a claim, replacing an earlier one of the user, and the mail with its code and link. */
    async make(stores: Stores, values: SettingValues, { userId, name, email }: Claimant): Promise<void> {
      const [code, token] = [secrets.digits(CODE_LENGTH), secrets.token()];
      const expires = clock.now() + CLAIM_LIFETIME_MS;
      const link = linkOf(values, token);
      const filled = { code, link, user_name: shownName(name, email), application_name: values['application.name'] };
      await stores.emails.claim({
        userId,
        email,
        code: secrets.digest(codeText(userId, code)),
        token: secrets.digest(tokenText(token)),
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

    /** Returns the user's claim if the code is right. Each call counts as an attempt. */
    async withCode(userId: string, code: string): Promise<EmailClaim | null> {
      const claim = await storage.emails.attempt(userId, clock.now(), MAX_ATTEMPTS);
      if (claim === null) return null;
      return secrets.digests(codeText(userId, typedCode(code))).includes(claim.code) ? claim : null;
    },

    /** Returns the claim of a link, without changes. */
    withLink: claimOf,

    /**
     * Makes the claimed address the user's verified one, atomically.
     *
     * @throws `auth.code_invalid` if the claim is used up, `email.taken`
     */
    async complete({ userId, email, token }: EmailClaim, { actor, network, by }: ClaimSource): Promise<true> {
      const values = await notices.prepare();
      const now = clock.now();
      return audit.transaction(storage.transaction, async (stores, record) => {
        // Locks the user, so that of concurrent changes of the address the later one sees the earlier.
        const before = await stores.users.update(userId, {});
        if (before === null || !(await stores.emails.consume(token, now))) throw codeInvalid();
        if (!(await stores.emails.verify(userId, emailKey(email), now))) throw new AppError('email.taken');
        const section = before.sections.visibleByTheUser;
        const visibleByTheUser = writeJsonAt(section, ['email'], JSON.stringify(email));
        await stores.users.update(userId, { sections: { visibleByTheUser } });
        const isReplaced = hasOther(before, email);
        if (isReplaced) {
          await stores.resetTokens.removeOfUser(userId);
          await notices.addressChanged(stores, values, before);
        }
        // Cached credentials include whether the user may log in, and belong to the former address.
        await stores.announcer.announce({ topic: 'user', key: userId });
        const details = { verified: true, by };
        record(actor, isReplaced ? 'email.changed' : 'email.verified', { to: userParty(before), network, details });
        return true as const;
      });
    },
  };
}
