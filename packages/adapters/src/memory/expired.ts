import { KEPT_MESSAGES_MS, type Storage } from '@baobab/core';
import type { State } from './state.ts';
import type { Immediate } from './tables.ts';

/** Creates `Storage.removeExpired`. */
export function createExpiry(state: State): Immediate<Pick<Storage, 'removeExpired'>> {
  const { formerNames, resetTokens, emailClaims, invitationCodes, challenges, idempotency, rateLimits, lockouts } =
    state;
  const { pushMessages, deliveries, removedMembers } = state;

  return {
    removeExpired(now, limit) {
      const isExpired = ({ expires }: { readonly expires: number }) => expires <= now;
      const isEnded = ({ ends }: { readonly ends: number }) => ends <= now;
      const messages = pushMessages.remove(({ expires }) => expires < now - KEPT_MESSAGES_MS, limit);
      for (const { id } of messages) deliveries.remove({ message: id });
      const removed = [
        messages,
        formerNames.remove(isExpired, limit),
        resetTokens.remove(isExpired, limit),
        emailClaims.remove(isExpired, limit),
        invitationCodes.remove(isExpired, limit),
        removedMembers.remove(isExpired, limit),
        challenges.remove(isExpired, limit),
        idempotency.remove(isExpired, limit),
        rateLimits.remove(isEnded, limit),
        lockouts.remove(isEnded, limit),
      ];
      return removed.flat().length;
    },
  };
}
