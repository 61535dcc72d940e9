import type { CommonPasswords } from '@baobab/core';
import { afterAll, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';

/** Contract of every list of common passwords. */
export function commonPasswordsContract(
  name: string,
  open: (limits?: { readonly maxWaiting: number }) => CommonPasswords,
): void {
  describe(`common passwords contract: ${name}`, PATIENT, () => {
    const passwords = open();
    afterAll(() => passwords.close());
    const isCommon = (password: string, about: readonly string[] = ['carol']) => passwords.isCommon(password, about);

    it.each([
      'password',
      'PASSWORD',
      'password1',
      'Passw0rd!',
      '123456',
      'qwertyuiop',
      'iloveyou',
      'letmein',
      'secret',
    ])('are common ones and their variations: %s', async (password) => {
      expect(await isCommon(password)).toBe(true);
    });

    it.each(['aaaaaaaa', 'abcdefgh', '1991-02-03', 'password'.repeat(128)])(
      'are simple patterns: %.20s',
      async (password) => {
        expect(await isCommon(password)).toBe(true);
      },
    );

    it.each(['carol', 'Carol', 'CAROL', 'carol1', 'lorac', 'c4r0l'])('are made of the name: %s', async (password) => {
      expect(await isCommon(password)).toBe(true);
    });

    it('are made of a long or a foreign name', async () => {
      for (const named of ['x7Qm'.repeat(32), 'Žofie Nováková']) {
        expect(await isCommon(named, [named])).toBe(true);
        expect(await isCommon(named.toLowerCase(), [named])).toBe(true);
      }
    });

    it.each(['correct horse battery staple', 'Tr0ub4dor&3', 'xK9#mQ2$', 'пароль😀и ещё', 'zq9', ''])(
      'are no others, however short: %s',
      async (password) => {
        expect(await isCommon(password)).toBe(false);
      },
    );

    it('are found in hostile texts within the time limit', async () => {
      for (const unit of ['p@55w0rd1', '4@8({<3#6', '12/', '@$!1|0', '\ud800', '\0']) {
        expect(typeof (await isCommon(unit.repeat(1024).slice(0, 1024), [unit.repeat(30)]))).toBe('boolean');
      }
    });

    it('are refused when too many calls wait, and accepted again afterwards', async () => {
      const busy = open({ maxWaiting: 3 });
      try {
        const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => busy.isCommon('password', [])));
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
        expect(refused).toHaveLength(6);
        for (const { reason } of refused) expect(reason).toMatchObject({ code: 'passwords.busy' });
        expect(await busy.isCommon('password', [])).toBe(true);
      } finally {
        await busy.close();
      }
    });
  });
}
