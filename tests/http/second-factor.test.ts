import { expect, it } from 'vitest';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus } from '../support/people.ts';
import {
  codeAt,
  createFactorCalls,
  expectCode,
  type Protected,
  protectedUser,
  STEP_MS,
  wrongCode,
} from '../support/second-factor.ts';

const clock = createHandDrivenClock();

/** Number of responses by status. */
function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

onEveryStorage(
  'the second factor',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const { login, second, codeOf, ann, challengeOf } = createFactorCalls(world, clock);
    const statusOf = async (token: string) => (await call('GET', '/me', { token })).status;
    const atOnce = (count: number, attempt: (i: number) => Promise<Answer>) =>
      Promise.all(Array.from({ length: count }, (_, i) => attempt(i)));

    it('is turned on with a code of the app, and shows ten recovery codes once', async () => {
      const { token, name } = await world.user();
      const state = async () => (await call('GET', '/me/totp', { token })).data;
      expect(await state()).toEqual({ enabled: false, since: null, recovery_codes: 0, passkeys: 0 });
      expectCode(await call('POST', '/me/totp/confirm', { token, body: { code: '123456' } }), 404, 'totp.not_found');
      const first = await expectStatus(call('POST', '/me/totp', { token }), 200);
      const { data } = await expectStatus(call('POST', '/me/totp', { token }), 200);
      expect(data.secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(data.secret).not.toBe(first.data.secret);
      const uri = new URL(data.uri);
      expect([uri.protocol, uri.host, uri.searchParams.get('secret')]).toEqual(['otpauth:', 'totp', data.secret]);
      expect(await state()).toMatchObject({ enabled: false });
      expect((await login(name)).status).toBe(200);

      const confirm = (secret: string) => ({ token, body: { code: codeAt(secret, clock.now()) } });
      expectCode(await call('POST', '/me/totp/confirm', confirm(first.data.secret)), 400, 'auth.code_invalid');
      const pasted = { token, body: { code: codeAt(data.secret, clock.now()).replace(/^.../, ' $&-') } };
      const { data: confirmed } = await expectStatus(call('POST', '/me/totp/confirm', pasted), 200);
      expect(new Set(confirmed.recovery_codes).size).toBe(10);
      for (const code of confirmed.recovery_codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
      expect(await state()).toMatchObject({ enabled: true, recovery_codes: 10 });
      expectCode(await call('POST', '/me/totp', { token }), 400, 'totp.exists');
      expectCode(await call('POST', '/me/totp/confirm', confirm(data.secret)), 400, 'totp.exists');
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect((await call(method, '/me/totp', { body: method === 'DELETE' ? {} : undefined })).status).toBe(401);
      }
    });

    it('ends the sessions that began without it, and keeps the one that turned it on', async () => {
      const { name, token } = await world.user();
      const other = (await login(name)).data['X-BB-SESSION'];
      expect((await call('GET', '/me', { basic: [name, 'secret'] })).status).toBe(200);
      const { data } = await call('POST', '/me/totp', { token });
      const body = { code: codeAt(data.secret, clock.now()) };
      await expectStatus(call('POST', '/me/totp/confirm', { token, body }), 200);
      expect([await statusOf(other), await statusOf(token)]).toEqual([401, 200]);
      expect((await call('GET', '/refresh', { token: other })).status).toBe(401);
      expect((await call('GET', '/me', { basic: [name, 'secret'] })).status).toBe(401);
    });

    it('is asked for by a challenge, which a code answers', async () => {
      const user = await ann();
      const challenge = await challengeOf(user.name);
      const answer = await expectStatus(second({ challenge, code: codeOf(user) }), 200);
      expect(answer.data.user.name).toBe(user.name);
      expect(answer.headers['x-bb-session']).toBe(answer.data['X-BB-SESSION']);
      expect(await statusOf(answer.data['X-BB-SESSION'])).toBe(200);
    });

    it('may be sent with the password', async () => {
      const user = await ann();
      const wrong = await login(user.name, { code: wrongCode(user.secret, clock.now()) });
      expectCode(wrong, 401, 'auth.code_invalid');
      const { data } = await expectStatus(login(user.name, { code: codeOf(user) }), 200);
      expect(await statusOf(data['X-BB-SESSION'])).toBe(200);
      expectCode(await login(user.name, { code: codeOf(user) }), 401, 'auth.code_invalid');
    });

    it('registers the device of the login that it completes', async () => {
      const user = await ann();
      const login_data = { os: 'ios', deviceId: world.unique('phone') };
      const { body } = await login(user.name, { login_data });
      const { data } = await expectStatus(second({ challenge: body.challenge, code: codeOf(user) }), 200);
      const sessions = await call('GET', '/me/sessions', { token: data['X-BB-SESSION'] });
      const own = sessions.data.find(({ current }: { current: boolean }) => current);
      expect(own.device).toEqual({ id: login_data.deviceId, os: 'ios' });
    });

    it('is not said of users whose password is wrong', async () => {
      const [user, plain] = [await ann(), await world.user()];
      const answers = [user.name, plain.name, world.unique('nobody')].map((username) =>
        call('POST', '/login', { body: { username, password: 'wrong', code: codeOf(user) } }),
      );
      const bodies = (await Promise.all(answers)).map(({ body, status }) => [status, body.code, body.message]);
      expect(new Set(bodies.map(String)).size).toBe(1);
      expect(bodies[0]?.[1]).toBe('auth.invalid');
    });

    it('ignores a code where there is none to check', async () => {
      const { name } = await world.user();
      expect((await login(name, { code: '123456' })).status).toBe(200);
    });

    it.each([-1, 0, 1])('accepts the code of a clock that is %i step off', async (steps) => {
      const user = await ann();
      clock.advance(STEP_MS);
      const code = codeAt(user.secret, clock.now() + steps * STEP_MS);
      expect((await login(user.name, { code })).status).toBe(200);
    });

    it.each([-2, 2])('refuses the code of a clock that is %i steps off', async (steps) => {
      const user = await ann();
      clock.advance(2 * STEP_MS);
      const code = codeAt(user.secret, clock.now() + steps * STEP_MS);
      expectCode(await login(user.name, { code }), 401, 'auth.code_invalid');
    });

    it('takes no code again, nor one from before the last', async () => {
      const user = await protectedUser(world, clock.now);
      // This one has turned the factor on.
      expectCode(await login(user.name, { code: codeOf(user) }), 401, 'auth.code_invalid');
      const next = codeAt(user.secret, clock.now() + STEP_MS);
      expect((await login(user.name, { code: next })).status).toBe(200);
      clock.advance(STEP_MS);
      expectCode(await login(user.name, { code: next }), 401, 'auth.code_invalid');
    });

    it.each<readonly [string, (user: Protected) => Promise<() => Promise<Answer>>]>([
      ['a code with the password', async (user) => () => login(user.name, { code: codeOf(user) })],
      [
        'a code and one challenge',
        async (user) => {
          const challenge = await challengeOf(user.name);
          return () => second({ challenge, code: codeOf(user) });
        },
      ],
      [
        'a recovery code and one challenge',
        async (user) => {
          const challenge = await challengeOf(user.name);
          return () => second({ challenge, recovery_code: user.recoveryCodes[0] });
        },
      ],
    ])('lets exactly one of 50 log-ins in that use %s at once', async (_what, prepare) => {
      const user = await ann();
      const attempt = await prepare(user);
      expect(tally(await atOnce(50, attempt))).toEqual({ 200: 1, 401: 49 });
      expect((await attempt()).status).toBe(401);
    });

    it.each(['code', 'recovery_code'])('lets one %s answer only one of 50 challenges', async (member) => {
      const user = await ann();
      const challenges = await Promise.all(Array.from({ length: 50 }, () => challengeOf(user.name)));
      const proof = { [member]: member === 'code' ? codeOf(user) : user.recoveryCodes[0] };
      expect(tally(await atOnce(50, (i) => second({ challenge: challenges[i], ...proof })))).toEqual({
        200: 1,
        401: 49,
      });
    });

    it('lets one challenge be answered once, though each recovery code is right', async () => {
      const user = await ann();
      const challenge = await challengeOf(user.name);
      const answers = await atOnce(10, (i) => second({ challenge, recovery_code: user.recoveryCodes[i] }));
      expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
      const { data } = await call('GET', '/me/totp', { token: user.token });
      expect(data.recovery_codes).toBe(9); // the others are not used up
    });

    it('ends a challenge after five wrong codes, even when they arrive at once', async () => {
      const user = await ann();
      const challenge = await challengeOf(user.name);
      const code = wrongCode(user.secret, clock.now());
      const answers = await atOnce(20, () => second({ challenge, code }));
      const codes = answers.map(({ body }) => body.code);
      expect(codes.filter((one) => one === 'auth.code_invalid')).toHaveLength(5);
      expect(codes.filter((one) => one === 'auth.challenge_invalid')).toHaveLength(15);
      expectCode(await second({ challenge, code: codeOf(user) }), 401, 'auth.challenge_invalid');
      const fresh = await challengeOf(user.name);
      for (let i = 0; i < 4; i++) expectCode(await second({ challenge: fresh, code }), 401, 'auth.code_invalid');
      expect((await second({ challenge: fresh, code: codeOf(user) })).status).toBe(200);
    });

    it('ends a challenge after five minutes', async () => {
      const user = await ann();
      const challenges = [await challengeOf(user.name), await challengeOf(user.name)];
      clock.advance(5 * MINUTE - 1);
      expect((await second({ challenge: challenges[0], code: codeOf(user) })).status).toBe(200);
      clock.advance(1);
      const late = { challenge: challenges[1], recovery_code: user.recoveryCodes[0] };
      expectCode(await second(late), 401, 'auth.challenge_invalid');
      expect(await world.backend.sweep()).toBeGreaterThan(0);
    });

    it.each<readonly [string, (user: Protected) => Promise<Answer>]>([
      [
        'another password',
        (user) => call('PUT', '/me/password', { token: user.token, body: { old: 'secret', new: 'other' } }),
      ],
      ['a suspension', (user) => call('PUT', `/admin/user/suspend/${user.name}`, { basic: adminOf(world) })],
      ['a removal', (user) => call('DELETE', `/admin/user/${user.name}`, { basic: adminOf(world) })],
    ])('ends a challenge by %s', async (_what, change) => {
      const user = await ann();
      const challenge = await challengeOf(user.name);
      await expectStatus(change(user), 200);
      expect((await second({ challenge, code: codeOf(user) })).status).toBe(401);
    });

    it.each<readonly [string, object]>([
      ['no proof', {}],
      ['two proofs', { code: '123456', recovery_code: 'AAAA' }],
      ['a number as a code', { code: 123_456 }],
      ['a long code', { code: '1'.repeat(65) }],
    ])('refuses %s', async (_what, proof) => {
      const user = await ann();
      expectFailure(await second({ challenge: await challengeOf(user.name), ...proof }), 400);
    });

    it('knows no challenge that it did not make', async () => {
      const user = await ann();
      const challenge = await challengeOf(user.name);
      for (const made of ['', 'x', `${challenge}x`, challenge.toLowerCase(), challenge.slice(1), user.token]) {
        expectCode(await second({ challenge: made, code: codeOf(user) }), 401, 'auth.challenge_invalid');
      }
    });

    it('takes each of ten recovery codes once, in any spelling, and of no other user', async () => {
      const [user, other] = [await ann(), await ann()];
      const use = async (recovery_code: string, { name } = user) =>
        (await second({ challenge: await challengeOf(name), recovery_code })).status;
      const [first = '', next = '', ...others] = user.recoveryCodes;
      expect(await use(first, other)).toBe(401);
      expect(await use(first.toLowerCase().replaceAll('-', ' '))).toBe(200);
      expect([await use(first), await use(next.replaceAll('-', ''))]).toEqual([401, 200]);
      for (const code of others) expect(await use(code)).toBe(200);
      for (const code of user.recoveryCodes) expect(await use(code)).toBe(401);
      expect((await login(user.name, { code: codeOf(user) })).status).toBe(200);
    });
  },
  { clock },
);
