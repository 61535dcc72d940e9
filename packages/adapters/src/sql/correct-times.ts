import { LONGEST_LINK_MS, LONGEST_WAITS, latestEnd, type Storage } from '@baobab/core';
import type { SqlExecutor } from './statements/executor.ts';

/** ?1 latest possible time, ?2 time to store instead of a later one */
const correction = (table: string, column: string, among = '') =>
  `update ${table} set ${column} = ?2 where ${column} > ?1${among}`;

// With the first column of their indexes, so that nothing is scanned. Deliveries wait for two platforms at most.
const platform = (which: 'min' | 'max') => `(select ${which}(os) from push_deliveries where state = 'waiting')`;
const OF_PLATFORMS = ` and state = 'waiting' and os in (${platform('min')}, ${platform('max')})`;
const OF_WEBHOOKS = " and state = 'waiting' and webhook in (select id from webhooks)";
const WAITS = [
  { correct: correction('mails', 'due'), length: LONGEST_WAITS.mail },
  { correct: correction('push_deliveries', 'due', OF_PLATFORMS), length: LONGEST_WAITS.push },
  { correct: correction('webhook_deliveries', 'due', OF_WEBHOOKS), length: LONGEST_WAITS.webhook },
  { correct: correction('webhooks', 'lease'), length: 0 },
] as const;
const LINKS = [correction('reset_tokens', 'expires'), correction('email_claims', 'expires')];
const GUESTS = correction('users', 'guest_seen');
/** The last use is not before the creation and the login. */
const SESSIONS = `update sessions set last_used = ?2, created = case when created > ?2 then ?2 else created end,
  logged_in = case when logged_in > ?2 then ?2 else logged_in end where last_used > ?1`;

/** Creates `Storage.correctTimes`. */
export const createTimeCorrection =
  (executor: SqlExecutor): Storage['correctTimes'] =>
  async (now, latest) => {
    let corrected = 0;
    for (const { correct, length } of WAITS) corrected += await executor.change(correct, [latestEnd(now, length), now]);
    for (const used of [SESSIONS, GUESTS]) corrected += await executor.change(used, [latestEnd(latest, 0), latest]);
    const expiry = latest + LONGEST_LINK_MS;
    for (const link of LINKS) corrected += await executor.change(link, [latestEnd(latest, LONGEST_LINK_MS), expiry]);
    return corrected;
  };
