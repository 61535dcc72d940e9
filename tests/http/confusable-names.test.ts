import { expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';

const CYRILLIC_A = '\u0430';
const CYRILLIC_O = '\u043e';
const DOTLESS_I = '\u0131';

onEveryStorage('names that look alike', (world) => {
  const signUp = (username: string) => world.call('POST', '/user', { body: { username, password: 'secret' } });

  function expectRefused(answer: Answer, message: RegExp): void {
    expectFailure(answer, 400);
    expect(answer.body.message).toMatch(message);
  }
  const TAKEN = /looks like it, already exists/;
  const RESERVED = /reserved/;

  it('cannot be taken while a user has the other one, by any route', async () => {
    const bob = world.unique('bob');
    await expectStatus(signUp(bob), 201);
    const likeBob = bob.replace('o', CYRILLIC_O);
    const reserved = [`${CYRILLIC_A}dmin`, `adm${DOTLESS_I}n`];
    const { token } = await world.user();
    const basic = adminOf(world);
    const attempts: ReadonlyArray<(username: string) => Promise<Answer>> = [
      signUp,
      (username) => world.call('PUT', '/me/username', { token, body: { username } }),
      (username) =>
        world.call('POST', '/admin/user', { basic, body: { username, password: 'x', role: 'registereduser' } }),
      async (username) => world.call('PUT', `/admin/user/${(await world.user()).name}`, { basic, body: { username } }),
    ];
    for (const attempt of attempts) {
      expectRefused(await attempt(likeBob), TAKEN);
      for (const name of reserved) expectRefused(await attempt(name), RESERVED);
      for (const name of ['\u2800', `${bob}\u2800x`])
        expectRefused(await attempt(name), /at least one of them visible/);
    }
    const exists = async (name: string) =>
      (await world.call('GET', `/user/${encodeURIComponent(name)}/exists`, { token })).data.exists;
    expect([await exists(likeBob), await exists(`${likeBob}x`)]).toEqual([true, false]);
    expect((await world.call('GET', `/user/${encodeURIComponent(likeBob)}`, { token })).status).toBe(404);
  });

  it('cannot be taken while a generated name has the same skeleton', async () => {
    const { name } = await world.user(world.unique('rob'));
    await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
    const proof = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
    const body = { oauth_token: proof, oauth_secret: 'x' };
    const { data } = await expectStatus(world.call('POST', '/social/google', { body }), 200);
    const token = data['X-BB-SESSION'];
    const username = name.replace('o', CYRILLIC_O);
    expectRefused(await world.call('PUT', '/me', { token, body: { username } }), TAKEN);
    await expectStatus(world.call('PUT', '/me', { token, body: { username: world.unique('free') } }), 200);
  });

  it('may coexist when both are ASCII', async () => {
    const base = world.unique('pam');
    for (const name of [`${base}l`, `${base}I`, `${base}1`, `${base}0`, `${base}O`.replace('m', 'rn')]) {
      await expectStatus(signUp(name), 201);
    }
    expectRefused(await signUp(`p${CYRILLIC_A}${base.slice(2)}1`), TAKEN);
    expectRefused(await signUp(`${base}i`), TAKEN);
  });

  it('stay reserved when the user is renamed, and do not stop that user from taking them', async () => {
    const ann = world.unique('ann');
    const { token } = await world.user(ann);
    const likeAnn = ann.replace('a', CYRILLIC_A);
    const rename = (username: string) => world.call('PUT', '/me/username', { token, body: { username } });
    await expectStatus(rename(likeAnn), 200);
    expectRefused(await signUp(ann), TAKEN);
    await expectStatus(rename(ann), 200);
    await expectStatus(rename(world.unique('zoe')), 200);
    expectRefused(await signUp(likeAnn), TAKEN);
    await expectStatus(rename(likeAnn), 200);
  });

  it('are given to exactly one of several concurrent requests', async () => {
    for (let round = 0; round < 5; round++) {
      const name = world.unique('tom');
      const names = [name, name.replace('o', CYRILLIC_O), name.replace('o', '\u03bf'), name.toUpperCase()];
      const statuses = (await Promise.all(names.map(signUp))).map(({ status }) => status);
      expect(statuses.sort()).toEqual([201, 400, 400, 400]);
    }
  });
});
