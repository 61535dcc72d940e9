import { AppError, type Mailer, type MailMessage } from '@baobab/core';

export type SentMail = MailMessage;

/** A mailer that stores its messages in memory, for tests and experiments. */
export interface Outbox extends Mailer {
  /** Oldest first. */
  readonly sent: readonly SentMail[];
}

const MAX_KEPT = 1000;

export function createMemoryMailer(): Outbox {
  const sent: SentMail[] = [];
  const oneLine = (text: string) => text.replace(/[\r\n]+/g, ' ');
  return {
    sent,
    requireSetUp: async () => undefined,
    async send(message) {
      const { from, to, subject } = message;
      // A message has one recipient. A comma would add a second one.
      if (to.includes(',')) throw new AppError('mail.refused');
      sent.push({ ...message, from: oneLine(from), to: oneLine(to), subject: oneLine(subject) });
      if (sent.length > MAX_KEPT) sent.shift();
      return '250 kept in memory';
    },
  };
}
