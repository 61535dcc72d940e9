import { expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { codeAt } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const HOUR = 3_600_000;

const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';
const refusal = ({ status, body, headers }: Answer) => [status, body.code, 'x-bb-session' in headers];

onEveryStorage(
  'a sign-up with an Idempotency-Key',
  (world) => {
    const newKey = () => world.unique('key-');
    const signUp = (username: string, key: string, more: object = {}) =>
      world.call('POST', '/user', {
        body: { username, password: 'secret', ...more },
        headers: { 'idempotency-key': key },
      });
    const whoIs = async (token: string) => (await world.call('GET', '/me', { token })).data?.user.name;

    it('creates the user once, and each repetition begins a session of this user', async () => {
      const [name, key] = [world.unique('ann'), newKey()];
      const more = { visibleByFriend: { city: 'Turin' } };
      const first = await signUp(name, key, more);
      expect([first.status, isReplay(first)]).toEqual([201, false]);
      const again = await signUp(name, key, more);
      expect([again.status, isReplay(again)]).toEqual([201, true]);
      const [{ 'X-BB-SESSION': one, client: _one, ...profile }, { 'X-BB-SESSION': two, client: _two, ...repeated }] = [
        first.data,
        again.data,
      ];
      expect(repeated).toEqual(profile);
      expect(one === two).toBe(false);
      expect([await whoIs(one), await whoIs(two)]).toEqual([name, name]);
    });

    it('creates one user when many arrive at the same time', async () => {
      const [name, key] = [world.unique('ann'), newKey()];
      const answers = await Promise.all(Array.from({ length: 5 }, () => signUp(name, key)));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
      expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
    });

    it('gives nobody a session without the password, whoever knows the key', async () => {
      const [name, key] = [world.unique('ann'), newKey()];
      await signUp(name, key);
      expect(refusal(await signUp(name, key, { password: 'guessed' }))).toEqual([422, 'idempotency.mismatch', false]);
      expect(refusal(await signUp(name, newKey()))).toEqual([400, 'user.exists', false]);
      expect(refusal(await signUp(name, key, { visibleByFriend: {} }))).toEqual([422, 'idempotency.mismatch', false]);
      const { status, data } = await signUp(name, key);
      expect([status, data.user.name]).toEqual([201, name]);
    });

    it('creates another user under the same key when the name is another one', async () => {
      const [key, ann, bob] = [newKey(), world.unique('ann'), world.unique('bob')];
      const [first, second] = [await signUp(ann, key), await signUp(bob, key)];
      expect([second.status, isReplay(second), await whoIs(second.data['X-BB-SESSION'])]).toEqual([201, false, bob]);
      expect([first.data.id === second.data.id, await whoIs(first.data['X-BB-SESSION'])]).toEqual([false, ann]);
    });

    it('does not give away keys that a user sends later', async () => {
      const [name, key] = [world.unique('ann'), newKey()];
      const { data } = await signUp(name, newKey());
      const headers = { 'idempotency-key': key };
      await world.call('POST', '/group', { token: data['X-BB-SESSION'], headers, body: { name: 'g' } });
      expect(refusal(await signUp(name, key))).toEqual([400, 'user.exists', false]);
    });

    it('counts wrong passwords as a login does', async () => {
      const [name, key] = [world.unique('ann'), newKey()];
      await signUp(name, key);
      for (let i = 0; i < 10; i++) await signUp(name, key, { password: `guess ${i}` });
      expect(refusal(await signUp(name, key))).toEqual([429, 'auth.locked', false]);
    });

    it('needs the second factor, once the user has one', async () => {
      const [name, key] = [world.unique('ann'), newKey()];
      const { data } = await signUp(name, key);
      const { 'X-BB-SESSION': token } = data;
      const { secret } = (await world.call('POST', '/me/totp', { token })).data;
      await world.call('POST', '/me/totp/confirm', { token, body: { code: codeAt(secret, clock.now()) } });
      expect(refusal(await signUp(name, key))).toEqual([401, 'auth.second_factor_required', false]);
    });

    it('is refused as before when nothing was created', async () => {
      const key = newKey();
      expect((await signUp('', key)).body.code).toBe('user.name_invalid');
      expect((await signUp(world.unique('ann'), key)).status).toBe(201);
      expect((await signUp(world.unique('ann'), 'a b')).body.code).toBe('idempotency.key_invalid');
    });

    it('is forgotten after 24 hours', async () => {
      const [name, key] = [world.unique('ann'), newKey()];
      await signUp(name, key);
      clock.advance(24 * HOUR - 1);
      expect(isReplay(await signUp(name, key))).toBe(true);
      clock.advance(1);
      expect(refusal(await signUp(name, key))).toEqual([400, 'user.exists', false]);
    });
  },
  { clock, rateLimit: true },
);
