export interface MailMessage {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Asked before anything is stored for a message. @throws `mail.unavailable` while the mailer is not set up */
  requireSetUp(): Promise<void>;
  /**
   * Hands one message over, as plain text with an HTML alternative; line breaks in addresses and subject cannot add
   * headers. Resolves when it was taken for delivery, within 10 seconds either way.
   *
   * @throws `mail.unavailable` when the mailer is not set up, cannot be reached, is too slow or fails for now, or when
   *   too many messages are under way; `mail.refused` when the message, its sender or the credentials are refused
   */
  send(message: MailMessage): Promise<void>;
}
