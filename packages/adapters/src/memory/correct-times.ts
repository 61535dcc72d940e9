import { LONGEST_LINK_MS, LONGEST_WAITS, latestEnd, type Storage } from '@baobab/core';
import type { State } from './state.ts';
import type { Immediate, Table } from './tables.ts';

/** Stores `time` in place of times after `end`. Returns the number of changed rows. */
function correct<V extends object>(
  table: Table<V>,
  end: number,
  { of, put }: { readonly of: (row: V) => number; readonly put: (row: V) => V },
): number {
  const found = table.where((row) => of(row) > end);
  for (const row of found) table.set(put(row));
  return found.length;
}

/** Creates `Storage.correctTimes`. */
export function createTimeCorrection(state: State): Immediate<Pick<Storage, 'correctTimes'>> {
  const { mails, deliveries, webhookDeliveries, webhooks, resetTokens, emailClaims, users, sessions } = state;
  return {
    correctTimes(now, latest) {
      const waitOf = (row: { readonly state: string; readonly due: number }) =>
        row.state === 'waiting' ? row.due : Number.NEGATIVE_INFINITY;
      const link = {
        of: ({ expires }: { readonly expires: number }) => expires,
        put: <V extends object>(row: V) => ({ ...row, expires: latest + LONGEST_LINK_MS }),
      };
      const linkEnd = latestEnd(latest, LONGEST_LINK_MS);
      const corrected = [
        correct(mails, latestEnd(now, LONGEST_WAITS.mail), {
          of: ({ due }) => due,
          put: (row) => ({ ...row, due: now }),
        }),
        correct(deliveries, latestEnd(now, LONGEST_WAITS.push), { of: waitOf, put: (row) => ({ ...row, due: now }) }),
        correct(webhookDeliveries, latestEnd(now, LONGEST_WAITS.webhook), {
          of: waitOf,
          put: (row) => ({ ...row, due: now }),
        }),
        correct(webhooks, latestEnd(now, 0), { of: ({ lease }) => lease, put: (row) => ({ ...row, lease: now }) }),
        correct(sessions, latestEnd(latest, 0), {
          of: ({ lastUsed }) => lastUsed,
          put: (row) => ({
            ...row,
            lastUsed: latest,
            created: Math.min(row.created, latest),
            loggedIn: Math.min(row.loggedIn, latest),
          }),
        }),
        correct(users, latestEnd(latest, 0), {
          of: ({ guest, guestSeen }) => (guest ? guestSeen : Number.NEGATIVE_INFINITY),
          put: (row) => ({ ...row, guestSeen: latest }),
        }),
        correct(resetTokens, linkEnd, link),
        correct(emailClaims, linkEnd, link),
      ];
      return corrected.reduce((sum, one) => sum + one, 0);
    },
  };
}
