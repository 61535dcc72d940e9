import { isAppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Mailer, MailMessage } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { ClaimedMail } from '../ports/storage/mails.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { backoff } from '../push/backoff.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { MAIL_LEASE_MS } from './outgoing.ts';

/**
 * Maximum number of concurrent mails in one process. Lower than the limit of a mailer, to leave room for first
 * attempts.
 */
const CONCURRENCY = 10;
const MAX_ATTEMPTS = 30;
/** Maximum number of sent mails remembered because they could not be removed. */
const MAX_REMEMBERED = 10_000;

export interface MailDeliveryDeps {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeWatch: Pick<TimeWatch, 'earliest'>;
}

/** Sends the mails of the outbox, on any number of nodes. */
export interface MailDelivery {
  /**
   * Sends all due mails. When none is due and none is in progress, resolves to the time at which the next one will be
   * due, or to null if none waits. One call at a time.
   *
   * @throws `storage.unavailable`
   */
  run(): Promise<number | null>;
  /**
   * Makes an attempt at a mail claimed by the caller. After a failure the mail waits for the next attempt, and is on its
   * way, unless it is given up.
   *
   * @throws `mail.unavailable`, `mail.refused` if this attempt failed and the mail was given up
   */
  attempt(mail: ClaimedMail): Promise<void>;
  /** Calls `listener` when a mail may be due. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Starts nothing new. `run` finishes the mails in progress. */
  stop(): void;
  /** Unsubscribes from signals. */
  dispose(): void;
}

export function createMailDelivery(deps: MailDeliveryDeps): MailDelivery {
  const { storage, mailer, secrets, clock, logger, timeWatch } = deps;
  const listeners = new Set<() => void>();
  /** Sent mails that are still stored, because the storage was unavailable. This process does not send them again. */
  const sent = new Set<string>();
  let stopped = false;

  function wake(): void {
    for (const listener of listeners) listener();
  }

  const unsubscribe = storage.signals.subscribe({ topics: ['mail', 'settings'], hear: wake });

  async function giveUp({ id, topic, attempt }: ClaimedMail, reason: string, err?: unknown): Promise<void> {
    logger.error(
      { mail: id, topic, attempts: attempt, reason, ...(err === undefined ? {} : { err }) },
      'mail given up',
    );
    await storage.mails.remove(id);
  }

  /** Postpones a mail after a failed attempt. @throws the failure if the mail is given up */
  async function failed(mail: ClaimedMail, err: unknown): Promise<void> {
    const { id, topic, attempt, expires } = mail;
    const wait = backoff(attempt, Math.random);
    let reason: string | null = null;
    if (isAppError(err) && err.code === 'mail.refused') reason = 'refused';
    else if (attempt >= MAX_ATTEMPTS) reason = 'too many attempts';
    else if (timeWatch.earliest() + wait >= expires) reason = 'expired';
    if (reason !== null) {
      await giveUp(mail, reason, err);
      throw err;
    }
    logger.warn({ err, mail: id, topic, attempts: attempt }, 'mail not sent, retrying');
    if (await storage.mails.postpone(mail, clock.now() + wait)) wake();
  }

  async function removeSent(id: string): Promise<void> {
    if (sent.size < MAX_REMEMBERED) sent.add(id);
    try {
      await storage.mails.remove(id);
      sent.delete(id);
    } catch (err) {
      // Another process may send it again when the lease ends, with the same Message-ID.
      logger.warn({ err, mail: id }, 'mail sent, but not removed from the outbox');
    }
  }

  async function send(mail: ClaimedMail): Promise<void> {
    const opened = secrets.decrypt(mail.sealed);
    if (opened === null) return giveUp(mail, 'it was encrypted with another SECRET_KEY');
    await mailer.send(JSON.parse(opened) as MailMessage);
    await removeSent(mail.id);
  }

  async function attempt(mail: ClaimedMail): Promise<void> {
    if (sent.has(mail.id)) return removeSent(mail.id);
    if (mail.expires <= timeWatch.earliest()) return giveUp(mail, 'expired');
    try {
      await send(mail);
    } catch (error) {
      await failed(mail, error);
    }
  }

  /** Makes an attempt. Failures are recorded and logged; an unrecorded one is retried when the lease ends. */
  async function attemptQuietly(mail: ClaimedMail): Promise<void> {
    try {
      await attempt(mail);
    } catch (err) {
      if (isAppError(err) && (err.code === 'mail.refused' || err.code === 'mail.unavailable')) return;
      logger.warn({ err, mail: mail.id }, 'mail not attempted, retrying');
    }
  }

  async function claimDue(): Promise<ClaimedMail[]> {
    if (stopped) return [];
    const now = clock.now();
    return storage.mails.claim({ now, until: now + MAIL_LEASE_MS, limit: CONCURRENCY });
  }

  return {
    attempt,
    async run() {
      for (let due = await claimDue(); due.length > 0; due = await claimDue()) {
        await Promise.all(due.map(attemptQuietly));
      }
      return stopped ? null : storage.mails.nextDue();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    stop() {
      stopped = true;
    },
    dispose: unsubscribe,
  };
}
