import { expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { requestLink, submit, withAddress } from '../support/password-reset.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { codeAt, protectedUser, STEP_MS, wrongCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

/** Number of responses by status. */
function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function expectLocked(answer: Answer, seconds = 15 * 60): void {
  expectFailure(answer, 429);
  expect([answer.body.code, answer.body.bb_code]).toEqual(['auth.locked', '42901']);
  expect(Number(answer.headers['retry-after'])).toBe(seconds);
}

onEveryStorage(
  'a lock-out',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const login = (username: string, password: string, more: object = {}, options: CallOptions = {}) =>
      call('POST', '/login', { ...options, body: { username, password, ...more } });
    const atOnce = (count: number, attempt: (i: number) => Promise<Answer>) =>
      Promise.all(Array.from({ length: count }, (_, i) => attempt(i)));
    /** Guesses from many networks, so that none of them has reached its own limit. */
    const from = (i: number) => ({ from: `192.0.${i % 250}.7` });
    const lock = (name: string) => atOnce(10, (i) => login(name, 'wrong', {}, from(i)));

    it('begins after ten failures, wherever they come from, and lasts for fifteen minutes', async () => {
      const { name } = await world.user();
      expect(tally(await lock(name))).toEqual({ 401: 10 });
      expectLocked(await login(name, 'secret', {}, { from: '198.51.100.1' }));
      expectLocked(await login(name.toUpperCase(), 'wrong'));
      expectLocked(await call('GET', '/me', { basic: [name, 'secret'] }));
      clock.advance(15 * MINUTE - 1000);
      expectLocked(await login(name, 'secret'), 1);
      clock.advance(1000);
      expect((await login(name, 'secret')).status).toBe(200);
    });

    it.each([0, 1, 9, 10, 100, 199])(
      'examines at most ten of 200 guesses at once, the right one being number %i',
      async (at) => {
        const { name } = await world.user();
        const answers = await atOnce(200, (i) => login(name, i === at ? 'secret' : `wrong ${i}`, {}, from(i)));
        const counts = tally(answers);
        expect((counts[200] ?? 0) + (counts[401] ?? 0)).toBe(10);
        expect(counts[429]).toBe(190);
      },
    );

    it('counts guesses at an unknown account together for all spellings of its name or address', async () => {
      for (const spellings of [
        ['Nobody', 'nobody', ' NOBODY '],
        ['Ann@bücher.example', 'ann@BÜCHER.example', 'ann@xn--bcher-kva.example'],
      ]) {
        const guess = (i: number) => login(spellings[i % spellings.length] ?? '', 'wrong', {}, from(i));
        for (let i = 0; i < 10; i++) expect((await guess(i)).status).toBe(401);
        for (let i = 10; i < 13; i++) expectLocked(await guess(i));
      }
    });

    it('counts wrong guesses only: a right one is forgotten', async () => {
      const { name } = await world.user();
      for (let i = 0; i < 9; i++) expect((await login(name, 'wrong')).status).toBe(401);
      for (let i = 0; i < 3; i++) expect((await login(name, 'secret')).status).toBe(200);
      expect([(await login(name, 'wrong')).status, (await login(name, 'wrong')).status]).toEqual([401, 429]);
    });

    it('does not begin when an app sends the right password many times at once', async () => {
      const { name } = await world.user();
      for (let round = 0; round < 3; round++) {
        expect(tally(await atOnce(50, () => login(name, 'secret')))).toEqual({ 200: 50 });
        expect(tally(await atOnce(50, () => call('GET', '/me', { basic: [name, 'secret'] })))).toEqual({ 200: 50 });
        clock.advance(2 * MINUTE); // beyond what is cached
      }
    });

    it('answers for unknown names as for others', async () => {
      const [{ name }, unknown] = [await world.user(), world.unique('nobody')];
      const answers = await Promise.all([name, unknown].map((one) => atOnce(15, (i) => login(one, `x${i}`))));
      for (const one of answers) expect(tally(one)).toEqual({ 401: 10, 429: 5 });
      const shown = answers.map((one) => one.map(({ body }) => `${body.code} ${body.message}`).toSorted());
      expect(shown[0]).toEqual(shown[1]);
    });

    it('does not stop a client that has logged in before, by its body or its header', async () => {
      const { name } = await world.user();
      const { client } = (await expectStatus(login(name, 'secret'), 200)).data;
      expect(client).toMatch(/^[\w-]{44,}$/);
      await lock(name);
      expectLocked(await login(name, 'secret'));
      const headers = { 'x-bb-client': client };
      const again = await expectStatus(login(name, 'secret', { client }), 200);
      expect(again.data.client).toBe(client);
      expect((await login(name, 'secret', {}, { headers })).status).toBe(200);
      expect((await call('GET', '/me', { basic: [name, 'secret'], headers })).status).toBe(200);
      expectLocked(await call('GET', '/me', { basic: [name, 'secret'] }));
    });

    it('does not stop a known client even from a network that has guessed too often', async () => {
      const { name } = await world.user();
      const { client } = (await login(name, 'secret')).data;
      const here = { from: '203.0.113.77' };
      await atOnce(300, (i) => login(world.unique(`guess${i}`), 'x', {}, here));
      expect((await login(name, 'secret', {}, here)).body.code).toBe('rate.limited');
      expect((await login(name, 'secret', { client }, here)).status).toBe(200);
      clock.advance(5 * MINUTE);
    });

    it('comes for a known client by its own guesses, which lock out nobody else', async () => {
      const { name } = await world.user();
      const [one, other] = [(await login(name, 'secret')).data.client, (await login(name, 'secret')).data.client];
      expect(one).not.toBe(other);
      expect(tally(await atOnce(30, (i) => login(name, `wrong ${i}`, { client: one })))).toEqual({ 401: 10, 429: 20 });
      expectLocked(await login(name, 'secret', { client: one }));
      expect((await login(name, 'secret', { client: other })).status).toBe(200);
      expect((await login(name, 'secret')).status).toBe(200);
    });

    it('stops clients that know another account only, or that made their text up', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      const { client } = (await login(bob.name, 'secret')).data;
      const known = (await login(ann.name, 'secret')).data.client as string;
      await lock(ann.name);
      const made = [
        client,
        '',
        'x',
        known.slice(0, 22),
        `${known.slice(0, 43)}${known.endsWith('A') ? 'B' : 'A'}`,
        client.slice(0, 22) + known.slice(22),
        known.slice(0, 22) + client.slice(22),
        `${known}x`,
        'A'.repeat(500),
      ];
      for (const one of made) expectLocked(await login(ann.name, 'secret', { client: one }));
      expectFailure(await login(ann.name, 'secret', { client: 'A'.repeat(513) }), 400);
      expect((await login(ann.name, 'secret', { client: known })).status).toBe(200);
    });

    it('knows a client that several users share, each for themselves', async () => {
      const [ann, bob, cid] = [await world.user(), await world.user(), await world.user()];
      let { client } = (await login(ann.name, 'secret')).data;
      ({ client } = (await login(bob.name, 'secret', { client })).data);
      for (const { name } of [ann, bob, cid]) await lock(name);
      expect((await login(ann.name, 'secret', { client })).status).toBe(200);
      expect((await login(bob.name, 'secret', { client })).status).toBe(200);
      expectLocked(await login(cid.name, 'secret', { client }));
    });

    it('forgets the oldest of many users of one client', async () => {
      const users = [];
      for (let i = 0; i < 9; i++) users.push(await world.user());
      let client: string | undefined;
      for (const { name } of users) client = (await login(name, 'secret', { client })).data.client;
      const [first, second] = users.map(({ name }) => name);
      for (const name of [first, second]) await lock(name ?? '');
      expectLocked(await login(first ?? '', 'secret', { client }));
      expect((await login(second ?? '', 'secret', { client })).status).toBe(200);
    });

    it('knows clients that signed up, and those that came by a social network', async () => {
      const name = world.unique('newcomer');
      const signedUp = await call('POST', '/user', { body: { username: name, password: 'secret' } });
      await lock(name);
      expect((await login(name, 'secret', { client: signedUp.data.client })).status).toBe(200);
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
      const token = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
      const body = { oauth_token: token, oauth_secret: 'x' };
      const { data } = await expectStatus(call('POST', '/social/google', { body }), 200);
      await lock(data.user.name);
      expect((await login(data.user.name, 'x', { client: data.client })).status).toBe(401);
    });

    it('does not reach into sessions: a user changes the password meanwhile, and guesses there count apart', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      await lock(ann.name);
      const change = (token: string, old: string) => call('PUT', '/me/password', { token, body: { old, new: 'new' } });
      expect((await call('GET', '/me', { token: ann.token })).status).toBe(200);
      expect((await change(ann.token, 'secret')).status).toBe(200);
      expect(tally(await atOnce(30, (i) => change(bob.token, `wrong ${i}`)))).toEqual({ 400: 10, 429: 20 });
      expectLocked(await change(bob.token, 'secret'));
      expect((await login(bob.name, 'secret')).status).toBe(200);
    });

    it('counts wrong codes of the second factor', async () => {
      const user = await protectedUser(world, clock.now);
      clock.advance(STEP_MS);
      const code = wrongCode(user.secret, clock.now());
      expect(tally(await atOnce(30, () => login(user.name, 'secret', { code })))).toEqual({ 401: 10, 429: 20 });
      expectLocked(await login(user.name, 'secret', { code: codeAt(user.secret, clock.now()) }));
    });

    it('hides whether the password is right, even one that was accepted before', async () => {
      const { name } = await world.user();
      const basic = (password: string) => call('GET', '/me', { basic: [name, password] });
      expect((await basic('secret')).status).toBe(200);
      await lock(name);
      const [right, wrong] = [await basic('secret'), await basic('wrong')];
      for (const answer of [right, wrong]) expectLocked(answer);
      expect(right.body.message).toBe(wrong.body.message);
    });

    it('ends when the password is reset, or set by an administrator', async () => {
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com', 'email.from': 'a@b.cd' });
      const [ann, bob] = [await withAddress(world), await world.user()];
      for (const { name } of [ann, bob]) await lock(name);
      expect((await submit(world, await requestLink(world, ann.name), 'new')).status).toBe(200);
      expect((await login(ann.name, 'new')).status).toBe(200);
      const body = { password: 'new' };
      await expectStatus(call('PUT', `/admin/user/${bob.name}/password`, { basic: adminOf(world), body }), 200);
      expect((await login(bob.name, 'new')).status).toBe(200);
    });

    it('follows the settings', async () => {
      const { name } = await world.user();
      await setSettings(world, 'Application', { 'lockout.failures': 3, 'lockout.minutes': 1 });
      expect(tally(await atOnce(10, (i) => login(name, `x${i}`)))).toEqual({ 401: 3, 429: 7 });
      expectLocked(await login(name, 'secret'), 60);
      clock.advance(MINUTE);
      expect((await login(name, 'secret')).status).toBe(200);
      await setSettings(world, 'Application', { 'lockout.failures': 10, 'lockout.minutes': 15 });
      for (const value of [-1, 101]) {
        const path = `/admin/configuration/Application/lockout.failures/${value}`;
        expectFailure(await call('PUT', path, { basic: adminOf(world) }), 400);
      }
      expect(await world.backend.sweep()).toBeGreaterThan(0);
    });
  },
  { rateLimit: true, clock },
);

onEveryStorage('without rate limits', (world) => {
  it('nobody is locked out', async () => {
    const { name } = await world.user();
    const guess = (password: string) => world.call('POST', '/login', { body: { username: name, password } });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => guess(`x${i}`)));
    expect(tally(answers)).toEqual({ 401: 40 });
    expect((await guess('secret')).status).toBe(200);
  });
});
