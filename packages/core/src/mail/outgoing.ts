import type { Clock } from '../ports/clock.ts';
import type { MailMessage } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { ClaimedMail, WaitingMail } from '../ports/storage/mails.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import { senderOf } from './addresses.ts';

/**
 * How long a node has a mail that it claimed: longer than an attempt can take (`Mailer.send`), so that no other node
 * begins another one meanwhile, with a margin for clocks that differ a little. Milliseconds.
 */
export const MAIL_LEASE_MS = 20_000;

/** A mail to a user. */
export interface Letter extends Pick<MailMessage, 'to' | 'subject' | 'text' | 'html'> {
  readonly userId: string;
  /** A new letter to a user replaces one of the same topic that still waits. */
  readonly topic: string;
  /** From this time on it is no longer sent, milliseconds. */
  readonly expires: number;
}

export interface OutgoingMailDeps {
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** The address at which browsers reach the service unless the settings name another, without a slash at the end. */
  readonly publicUrl: string;
}

export type OutgoingMail = ReturnType<typeof createOutgoingMail>;

/** Puts mails into the outbox, in the transaction that causes them. Nothing is sent here. */
export function createOutgoingMail({ secrets, clock, publicUrl }: OutgoingMailDeps) {
  function waiting(values: SettingValues, { userId, topic, expires, ...letter }: Letter): WaitingMail {
    const created = clock.now();
    const id = secrets.uuid(created);
    const message: MailMessage = { id, from: senderOf(values, publicUrl), ...letter };
    const sealed = secrets.encrypt(JSON.stringify(message));
    return { id, userId, topic: `${topic}/${userId}`, sealed, created, expires };
  }

  return {
    /** Stores a letter, and wakes those who send it. @throws `user.not_found` */
    async post(stores: Stores, values: SettingValues, letter: Letter): Promise<void> {
      const mail = waiting(values, letter);
      await stores.mails.add(mail);
      await stores.announcer.announce({ topic: 'mail', key: mail.id });
    },
    /** Stores a letter whose first attempt the caller makes (`MailDelivery.attempt`). @throws `user.not_found` */
    async postClaimed(stores: Stores, values: SettingValues, letter: Letter): Promise<ClaimedMail> {
      const mail = waiting(values, letter);
      return stores.mails.addClaimed(mail, mail.created + MAIL_LEASE_MS);
    },
  };
}
