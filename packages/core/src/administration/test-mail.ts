import { type Actor, requireAdmin } from '../actor.ts';
import { AppError, isAppError } from '../errors.ts';
import { senderOf } from '../mail/addresses.ts';
import { emailAddress } from '../names/email-address.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SettingsReader } from '../settings/settings.ts';

export interface TestMailDeps {
  readonly mailer: Mailer;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  /** See `PasswordResetDeps`. */
  readonly publicUrl: string;
}

export type TestMail = ReturnType<typeof createTestMail>;

/** Maximum length of the mail server's reply. */
const MAX_ANSWER_LENGTH = 1_000;

/** Returns the failure with the reply of the mail server, which administrators may see. */
function explained(error: unknown): unknown {
  if (!isAppError(error) || error.detail !== null || !(error.cause instanceof Error)) return error;
  return new AppError(error.code, { detail: error.cause.message.slice(0, MAX_ANSWER_LENGTH), cause: error.cause });
}

export function createTestMail({ mailer, secrets, clock, settings, publicUrl }: TestMailDeps) {
  return {
    /**
     * Sends a test mail with the current settings. Resolves to the reply of the mail server.
     *
     * @throws `auth.required`, `admin.required`, `input.invalid`, `mail.unavailable`, `mail.refused`
     */
    async send(actor: Actor, typed: string): Promise<string> {
      requireAdmin(actor);
      const to = emailAddress(typed);
      if (to === null) {
        throw new AppError('input.invalid', { detail: 'to must be an e-mail address', input: '/to' });
      }
      const values = await settings.current();
      const name = values['application.name'];
      const text = `This is a test mail of ${name}. Mail works.`;
      try {
        const answer = await mailer.send({
          id: secrets.uuid(clock.now()),
          from: senderOf(values, publicUrl),
          to,
          subject: `Test mail of ${name}`,
          text,
          html: `<p>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</p>`,
        });
        return answer.slice(0, MAX_ANSWER_LENGTH);
      } catch (error) {
        throw explained(error);
      }
    },
  };
}
