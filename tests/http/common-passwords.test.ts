import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { openLink, requestLink, submit, withAddress, worksFor } from '../support/password-reset.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';

const COMMON = 'password1';
const STRONG = 'xK9#mQ2$vT';
const DEMAND = 'a password that is harder to guess, without your name';

onEveryStorage('the refusal of common passwords', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const refuse = (value: boolean) => setSettings(world, 'Application', { 'password.refuse.common': value });

  beforeAll(async () => {
    await setSettings(world, 'Application', { 'guests.allowed': true });
    await setSettings(world, 'PasswordRecovery', {
      'network.smtp.host': 'mail.example.com',
      'email.from': 'app@example.com',
    });
    await refuse(true);
  });
  afterAll(() => refuse(false));

  function expectWeak({ status, body }: Answer, path: string): void {
    expect([status, body.code, body.message]).toEqual([
      400,
      'password.too_weak',
      `The password is too weak: ${DEMAND}`,
    ]);
    expect(body.errors).toEqual([{ path, message: body.message }]);
  }

  it('is off at first', async () => {
    await refuse(false);
    const username = world.unique('free');
    await expectStatus(call('POST', '/user', { body: { username, password: COMMON } }), 201);
    await refuse(true);
    expect(await worksFor(world, username, COMMON)).toBe(true);
  });

  it('holds for sign-up, and so does the name of the user', async () => {
    const username = world.unique('careful');
    for (const password of [COMMON, 'QWERTYUIOP', username, username.toUpperCase(), `${username}!`]) {
      expectWeak(await call('POST', '/user', { body: { username, password } }), '/password');
    }
    await expectStatus(call('POST', '/user', { body: { username, password: STRONG } }), 201);
  });

  it('leaves the length of other passwords to the minimum length', async () => {
    await expectStatus(call('POST', '/user', { body: { username: world.unique('brief'), password: 'zq9' } }), 201);
    await expectStatus(call('POST', '/user', { body: { username: world.unique('blank'), password: '' } }), 201);
  });

  it('holds for a change of password', async () => {
    const username = world.unique('changer');
    const { data } = await expectStatus(call('POST', '/user', { body: { username, password: STRONG } }), 201);
    const token = data['X-BB-SESSION'];
    for (const weak of [COMMON, username]) {
      expectWeak(await call('PUT', '/me/password', { token, body: { old: STRONG, new: weak } }), '/new');
    }
    expect(await worksFor(world, username, STRONG)).toBe(true);
    await expectStatus(call('PUT', '/me/password', { token, body: { old: STRONG, new: `${STRONG}x` } }), 200);
  });

  it('holds for what administrators set', async () => {
    const admin = { basic: adminOf(world) };
    const username = world.unique('made');
    for (const password of [COMMON, username]) {
      expectWeak(await call('POST', '/admin/user', { ...admin, body: { username, password } }), '/password');
    }
    await expectStatus(call('POST', '/admin/user', { ...admin, body: { username, password: STRONG } }), 201);
    const url = `/admin/user/${username}/password`;
    expectWeak(await call('PUT', url, { ...admin, body: { password: COMMON } }), '/password');
  });

  it('holds for a guest who stays', async () => {
    const { data } = await expectStatus(call('POST', '/user/guest'), 201);
    const token = data['X-BB-SESSION'];
    const username = world.unique('stayer');
    const choose = (password: string) => call('PUT', '/me/credentials', { token, body: { username, password } });
    for (const password of [COMMON, username]) expectWeak(await choose(password), '/password');
    await expectStatus(choose(STRONG), 200);
  });

  it('holds for a reset: the form says so, and the link still works', async () => {
    await refuse(false);
    const { name } = await withAddress(world);
    await refuse(true);
    const path = await requestLink(world, name);
    for (const password of [COMMON, name]) {
      const refused = await submit(world, path, password);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`Choose ${DEMAND}.`)]);
    }
    expect((await openLink(world, path)).status).toBe(200);
    expect((await submit(world, path, STRONG)).status).toBe(200);
    expect(await worksFor(world, name, STRONG)).toBe(true);
  });

  it('takes long passwords', async () => {
    const body = { username: world.unique('long'), password: 'password'.repeat(128) };
    expectWeak(await call('POST', '/user', { body }), '/password');
    const password = Array.from({ length: 1024 }, (_, i) => String.fromCharCode(33 + ((i * i * 7 + i * 13) % 90))).join(
      '',
    );
    await expectStatus(call('POST', '/user', { body: { username: world.unique('long'), password } }), 201);
  });
});
