import { type Actor, requireAdmin } from '../actor.ts';
import { userKey } from '../names/names.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { ADMINISTRATOR_NAME, GENERATED_PASSWORD } from '../users/administrator.ts';

export interface FirstPasswordDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
}

export type FirstPassword = ReturnType<typeof createFirstPassword>;

/** Checks if the built-in administrator still has the password of the first start. */
export function createFirstPassword({ storage, secrets, passwords }: FirstPasswordDeps) {
  const hashNow = async () => (await storage.users.credentials(userKey(ADMINISTRATOR_NAME)))?.passwordHash ?? null;

  return {
    /** Returns true if the password is the generated one. @throws `auth.required`, `admin.required` */
    async isGenerated(actor: Actor): Promise<boolean> {
      requireAdmin(actor);
      const hash = await hashNow();
      const stored = (await storage.settings.all()).find(({ key }) => key === GENERATED_PASSWORD);
      return hash !== null && stored?.value === secrets.fingerprint(hash);
    },

    /** Returns true if the password is the given one. @throws `auth.required`, `admin.required`, `passwords.busy` */
    async is(actor: Actor, password: string): Promise<boolean> {
      requireAdmin(actor);
      return passwords.verify(await hashNow(), password);
    },
  };
}
