import { beforeAll, describe, expect, it } from 'vitest';
import { createMailbox, PUBLIC_URL } from '../support/addresses.ts';
import { onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { expectStatus, setSettings } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'limits of log-in by mail',
  (world) => {
    const mailbox = createMailbox(world);
    beforeAll(async () => {
      await mailbox.setUp();
      await setSettings(world, 'Application', { 'login.by.mail': true });
    });
    const ask = (body: object, from: string) => world.call('POST', '/login/code', { body, from });
    const confirm = (body: object, from = '198.51.100.1') => world.call('POST', '/login/code/confirm', { body, from });
    const login = (username: string, more: object = {}) =>
      world.call('POST', '/login', { body: { username, password: 'secret', ...more } });

    it('allow five codes for one name from one network, and fifteen from anywhere, known or not', async () => {
      const { name } = await mailbox.verifiedUser();
      for (const username of [name, world.unique('nobody')]) {
        const statuses = [];
        for (let i = 0; i < 20; i++) statuses.push((await ask({ username }, `192.0.2.${i % 4}`)).status);
        expect(statuses.filter((status) => status === 200)).toHaveLength(15);
        expect((await ask({ username }, '192.0.2.99')).status).toBe(429);
      }
      const { name: other } = await mailbox.verifiedUser();
      const statuses = [];
      for (let i = 0; i < 6; i++) statuses.push((await ask({ username: other }, '203.0.113.1')).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    });

    describe.each(['username', 'email'])('for codes asked for by %s', (by) => {
      /** Wrong codes for three challenges, one after the other. */
      async function guesses(named: string): Promise<number[]> {
        const statuses = [];
        for (let asked = 0; asked < 3; asked++) {
          const { challenge } = (await expectStatus(ask({ [by]: named }, '192.0.2.1'), 200)).data;
          await world.backend.deliver();
          for (let i = 0; i < 5; i++) statuses.push((await confirm({ challenge, code: '' }, `192.0.2.${i}`)).status);
        }
        return statuses;
      }

      it('count ten wrong codes with wrong passwords, for nobody as for somebody', async () => {
        const { name, email } = await mailbox.verifiedUser();
        const expected = [...Array(10).fill(401), ...Array(5).fill(429)];
        expect(await guesses(by === 'email' ? email : name)).toEqual(expected);
        expect(await guesses(by === 'email' ? mailbox.unique('nobody') : world.unique('nobody'))).toEqual(expected);
        expectCode(await login(name), 429, 'auth.locked');
      });

      it('refuse a locked account, except from a client that has logged in before', async () => {
        const { name, email } = await mailbox.verifiedUser();
        const { client } = (await expectStatus(login(name), 200)).data;
        const named = by === 'email' ? email : name;
        for (let i = 0; i < 10; i++) await login(name, { password: `wrong ${i}` });
        const { challenge } = (await expectStatus(ask({ [by]: named }, '192.0.2.1'), 200)).data;
        const { code } = await mailbox.mailTo(email);
        expectCode(await confirm({ challenge, code }), 429, 'auth.locked');
        await expectStatus(confirm({ challenge, code, client }), 200);
      });
    });

    it('do not count right codes', async () => {
      const { name, email } = await mailbox.verifiedUser();
      for (let i = 0; i < 12; i++) {
        const { challenge } = (await expectStatus(ask({ email }, `192.0.2.${i}`), 200)).data;
        await expectStatus(confirm({ challenge, code: (await mailbox.mailTo(email)).code }), 200);
      }
      await expectStatus(login(name), 200);
    });
  },
  { clock, publicUrl: PUBLIC_URL, rateLimit: true },
);
