import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { ROLES } from '../roles/roles.ts';
import { issueSession, type LoginData } from '../sessions/sessions.ts';
import { checkUserName, userKey } from './names.ts';
import { checkPassword } from './passwords.ts';
import { EMPTY_SECTIONS, parseSections, type SectionsInput } from './sections.ts';

export interface SignUp {
  readonly username: string;
  readonly password: string;
  readonly sections: SectionsInput;
  readonly login: LoginData | null;
}

/** A profile and the token of the session that was just begun. */
export interface SignedIn {
  readonly profile: UserRecord;
  readonly token: string;
}

export interface UsersDeps {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

export type Users = ReturnType<typeof createUsers>;

export function createUsers({ storage, passwords, secrets, clock }: UsersDeps) {
  return {
    /**
     * Registers a user, who is then logged in.
     *
     * @throws `user.name_invalid`, `user.internal`, `user.exists`, `user.password_invalid`, `user.section_invalid`
     */
    async signUp(_actor: Actor, { username, password, sections, login }: SignUp): Promise<SignedIn> {
      checkUserName(username);
      checkPassword(password);
      const given = parseSections(sections);
      const passwordHash = await passwords.hash(password);
      const now = clock.now();
      const profile: UserRecord = {
        id: secrets.uuid(now),
        name: username,
        role: ROLES.registered,
        status: 'ACTIVE',
        generated: false,
        created: now,
        sections: { ...EMPTY_SECTIONS, ...given },
      };
      const token = await storage.transaction(async (stores) => {
        const added = await stores.users.add({ ...profile, key: userKey(username), passwordHash });
        if (!added) throw new AppError('user.exists');
        return issueSession(stores, { secrets, now, userId: profile.id, login });
      });
      return { profile, token };
    },

    /** The caller's own profile. @throws `auth.required` */
    async me(actor: Actor): Promise<UserRecord> {
      const profile = await storage.users.find(requireUser(actor).id);
      if (profile === null) throw new AppError('auth.required');
      return profile;
    },
  };
}
