import { createArgon2Passwords } from '@baobab/adapters/argon2';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import type { Clock } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { passwordsContract } from './passwords.ts';
import { secretsContract } from './secrets.ts';

function clockContract(name: string, clock: Clock): void {
  describe(`clock contract: ${name}`, () => {
    it('tells whole milliseconds since 1970', () => {
      const [before, now, after] = [Date.now(), clock.now(), Date.now()];
      expect(Number.isSafeInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(after);
    });

    it('works without its object', () => {
      const { now } = clock;
      expect(now()).toBeGreaterThan(Date.UTC(2020));
    });
  });
}

passwordsContract('argon2', ({ maxWaiting } = { maxWaiting: 100 }) =>
  createArgon2Passwords({ memoryCost: 1024, timeCost: 1, concurrency: 1, maxWaiting }),
);
secretsContract('node', createNodeSecrets);
clockContract('system', createSystemClock());
