import { ROLES } from '../access.ts';
import { userName } from '../names/names.ts';
import type { NewUser, Sections } from '../ports/storage/users.ts';
import { EMPTY_SECTIONS } from './sections.ts';

export interface Registration {
  readonly id: string;
  readonly name: string;
  readonly sections: Partial<Sections>;
  readonly passwordHash: string | null;
  readonly now: number;
  /** Role name; `registereduser` if absent. */
  readonly role?: string;
  readonly generated?: boolean;
  /** See `NewUser`; false if absent. */
  readonly awaitsEmail?: boolean;
  readonly guest?: boolean;
}

/** Returns the initial record of a user, for all kinds of sign-up. */
export function newUser({
  id,
  name,
  sections,
  passwordHash,
  now,
  role,
  generated,
  awaitsEmail,
  guest,
}: Registration): NewUser {
  return {
    id,
    ...userName(name),
    role: role ?? ROLES.registered,
    status: 'ACTIVE',
    generated: generated ?? false,
    created: now,
    emailVerified: false,
    guest: guest ?? false,
    sections: { ...EMPTY_SECTIONS, ...sections },
    passwordHash,
    awaitsEmail: awaitsEmail ?? false,
  };
}
