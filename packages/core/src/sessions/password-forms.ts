import { typedPassword } from '../names/typed.ts';
import type { Passwords } from '../ports/passwords.ts';

/** Passwords whatever form of Unicode a device sends: they are hashed and compared in NFC. */
export interface PasswordForms extends Passwords {
  /** As `verify`, and whether the hash was made of another form than NFC. It should then be replaced. */
  match(hash: string | null, password: string): Promise<'current' | 'outdated' | null>;
}

export function createPasswordForms(passwords: Passwords): PasswordForms {
  /** Every form is tried with and without such a user, so that both take the same time. */
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
