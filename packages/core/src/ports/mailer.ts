export interface MailMessage {
  /**
   * UUID of the message, the same for every attempt to send it. Sent as the Message-ID, so that receivers can detect
   * duplicates.
   */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /**
   * Checks the configuration. Called before anything is stored for a message. @throws `mail.unavailable` if the mailer
   * is not configured
   */
  requireSetUp(): Promise<void>;
  /**
   * Sends one message, as plain text with an HTML alternative. Line breaks in addresses and subject cannot add headers.
   * Resolves when the message has been accepted for delivery, to the reply of the mail server, in readable form (empty
   * if unknown). Settles within 10 seconds.
   *
   * @throws `mail.unavailable` if the mailer is not configured, cannot be reached, is too slow or fails temporarily, or
   * if too many messages are in progress; `mail.refused` if the message, its sender or the credentials are rejected
   */
  send(message: MailMessage): Promise<string>;
}
