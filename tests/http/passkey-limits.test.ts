import { createAuthenticator } from '@baobab/contracts/webauthn';
import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { expectCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'limits of passkeys',
  (world) => {
    const { owner, login } = createPasskeyCalls(world);

    it('lock a passkey after ten wrong responses, for fifteen minutes, and no other', async () => {
      const [ann, bob] = [await owner(), await owner()];
      for (let times = 0; times < 10; times++) {
        expectCode(await login(ann.authenticator, { isVerified: false }), 401, 'auth.passkey_invalid');
      }
      const locked = await login(ann.authenticator);
      expectCode(locked, 429, 'auth.locked');
      expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
      expect((await login(bob.authenticator)).status).toBe(200);
      const body = { username: ann.name, password: 'secret' };
      expect((await world.call('POST', '/login', { body })).status).toBe(200);
      clock.advance(15 * MINUTE);
      expect((await login(ann.authenticator)).status).toBe(200);
    });

    it('do not follow from wrong passwords: strangers cannot keep a passkey out', async () => {
      const { name, authenticator } = await owner();
      const body = { username: name, password: 'wrong' };
      for (let times = 0; times < 10; times++) await world.call('POST', '/login', { body });
      expectCode(await world.call('POST', '/login', { body: { ...body, password: 'secret' } }), 429, 'auth.locked');
      expect((await login(authenticator)).status).toBe(200);
    });

    it('count unknown passkeys for the network', async () => {
      const stranger = createAuthenticator();
      const answers: number[] = [];
      for (let times = 0; times < 301; times++) answers.push((await login(stranger)).status);
      expect(answers.lastIndexOf(401)).toBeLessThan(answers.indexOf(429));
      expect(answers.at(-1)).toBe(429);
      clock.advance(5 * MINUTE);
    });
  },
  { clock, rateLimit: true },
);
