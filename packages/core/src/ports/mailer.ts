export interface MailMessage {
  /**
   * Identifies the message: a UUID, the same for every attempt to send it. A mail carries it as its Message-ID, by which
   * receivers recognize a message that reaches them twice.
   */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Called before anything is stored for a message. @throws `mail.unavailable` while the mailer is not configured */
  requireSetUp(): Promise<void>;
  /**
   * Sends one message, as plain text with an HTML alternative; line breaks in addresses and subject cannot add headers.
   * Resolves when the message has been accepted for delivery, to what the mail server said, for people; empty where
   * nothing is known. Settles within 10 seconds.
   *
   * @throws `mail.unavailable` when the mailer is not configured, cannot be reached, is too slow or fails temporarily, or
   *   when too many messages are in progress; `mail.refused` when the message, its sender or the credentials are rejected
   */
  send(message: MailMessage): Promise<string>;
}
