import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { ROLES } from '../roles/roles.ts';
import { newUser } from './new-user.ts';

export const ADMINISTRATOR_NAME = 'admin';

/**
 * Holds the fingerprint of the hash whose password was generated, so that a change of the password ends what it says.
 * Stored among the settings; no setting has this key, so nothing shows it.
 */
export const GENERATED_PASSWORD = 'administrator.password.generated';

export interface FirstAdministrator {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `null`: one is generated. */
  readonly password: string | null;
}

/**
 * Creates the user `admin` if there is none. Resolves to the generated password, to be printed on the console and
 * nowhere else, or to null when none was generated.
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
