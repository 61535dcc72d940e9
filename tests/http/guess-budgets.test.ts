import { beforeAll, expect, it } from 'vitest';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectStatus, loginAs, setSettings } from '../support/people.ts';
import { codeAt, createFactorCalls, wrongCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const MOST = 10;
const SESSIONS = 8;

/** Number of guesses that were checked, excluding those that found the account locked. */
const examined = (answers: readonly Answer[]) => answers.filter(({ body }) => body?.code !== 'auth.locked').length;

onEveryStorage(
  'guesses at the secrets of one account',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const { ann, challengeOf } = createFactorCalls(world, clock);
    beforeAll(() => setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' }));

    /** A user with several sessions, each on a client that logged in before. */
    async function manySessions() {
      const { name, token, id } = await world.user();
      const tokens = [token];
      while (tokens.length < SESSIONS) tokens.push(await loginAs(world, name));
      return { name, id, tokens };
    }

    /** Guesses in turns of the sessions, as many as one session alone could make in each. */
    async function guessWith(tokens: readonly string[], guess: (token: string, i: number) => Promise<Answer>) {
      const answers: Answer[] = [];
      for (let i = 0; i < MOST + 2; i++) {
        for (const token of tokens) answers.push(await guess(token, i * tokens.length));
      }
      return answers;
    }

    const wrongPasswords = {
      'PUT /me/password': (token: string) =>
        call('PUT', '/me/password', { token, body: { old: 'wrong', new: 'other' } }),
      'POST /me/totp': (token: string) => call('POST', '/me/totp', { token, body: { current_password: 'wrong' } }),
      'POST /me/email': (token: string) =>
        call('POST', '/me/email', { token, body: { email: 'a@example.com', current_password: 'wrong' } }),
    };

    it.each(Object.entries(wrongPasswords))(
      'at the password by %s are ten for all sessions together',
      async (_, guess) => {
        const { name, tokens } = await manySessions();
        expect(examined(await guessWith(tokens, guess))).toBe(MOST);
        // Nor do others lock the user out of logging in.
        expect(await loginAs(world, name)).toMatch(/\S/);
        expect(examined([await guess(await loginAs(world, name))])).toBe(0);
      },
    );

    it('at the password count together, whatever they are for', async () => {
      const { tokens } = await manySessions();
      const answers: Answer[] = [];
      for (const token of tokens) for (const guess of Object.values(wrongPasswords)) answers.push(await guess(token));
      expect(examined(answers)).toBe(MOST);
    });

    it('at the codes of claimed addresses are ten for all sessions together, however many mails were sent', async () => {
      const { name, tokens } = await manySessions();
      const email = `${name}@example.org`;
      const answers: Answer[] = [];
      for (const token of tokens) {
        await expectStatus(call('POST', '/me/email', { token, body: { email } }), 200);
        await world.backend.deliver();
        const text = world.backend.mail.findLast(({ to }) => to === email)?.text ?? '';
        const code = /^(\d{6})$/m.exec(text)?.[1] ?? '';
        const wrong = `${(Number(code[0]) + 1) % 10}${code.slice(1)}`;
        for (let i = 0; i < 5; i++) {
          answers.push(await call('POST', '/me/email/confirm', { token, body: { code: wrong } }));
        }
      }
      expect(examined(answers)).toBe(MOST);
    });

    it('at the secret of an authenticator app that is being set up are ten for all sessions together', async () => {
      const { tokens } = await manySessions();
      const { secret } = (await expectStatus(call('POST', '/me/totp', { token: tokens[0] }), 200)).data;
      const body = { code: wrongCode(secret, clock.now()) };
      const answers = await guessWith(tokens, (token) => call('POST', '/me/totp/confirm', { token, body }));
      expect(examined(answers)).toBe(MOST);
    });

    it.each(['code', 'recovery_code'])(
      'by a %s that would turn the second factor off are ten for all sessions together',
      async (member) => {
        const user = await ann();
        const tokens = [user.token];
        for (const recovery_code of user.recoveryCodes.slice(0, SESSIONS - 1)) {
          const body = { challenge: await challengeOf(user.name), recovery_code };
          tokens.push((await expectStatus(call('POST', '/login/second', { body }), 200)).data['X-BB-SESSION']);
        }
        const wrong = member === 'code' ? wrongCode(user.secret, clock.now()) : 'AAAA-AAAA-AAAA-AAAA';
        const remove = (token: string) => call('DELETE', '/me/totp', { token, body: { [member]: wrong } });
        expect(examined(await guessWith(tokens, remove))).toBe(MOST);
      },
    );

    it('at the second factor are ten for all clients that logged in before', async () => {
      const { name, token } = await world.user();
      const clients: string[] = [];
      while (clients.length < SESSIONS) {
        const body = { username: name, password: 'secret' };
        clients.push((await expectStatus(call('POST', '/login', { body }), 200)).data.client);
      }
      const { secret } = (await expectStatus(call('POST', '/me/totp', { token }), 200)).data;
      const code = codeAt(secret, clock.now());
      await expectStatus(call('POST', '/me/totp/confirm', { token, body: { code } }), 200);
      clock.advance(MINUTE);
      const wrong = wrongCode(secret, clock.now());
      const answers = await guessWith(clients, (client) =>
        call('POST', '/login', { body: { username: name, password: 'secret', code: wrong, client } }),
      );
      expect(examined(answers)).toBe(MOST);
    });

    it('by strangers lock nobody out of a session', async () => {
      const { name, token } = await world.user();
      for (let i = 0; i < MOST; i++) {
        await expectStatus(call('POST', '/login', { body: { username: name, password: 'wrong' } }), 401);
      }
      await expectStatus(call('POST', '/login', { body: { username: name, password: 'secret' } }), 429);
      const body = { old: 'secret', new: 'other' };
      await expectStatus(call('PUT', '/me/password', { token, body }), 200);
    });
  },
  { clock, rateLimit: true },
);
