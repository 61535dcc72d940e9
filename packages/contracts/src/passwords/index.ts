import type { Passwords } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';

/** Contract of password hashers. `open` creates one that is fast enough for tests. */
export function passwordsContract(name: string, open: (limits?: { maxWaiting: number }) => Passwords): void {
  describe(`passwords contract: ${name}`, PATIENT, () => {
    const passwords = open();

    it.each([
      ['an ordinary one', 'secret'],
      ['the empty one', ''],
      ['a long one', 'x'.repeat(1024)],
      ['one of another script', 'пароль😀'],
      ['one with U+0000', 'a\0b'],
    ])('match %s, and no other password', async (_what, password) => {
      const hash = await passwords.hash(password);
      expect(await passwords.verify(hash, password)).toBe(true);
      for (const other of [`${password}x`, ` ${password}`, password.slice(0, -1), `${password}\0`]) {
        if (other !== password) expect(await passwords.verify(hash, other)).toBe(false);
      }
    });

    it('are compared beyond U+0000 too', async () => {
      expect(await passwords.verify(await passwords.hash('a\0b'), 'a\0c')).toBe(false);
    });

    it('have a different hash each time, which does not contain them', async () => {
      const [one, two] = await Promise.all([passwords.hash('open sesame'), passwords.hash('open sesame')]);
      expect(one).not.toBe(two);
      expect(one).not.toContain('open sesame');
      expect(await passwords.verify(two, 'open sesame')).toBe(true);
    });

    it.each([
      '',
      'x',
      'secret',
      '$argon2id$',
      '$argon2id$v=19$m=1,t=1,p=1$AA$AA',
      '$argon2id$v=19',
      '$2b$10$abc',
      '\0',
    ])('do not match "%s", which is not a hash', async (hash) => {
      expect(await passwords.verify(hash, hash)).toBe(false);
      expect(await passwords.verify(hash, '')).toBe(false);
    });

    it('do not match a missing hash', async () => {
      for (const password of ['', '.', 'x']) expect(await passwords.verify(null, password)).toBe(false);
    });

    it('can be hashed many at once', async () => {
      const hashes = await Promise.all(Array.from({ length: 20 }, (_, i) => passwords.hash(`${i}`)));
      const verified = await Promise.all(hashes.map((hash, i) => passwords.verify(hash, `${i}`)));
      expect(verified).toEqual(Array(20).fill(true));
    });

    it('are refused when too many calls wait, and accepted again afterwards', async () => {
      const busy = open({ maxWaiting: 3 });
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => busy.hash('x')));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused.length).toBeGreaterThan(0);
      for (const { reason } of refused) expect(reason).toMatchObject({ code: 'passwords.busy' });
      expect(outcomes.length - refused.length).toBeGreaterThanOrEqual(4);
      expect(await busy.verify(await busy.hash('x'), 'x')).toBe(true);
    });
  });
}
