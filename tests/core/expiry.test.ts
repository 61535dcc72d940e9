import { beforeEach, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';

const MINUTE = 60_000;
let time = Date.UTC(2030, 0, 1);
const clock = { now: () => time };

onEveryStorage(
  'sessions of 15 minutes',
  (world) => {
    let token: string;
    let name: string;
    beforeEach(async () => {
      ({ token, name } = await world.user());
    });
    /** Use is recorded asynchronously: when the clock leaps, the next request may overtake the record. */
    const lives = () => expect.poll(works, { interval: 5 }).toBe(true);
    const works = async () => (await world.call('GET', '/user', { token })).status === 200;

    it('expire without use, after 16 minutes at the latest, with 40101', async () => {
      time += 16 * MINUTE;
      const { status, body } = await world.call('GET', '/user', { token });
      expect([status, body.bb_code]).toEqual([401, '40101']);
      time -= 16 * MINUTE;
    });

    it('live on while they are used, for hours', async () => {
      for (let used = 0; used < 5 * 60; used += 14) {
        time += 14 * MINUTE;
        await lives();
      }
      time += 15 * MINUTE;
      await lives();
    });

    it.each([20, 29, 31, 61, 300, 899])('live on when they are used every %i seconds', async (seconds) => {
      const end = time + 40 * MINUTE;
      while (time < end) {
        time += seconds * 1000;
        await lives();
      }
      time += 14 * MINUTE + 59_000;
      await lives();
      time += 17 * MINUTE;
      expect(await works()).toBe(false);
    });

    it('are not revived when the clock is set back a little', async () => {
      time += 20 * MINUTE;
      expect(await works()).toBe(false);
      const other = await world.call('POST', '/login', { body: { username: name, password: 'secret' } });
      time -= MINUTE;
      expect((await world.call('GET', '/user', { token: other.data['X-BB-SESSION'] })).status).toBe(200);
      time += MINUTE;
    });
  },
  { clock },
);
