import { typedPassword } from '../names/names.ts';
import type { Passwords } from '../ports/passwords.ts';

/** Normalizes passwords: they are hashed and compared in NFC, in whichever Unicode form a device sends them. */
export interface PasswordForms extends Passwords {
  /** Verifies a password. `outdated` means that the hash was made from another form than NFC and should be replaced. */
  match(hash: string | null, password: string): Promise<'current' | 'outdated' | null>;
}

export function createPasswordForms(passwords: Passwords): PasswordForms {
  /** Tries every form with and without such a user, so that both take the same time. */
  async function match(hash: string | null, password: string): Promise<'current' | 'outdated' | null> {
    const current = typedPassword(password);
    if (await passwords.verify(hash, current)) return 'current';
    const others = new Set([password, password.normalize('NFD')]);
    others.delete(current);
    for (const form of others) if (await passwords.verify(hash, form)) return 'outdated';
    return null;
  }

  return {
    hash: (password) => passwords.hash(typedPassword(password)),
    verify: async (hash, password) => (await match(hash, password)) !== null,
    match,
  };
}
