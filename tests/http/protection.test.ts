import { createTestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type CallOptions, createWorld, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { request, requestLink, submit, withAddress } from '../support/password-reset.ts';
import { adminOf, expectStatus, type Person, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();

function expectLimited(answer: Answer, windowMs: number): void {
  expectFailure(answer, 429);
  expect(answer.body.bb_code).toBe('42901');
  const seconds = Number(answer.headers['retry-after']);
  expect(seconds > 0 && seconds <= windowMs / 1000).toBe(true);
}

/** The number of answers with each status. */
function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

onEveryStorage(
  'protection against abuse',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const login = (username: string, password: string, options: CallOptions = {}) =>
      call('POST', '/login', { ...options, body: { username, password } });
    const times = (count: number, attempt: (i: number) => Promise<Answer>) =>
      Promise.all(Array.from({ length: count }, (_, i) => attempt(i)));

    describe('failed log-ins without a lock-out', () => {
      beforeAll(() => setSettings(world, 'Application', { 'lockout.failures': 0 }));
      afterAll(() => setSettings(world, 'Application', { 'lockout.failures': 10 }));

      it('of an account from one network are limited to 30 in five minutes, even when they arrive at once', async () => {
        const [ann, bob] = [await world.user(), await world.user()];
        const answers = await times(60, () => login(ann.name, 'wrong'));
        expect(tally(answers)).toEqual({ 401: 30, 429: 30 });
        const limited = await login(ann.name, 'secret');
        expectLimited(limited, 5 * MINUTE);
        expectLimited(await login(ann.name.toUpperCase(), 'secret'), 5 * MINUTE);
        expect((await login(bob.name, 'secret')).status).toBe(200);
        expect((await call('GET', '/me', { token: ann.token })).status).toBe(200);

        clock.advance(Number(limited.headers['retry-after']) * 1000 - 1000);
        expectLimited(await login(ann.name, 'secret'), 5 * MINUTE);
        clock.advance(1000);
        expect((await login(ann.name, 'secret')).status).toBe(200);
      });

      it('of strangers do not lock out the owner', async () => {
        const ann = await world.user();
        const stranger = { from: '2001:db8:bad:1::7' };
        expect(tally(await times(200, () => login(ann.name, 'wrong', stranger)))).toEqual({ 401: 30, 429: 170 });
        const owner = { from: '2001:db8:bad:2::7' };
        expect((await login(ann.name, 'secret', owner)).status).toBe(200);
        expect((await call('GET', '/me', { basic: [ann.name, 'secret'], ...owner })).status).toBe(200);
        expectLimited(await login(ann.name, 'secret', { from: '2001:db8:bad:1:ffff::1' }), 5 * MINUTE);
      });

      it('of an account from many networks are limited to 150 in five minutes', async () => {
        const ann = await world.user();
        const from = (i: number) => ({ from: `192.0.3.${i % 10}` });
        expect(tally(await times(160, (i) => login(ann.name, 'wrong', from(i))))).toEqual({ 401: 150, 429: 10 });
        expectLimited(await login(ann.name, 'secret', { from: '192.0.3.77' }), 5 * MINUTE);
        clock.advance(5 * MINUTE);
        expect((await login(ann.name, 'secret', { from: '192.0.3.77' })).status).toBe(200);
      });

      it.each(['a log-in', 'Basic credentials'])(
        'beyond the limit hide whether the password is right, even one that has just been accepted, by %s',
        async (way) => {
          const ann = await world.user();
          const by = (password: string, options: CallOptions) =>
            way === 'a log-in'
              ? login(ann.name, password, options)
              : call('GET', '/me', { basic: [ann.name, password], ...options });
          const [here, there] = [{ from: '192.0.4.1' }, { from: '192.0.4.2' }];
          for (const place of [here, there]) expect((await by('secret', place)).status).toBe(200);
          expect(tally(await times(30, () => by('wrong', here)))).toEqual({ 401: 30 });
          const [right, wrong] = [await by('secret', here), await by('wrong', here)];
          for (const answer of [right, wrong]) expectLimited(answer, 5 * MINUTE);
          expect([right.body.message, right.headers['retry-after']]).toEqual([
            wrong.body.message,
            wrong.headers['retry-after'],
          ]);
          expect((await by('secret', there)).status).toBe(200);
        },
      );

      it('beyond the limit of an account or a network hide it too', async () => {
        const [ann, bob] = [await world.user(), await world.user()];
        const basic = (name: string, from: string) => call('GET', '/me', { basic: [name, 'secret'], from });
        expect((await basic(ann.name, '192.0.5.1')).status).toBe(200);
        expect((await basic(bob.name, '192.0.5.2')).status).toBe(200);
        await times(150, (i) => login(ann.name, 'wrong', { from: `192.0.6.${i % 10}` }));
        expectLimited(await basic(ann.name, '192.0.5.1'), 5 * MINUTE);
        await times(300, () => login(world.unique('guess'), 'x', { from: '192.0.5.2' }));
        expectLimited(await basic(bob.name, '192.0.5.2'), 5 * MINUTE);
      });

      it('that are throttled do not count', async () => {
        const [ann, bob] = [await world.user(), await world.user()];
        const here = { from: '192.0.7.1' };
        expect(tally(await times(400, () => login(ann.name, 'wrong', here)))).toEqual({ 401: 30, 429: 370 });
        expect((await login(bob.name, 'wrong', here)).status).toBe(401);
        expect((await login(ann.name, 'wrong', { from: '192.0.7.2' })).status).toBe(401);
      });

      it('include Basic credentials and a wrong old password', async () => {
        const [ann, bob] = [await world.user(), await world.user()];
        await times(15, () => login(ann.name, 'wrong'));
        await times(15, () => call('GET', '/me', { basic: [ann.name, 'wrong'] }));
        expectLimited(await call('GET', '/me', { basic: [ann.name, 'secret'] }), 5 * MINUTE);
        expectLimited(await login(ann.name, 'secret'), 5 * MINUTE);
        const change = (old: string, from?: string) =>
          call('PUT', '/me/password', { token: bob.token, body: { old, new: 'new' }, ...(from && { from }) });
        expect((await call('GET', '/me', { basic: [bob.name, 'secret'] })).status).toBe(200);
        expect(tally(await times(30, () => change('wrong')))).toEqual({ 400: 30 });
        expectLimited(await change('secret'), 5 * MINUTE);
        expectLimited(await login(bob.name, 'secret'), 5 * MINUTE);
        expectLimited(await call('GET', '/me', { basic: [bob.name, 'secret'] }), 5 * MINUTE);
        expect((await change('secret', '192.0.8.1')).status).toBe(200);
      });

      it('are all that counts: a success is given back', async () => {
        const { name } = await world.user();
        await times(29, () => login(name, 'wrong'));
        expect((await login(name, 'secret')).status).toBe(200);
        expect([(await login(name, 'wrong')).status, (await login(name, 'wrong')).status]).toEqual([401, 429]);
      });

      it('of unknown names are limited in the same way', async () => {
        const name = world.unique('nobody');
        expect(tally(await times(31, () => login(name, 'x')))).toEqual({ 401: 30, 429: 1 });
      });

      it.each([
        [
          ['192.0.2.7', '::ffff:192.0.2.7'],
          ['192.0.2.8', '::ffff:192.0.2.10'],
        ],
        [
          ['2001:db8:5:2::7', '2001:db8:5:2:a:b:c:d', '2001:0DB8:5:0002:1:2:3:4'],
          ['2001:db8:5:3::7', '2001:db8:6::1'],
        ],
        [['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:0DB8:0:0000:1:2:3:4'], ['2001:db8:0:1::1']],
      ])('from %j are limited to 300 in five minutes, all together, but not from %j', async (network, others) => {
        const { name } = await world.user();
        const from = (i: number) => ({ from: network[i % network.length] ?? '' });
        const answers = await times(300, (i) => login(world.unique('guess'), 'x', from(i)));
        expect(tally(answers)).toEqual({ 401: 300 });
        for (const same of network) expectLimited(await login(name, 'secret', { from: same }), 5 * MINUTE);
        for (const other of others) expect((await login(name, 'secret', { from: other })).status).toBe(200);
        clock.advance(5 * MINUTE);
      });
    });

    it('failed log-ins by social networks are limited by address; successful ones are not', async () => {
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
      const good = world.backend.networks.google.issue({ person: { id: '1' }, clientId: 'app' });
      const by = (token: string, from: string) =>
        call('POST', '/social/google', { from, body: { oauth_token: token, oauth_secret: 'x' } });
      for (let i = 0; i < 4; i++) expect(tally(await times(100, () => by(good, '10.0.5.1')))).toEqual({ 200: 100 });
      expect(tally(await times(310, () => by('made-up', '10.0.5.1')))).toEqual({ 401: 300, 429: 10 });
      expectLimited(await by(good, '10.0.5.1'), 5 * MINUTE);
      const link = {
        from: '10.0.5.1',
        body: { oauth_token: good, oauth_secret: 'x' },
        token: (await world.user()).token,
      };
      expectLimited(await call('PUT', '/social/google', link), 5 * MINUTE);
      expect((await by(good, '10.0.5.2')).status).toBe(200);
    });

    it('sign-ups, those of guests included, are limited by name and by address', async () => {
      await setSettings(world, 'Application', { 'guests.allowed': true });
      const guest = (from: string) => call('POST', '/user/guest', { from });
      await expectStatus(guest('203.0.113.1'), 201);
      const { name } = await world.user();
      const signUp = (username: string, from: string) =>
        call('POST', '/user', { from, body: { username, password: 'x' } });
      await times(119, (i) => signUp(name, `198.51.100.${i % 100}`));
      expectLimited(await signUp(name, '198.51.100.200'), 10 * MINUTE);
      const answers = await times(600, () => signUp(world.unique('many'), '203.0.113.1'));
      expect(tally(answers)).toEqual({ 201: 599, 429: 1 });
      expectLimited(await guest('203.0.113.1'), 10 * MINUTE);
      expect((await guest('203.0.113.3')).status).toBe(201);
      expect((await signUp(world.unique('other'), '203.0.113.2')).status).toBe(201);
      clock.advance(10 * MINUTE);
      expect((await signUp(world.unique('later'), '203.0.113.1')).status).toBe(201);
    });

    it('notifications are limited by sender when everybody may send them', async () => {
      await setSettings(world, 'Push', {
        'push.senders': 'registereduser',
        'push.android.service_account': '{"project_id":"p"}',
      });
      const [ann, bob] = [await world.user(), await world.user()];
      const send = (sender: object) =>
        call('POST', `/push/message/${bob.name}`, { ...sender, body: { message: 'hello' } });
      expect(tally(await times(302, () => send({ token: ann.token })))).toEqual({ 200: 300, 429: 2 });
      expectLimited(await send({ token: ann.token }), 5 * MINUTE);
      expect((await send({ token: bob.token })).status).toBe(200);
      expect(tally(await times(310, () => send({ basic: adminOf(world) })))).toEqual({ 200: 310 });
      clock.advance(5 * MINUTE);
      expect((await send({ token: ann.token })).status).toBe(200);
    });

    describe('password resets', () => {
      beforeAll(() =>
        setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com', 'email.from': 'a@b.cd' }),
      );

      it('can be requested by one network at most five times in a quarter of an hour for one account', async () => {
        const [ann, bob] = [await withAddress(world), await withAddress(world)];
        expect(tally(await times(7, () => request(world, ann.name)))).toEqual({ 200: 5, 429: 2 });
        expectLimited(await request(world, ann.name.toUpperCase()), 15 * MINUTE);
        expect((await request(world, ann.name, { from: '10.1.2.1' })).status).toBe(200);
        expect((await request(world, bob.name)).status).toBe(200);
        const unknown = world.unique('nobody');
        expect(tally(await times(6, () => request(world, unknown, { from: '10.1.1.1' })))).toEqual({ 400: 5, 429: 1 });
        clock.advance(15 * MINUTE);
        expect((await request(world, ann.name)).status).toBe(200);
      });

      it('can be requested by all networks together at most fifteen times for one account', async () => {
        const ann = await withAddress(world);
        const answers = await times(17, (i) => request(world, ann.name, { from: `10.1.0.${i}` }));
        expect(tally(answers)).toEqual({ 200: 15, 429: 2 });
      });

      it('can be requested at most 60 times, and attempted at most 200 times, from one address', async () => {
        const ann = await withAddress(world);
        await times(60, () => request(world, world.unique('guess'), { from: '10.2.0.1' }));
        expectLimited(await request(world, ann.name, { from: '10.2.0.1' }), 15 * MINUTE);
        const path = await requestLink(world, ann.name);
        const guesses = await times(200, (i) => submit(world, `/user/password/reset/guess${i}`, 'x'));
        expect(tally(guesses)).toEqual({ 400: 200 });
        expectLimited(await submit(world, path, 'x'), 15 * MINUTE);
        const headers = { accept: 'text/html' };
        const page = await call('POST', path, { appCode: null, form: { password: 'x' }, headers });
        expect([page.status, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
        expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
        clock.advance(14 * MINUTE + 59_000);
        expectLimited(await submit(world, path, 'x'), 15 * MINUTE);
        clock.advance(1000);
        expect((await submit(world, await requestLink(world, ann.name), 'x')).status).toBe(200);
      });
    });

    describe('cached Basic credentials', () => {
      it.each<readonly [string, (world: World, name: string, token: string) => Promise<Answer>]>([
        [
          'a change of the password',
          (w, _name, token) => w.call('PUT', '/user/password', { token, body: { old: 'secret', new: 'x' } }),
        ],
        [
          'a password set by the administrator',
          (w, name) => w.call('PUT', `/admin/user/${name}/password`, { basic: adminOf(w), body: { password: 'x' } }),
        ],
        ['a suspension', (w, name) => w.call('PUT', `/admin/user/suspend/${name}`, { basic: adminOf(w) })],
        ['a suspension by the user', (w, _name, token) => w.call('PUT', '/me/suspend', { token })],
        ['a removal', (w, name) => w.call('DELETE', `/admin/user/${name}`, { basic: adminOf(w) })],
        [
          'another name',
          (w, _name, token) => w.call('PUT', '/me/username', { token, body: { username: w.unique('r') } }),
        ],
      ])('are invalidated immediately by %s', async (_what, change) => {
        const { name, token } = await world.user();
        const status = async (password: string) => (await call('GET', '/me', { basic: [name, password] })).status;
        expect([await status('secret'), await status('secret'), await status('wrong')]).toEqual([200, 200, 401]);
        await expectStatus(change(world, name, token), 200);
        expect([await status('secret'), await status('secret')]).toEqual([401, 401]);
      });
    });
  },
  { rateLimit: true, clock },
);

describe('password hashing', () => {
  it('leaves other requests responsive while 200 passwords are hashed', async () => {
    const backend = await createTestBackend({ passwordHashing: { memoryCost: 8192, concurrency: 1 } });
    const world = createWorld(backend);
    const { token } = await world.user();
    let over = false;
    const storm = Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        world.call('POST', '/login', { body: { username: `guess${i}`, password: 'x' } }),
      ),
    ).finally(() => {
      over = true;
    });
    for (let i = 0; i < 20; i++) {
      await expectStatus(world.call('PUT', '/me', { token, body: { visibleByFriend: { i } } }), 200);
      expect(over).toBe(false);
    }
    expect(tally(await storm)).toEqual({ 401: 200 });
    await backend.close();
  });

  it('answers 503 with Retry-After when the queue is full, and locks nobody out', async () => {
    const passwordHashing = { memoryCost: 8192, concurrency: 1, maxWaiting: 4 };
    const backend = await createTestBackend({ passwordHashing, rateLimit: true, clock });
    const world = createWorld(backend);
    const people: Person[] = [];
    for (let i = 0; i < 25; i++) people.push(await world.user());
    const attempts: ReadonlyArray<(person: Person) => Promise<Answer>> = [
      ({ name }) => world.call('POST', '/login', { body: { username: name, password: 'secret' } }),
      ({ token }) => world.call('PUT', '/me/password', { token, body: { old: 'secret', new: 'secret' } }),
    ];
    for (const attempt of attempts) {
      for (let storm = 0; storm < 3; storm++) {
        // Cached credentials are trusted for one minute.
        clock.advance(MINUTE);
        const answers = await Promise.all(people.map(attempt));
        const busy = answers.filter(({ status }) => status === 503);
        expect(busy.length).toBeGreaterThan(10);
        expect(tally(answers)).toEqual({ 200: 25 - busy.length, 503: busy.length });
        for (const answer of busy) {
          expectFailure(answer, 503);
          expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        }
      }
      for (const person of people) expect((await attempt(person)).status).toBe(200);
    }
    await backend.close();
  });
});
