import { addressIn } from '../names/email-address.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { lasts } from '../time/waits.ts';

/**
 * Returns the address to which a link that controls the account may be sent; null if there is none. An attacker with a
 * stolen session could set an unverified address, so it must have been on the account for longer than a link is valid.
 *
 * @param lifetime of the link, in milliseconds
 */
export async function addressForLinks(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  user: UserRecord,
  lifetime: number,
): Promise<string | null> {
  const address = addressIn(user.sections.visibleByTheUser);
  if (address === null || user.emailVerified) return address;
  const changed = await storage.emails.changed(user.id);
  return changed === null || !lasts(changed + lifetime, clock.now(), lifetime) ? address : null;
}
