import { ROLES } from '../access.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { newUser } from './new-user.ts';

export const ADMINISTRATOR_NAME = 'admin';

/**
 * Key of the fingerprint of the hash whose password was generated, so that a password change invalidates it. Stored
 * among the settings, but not shown, because no setting has this key.
 */
export const GENERATED_PASSWORD = 'administrator.password.generated';

export interface FirstAdministrator {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `null`: generate one. */
  readonly password: string | null;
}

/**
 * Creates the user `admin` if there is none. Resolves to the generated password, to be printed only on the console, or
 * to null if none was generated.
 */
export async function ensureAdministrator(deps: FirstAdministrator): Promise<string | null> {
  const { storage, passwords, secrets, clock, logger } = deps;
  if ((await storage.users.findByKey(ADMINISTRATOR_NAME)) !== null) return null;
  const password = deps.password ?? secrets.token();
  const now = clock.now();
  const id = secrets.uuid(now);
  const passwordHash = await passwords.hash(password);
  const registration = { id, name: ADMINISTRATOR_NAME, sections: {}, passwordHash, now, role: ROLES.administrator };
  const added = await storage.transaction(async (stores) => {
    if (!(await stores.users.add(newUser(registration)))) return false;
    if (deps.password === null) {
      await stores.settings.set({ key: GENERATED_PASSWORD, value: secrets.fingerprint(passwordHash) });
    }
    return true;
  });
  if (!added) return null; // another node has created it
  logger.info({ username: ADMINISTRATOR_NAME }, 'administrator created');
  return deps.password === null ? password : null;
}
