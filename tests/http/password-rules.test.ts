import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { openLink, requestLink, submit, withAddress, worksFor } from '../support/password-reset.ts';
import { adminOf, setSettings } from '../support/people.ts';

const LEAST = 8;
const SHORT = 'seven77';
/** Seven characters, but more UTF-16 units. */
const SHORT_EMOJI = '😀😀😀😀😀😀😀';
const LONG = 'eight 88';

onEveryStorage('the minimum length of passwords', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const use = (least: number) => setSettings(world, 'Application', { 'password.min.length': least });

  beforeAll(async () => {
    await setSettings(world, 'PasswordRecovery', {
      'network.smtp.host': 'mail.example.com',
      'email.from': 'app@example.com',
    });
  });
  afterAll(() => use(0));

  function expectWeak({ status, body }: Answer, path: string): void {
    expect([status, body.code, body.message]).toEqual([
      400,
      'password.too_weak',
      'The password is too weak: at least 8 characters',
    ]);
    expect(body.errors).toEqual([{ path, message: body.message }]);
  }

  it('is 0 at first: even the empty password is allowed', async () => {
    const username = world.unique('free');
    expect((await call('POST', '/user', { body: { username, password: '' } })).status).toBe(201);
  });

  it('holds for sign-up', async () => {
    await use(LEAST);
    const username = world.unique('careful');
    for (const password of ['', SHORT, SHORT_EMOJI]) {
      expectWeak(await call('POST', '/user', { body: { username, password } }), '/password');
    }
    expect((await call('POST', '/user', { body: { username, password: LONG } })).status).toBe(201);
  });

  it('holds for a change of password, and the old password stays', async () => {
    await use(0);
    const { name, token } = await withAddress(world);
    await use(LEAST);
    for (const url of ['/me/password', '/user/password']) {
      expectWeak(await call('PUT', url, { token, body: { old: 'old', new: SHORT } }), '/new');
    }
    expect(await worksFor(world, name, 'old')).toBe(true);
    expect((await call('PUT', '/me/password', { token, body: { old: 'old', new: LONG } })).status).toBe(200);
    expect(await worksFor(world, name, LONG)).toBe(true);
  });

  it('holds for what administrators set', async () => {
    await use(LEAST);
    const admin = { basic: adminOf(world) };
    const username = world.unique('made');
    expectWeak(await call('POST', '/admin/user', { ...admin, body: { username, password: SHORT } }), '/password');
    expect((await call('POST', '/admin/user', { ...admin, body: { username, password: LONG } })).status).toBe(201);
    const url = `/admin/user/${username}/password`;
    expectWeak(await call('PUT', url, { ...admin, body: { password: SHORT } }), '/password');
    expect((await call('PUT', url, { ...admin, body: { password: `${LONG}!` } })).status).toBe(200);
  });

  it('holds for a reset: the form says the minimum, and the link still works', async () => {
    await use(0);
    const { name } = await withAddress(world);
    await use(LEAST);
    const path = await requestLink(world, name);
    const refused = await submit(world, path, SHORT);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('The password must have at least 8 characters.'),
    ]);
    expect((await openLink(world, path)).status).toBe(200);
    expect((await submit(world, path, LONG)).status).toBe(200);
    expect(await worksFor(world, name, LONG)).toBe(true);
  });

  it('lets users log in whose password is shorter', async () => {
    await use(0);
    const { name } = await withAddress(world);
    await use(LEAST);
    expect(await worksFor(world, name, 'old')).toBe(true);
  });

  it.each([['-1'], ['129'], ['eight']])('cannot be set to %s', async (value) => {
    const admin = { basic: adminOf(world) };
    const url = `/admin/configuration/Application/password.min.length/${value}`;
    const { status, body } = await call('PUT', url, admin);
    expect([status, body.code]).toEqual([400, 'setting.value_invalid']);
  });
});
