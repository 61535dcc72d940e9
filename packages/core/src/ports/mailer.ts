/** How to reach the mail server; it may change while the service runs. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` required before anything is said, `none`: raised when the server offers it. */
  readonly security: 'none' | 'starttls' | 'tls';
  /** Null: the server wants none. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

export interface MailMessage {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /**
   * Hands one message to the mail server, as plain text with an HTML alternative; line breaks in addresses and
   * subject cannot add headers. Resolves when the server has taken it, within 10 seconds either way.
   *
   * @throws `mail.unavailable` when the server cannot be reached, is too slow or fails for now, or when too many
   *   messages are under way; `mail.refused` when it does not want the message, the sender or the credentials
   */
  send(server: MailServer, message: MailMessage): Promise<void>;
}
