/** A mail waiting to be sent. */
export interface WaitingMail {
  /** UUIDv7. Sent as the Message-ID, the same for every attempt. */
  readonly id: string;
  /** Id of the user whom the mail concerns. */
  readonly userId: string;
  /** A new mail replaces a waiting one of the same topic. For example, only the latest password reset link works. */
  readonly topic: string;
  /** The message, encrypted: it may contain a code or a link. */
  readonly sealed: string;
  readonly created: number;
  /** Time from which on it is no longer sent. */
  readonly expires: number;
}

/** One attempt to send a mail. */
export interface MailAttempt {
  readonly id: string;
  /** Attempt number, from 1. */
  readonly attempt: number;
}

export interface ClaimedMail extends WaitingMail, MailAttempt {}

export interface MailClaim {
  readonly now: number;
  /** End of the lease. Mails neither removed nor postponed by then are due again. */
  readonly until: number;
  readonly limit: number;
}

/**
 * The outbox of mails. A mail is stored in the transaction that causes it, stays until it is sent or given up, and is
 * removed with its user. At any time at most one attempt of it counts.
 */
export interface MailStore {
  /** Stores a mail that is due immediately. @throws `user.not_found` */
  add(mail: WaitingMail): Promise<void>;
  /** Stores a mail whose first attempt is made by the caller; it is due again at `until`. @throws `user.not_found` */
  addClaimed(mail: WaitingMail, until: number): Promise<ClaimedMail>;
  /**
   * Claims up to `limit` due mails, longest due first, and counts the attempt. Concurrent calls claim different mails.
   */
  claim(claim: MailClaim): Promise<ClaimedMail[]>;
  /**
   * Makes a mail due at `due`. Resolves to false, without changes, if another attempt of it has begun or it is gone.
   */
  postpone(attempt: MailAttempt, due: number): Promise<boolean>;
  /** Removes a mail that was sent or given up, even if an attempt is in progress. Resolves to false if it is gone. */
  remove(id: string): Promise<boolean>;
  /** Returns the time at which the next mail is due or its lease ends; null if none waits. */
  nextDue(): Promise<number | null>;
}
