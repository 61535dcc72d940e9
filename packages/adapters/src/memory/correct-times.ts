import { LONGEST_LINK_MS, LONGEST_WAITS, latestEnd, type Storage } from '@baobab/core';
import type { State } from './state.ts';
import type { Immediate } from './tables.ts';

/** Creates `Storage.correctTimes`. */
export function createTimeCorrection(state: State): Immediate<Pick<Storage, 'correctTimes'>> {
  const { mails, deliveries, webhookDeliveries, webhooks, resetTokens, emailClaims, users, sessions } = state;
  return {
    correctTimes(now, latest) {
      const sessionEnd = latestEnd(latest, 0);
      const leaseEnd = latestEnd(now, 0);
      const mailEnd = latestEnd(now, LONGEST_WAITS.mail);
      const waitsUntilAfter = (end: number) => (row: { readonly state: string; readonly due: number }) =>
        row.state === 'waiting' && row.due > end;
      const linkEnd = latestEnd(latest, LONGEST_LINK_MS);
      const isTooLate = ({ expires }: { readonly expires: number }) => expires > linkEnd;
      const link = { expires: latest + LONGEST_LINK_MS };
      const corrected = [
        mails.updateAll(({ due }) => due > mailEnd, { due: now }),
        deliveries.updateAll(waitsUntilAfter(latestEnd(now, LONGEST_WAITS.push)), { due: now }),
        webhookDeliveries.updateAll(waitsUntilAfter(latestEnd(now, LONGEST_WAITS.webhook)), { due: now }),
        webhooks.updateAll(({ lease }) => lease > leaseEnd, { lease: now }),
        sessions.updateAll(
          ({ lastUsed }) => lastUsed > sessionEnd,
          ({ created, loggedIn }) => ({
            lastUsed: latest,
            created: Math.min(created, latest),
            loggedIn: Math.min(loggedIn, latest),
          }),
        ),
        users.updateAll(({ guest, guestSeen }) => guest && guestSeen > sessionEnd, { guestSeen: latest }),
        resetTokens.updateAll(isTooLate, link),
        emailClaims.updateAll(isTooLate, link),
      ];
      return corrected.flat().length;
    },
  };
}
