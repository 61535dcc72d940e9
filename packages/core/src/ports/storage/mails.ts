/** A mail that waits to be sent. */
export interface WaitingMail {
  /** UUIDv7. The mail carries it as its Message-ID, which is the same for every attempt. */
  readonly id: string;
  /** The user whom the mail concerns. */
  readonly userId: string;
  /** A new mail replaces one of the same topic that still waits: only one link of a password reset works, for example. */
  readonly topic: string;
  /** The message, encrypted: it may contain a code or a link. */
  readonly sealed: string;
  readonly created: number;
  /** From this time on it is no longer sent. */
  readonly expires: number;
}

/** One attempt to send a mail. */
export interface MailAttempt {
  readonly id: string;
  /** 1 for the first one. */
  readonly attempt: number;
}

export interface ClaimedMail extends WaitingMail, MailAttempt {}

export interface MailClaim {
  readonly now: number;
  /** The end of the lease: mails that are neither removed nor postponed by then are due again. */
  readonly until: number;
  readonly limit: number;
}

/**
 * The outbox of mails. A mail is stored in the transaction that causes it, stays until it has been sent or given up, and
 * goes with its user. At any time at most one attempt of it counts.
 */
export interface MailStore {
  /** Stores a mail that is due at once. @throws `user.not_found` */
  add(mail: WaitingMail): Promise<void>;
  /** Stores a mail whose first attempt the caller makes: it is due again at `until`. @throws `user.not_found` */
  addClaimed(mail: WaitingMail, until: number): Promise<ClaimedMail>;
  /**
   * Claims up to `limit` mails that are due, those due longest first, and counts the attempt. Concurrent calls claim
   * different mails.
   */
  claim(claim: MailClaim): Promise<ClaimedMail[]>;
  /** Makes a mail due at `due`. Resolves to false, and does nothing, when another attempt of it has begun or it is gone. */
  postpone(attempt: MailAttempt, due: number): Promise<boolean>;
  /** Removes a mail that was sent or given up, whatever attempt is in progress. Resolves to false when it is gone. */
  remove(id: string): Promise<boolean>;
  /** The time at which the next mail is due or its lease ends; null when none waits. */
  nextDue(): Promise<number | null>;
}
