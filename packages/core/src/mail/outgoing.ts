import type { Clock } from '../ports/clock.ts';
import type { MailMessage } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { ClaimedMail, WaitingMail } from '../ports/storage/mails.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import { senderOf } from './addresses.ts';

/**
 * Lease of a claimed mail, in milliseconds. Longer than an attempt can take (`Mailer.send`), so that no other node
 * starts one meanwhile, with a margin for clock skew.
 */
export const MAIL_LEASE_MS = 20_000;

/** A mail to a user. */
export interface Letter extends Pick<MailMessage, 'to' | 'subject' | 'text' | 'html'> {
  readonly userId: string;
  /** A new letter to a user replaces a waiting one of the same topic. */
  readonly topic: string;
  /** Time from which on it is no longer sent, in milliseconds. */
  readonly expires: number;
}

export interface OutgoingMailDeps {
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Base URL for browsers unless overridden by the settings, without a trailing slash. */
  readonly publicUrl: string;
}

export type OutgoingMail = ReturnType<typeof createOutgoingMail>;

/** Stores mails in the outbox, in the transaction that causes them. Sends nothing. */
export function createOutgoingMail({ secrets, clock, publicUrl }: OutgoingMailDeps) {
  function waiting(values: SettingValues, { userId, topic, expires, ...letter }: Letter): WaitingMail {
    const created = clock.now();
    const id = secrets.uuid(created);
    const message: MailMessage = { id, from: senderOf(values, publicUrl), ...letter };
    const sealed = secrets.encrypt(JSON.stringify(message));
    return { id, userId, topic: `${topic}/${userId}`, sealed, created, expires };
  }

  return {
    /** Stores a letter, and wakes the senders. @throws `user.not_found` */
    async post(stores: Stores, values: SettingValues, letter: Letter): Promise<void> {
      const mail = waiting(values, letter);
      await stores.mails.add(mail);
      await stores.announcer.announce({ topic: 'mail', key: mail.id });
    },
    /** Stores a letter whose first attempt is made by the caller (`MailDelivery.attempt`). @throws `user.not_found` */
    async postClaimed(stores: Stores, values: SettingValues, letter: Letter): Promise<ClaimedMail> {
      const mail = waiting(values, letter);
      return stores.mails.addClaimed(mail, mail.created + MAIL_LEASE_MS);
    },
  };
}
