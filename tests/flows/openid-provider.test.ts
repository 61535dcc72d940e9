import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/oauth/openid-provider.ts';
import { expectStatus, setSettings } from '../support/people.ts';

describe.each(['RS256', 'ES256'] as const)('a real OpenID provider that signs with %s', (alg) => {
  let provider: OpenIdProvider;
  let other: OpenIdProvider;
  let backend: TestBackend;
  let world: World;

  beforeAll(async () => {
    provider = await startOpenIdProvider({ alg, clientIds: ['app', 'another-app'] });
    other = await startOpenIdProvider({ alg, clientIds: ['app'] });
    backend = await createTestBackend({ networkUrls: {} });
    world = createWorld(backend);
    await setSettings(world, 'Social', {
      'social.openid.enabled': true,
      'social.openid.issuer': provider.issuer,
      'social.openid.token': 'app',
    });
  });
  afterAll(async () => {
    await backend.close();
    await Promise.all([provider.close(), other.close()]);
  });

  const logIn = (token: string, nonce?: string) =>
    world.call('POST', '/social/openid', { body: { oauth_token: token, oauth_secret: token, nonce } });

  it('proves users who have logged in there', async () => {
    const { id_token } = await provider.logIn('ann', { clientId: 'app' });
    const { data } = await expectStatus(logIn(id_token), 200);
    expect(data).toMatchObject({
      generated_username: true,
      email_verified: false,
      visibleByTheUser: { email: 'ann@example.com', name: 'The ann' },
      visibleByRegisteredUsers: { _social: { openid: { id: 'ann' } } },
    });
    const again = await provider.logIn('ann', { clientId: 'app', nonce: 'n-0S6_WzA2Mj' });
    const { data: same } = await expectStatus(logIn(again.id_token, 'n-0S6_WzA2Mj'), 200);
    // Another token begins a session of its own.
    expect([same.id, same['X-BB-SESSION'] === data['X-BB-SESSION']]).toEqual([data.id, false]);
    await expectStatus(logIn(again.id_token), 401);
    await expectStatus(logIn(again.id_token, 'another'), 401);
  });

  it('does not accept tokens for another app or access tokens; nor does another provider', async () => {
    const count = async () => (await world.call('GET', '/users?count=true', { token: await world.admin() })).data;
    const before = await count();
    const forAnother = await provider.logIn('bob', { clientId: 'another-app' });
    const ofAnother = await other.logIn('bob', { clientId: 'app' });
    const { access_token } = await provider.logIn('bob', { clientId: 'app' });
    for (const token of [forAnother.id_token, ofAnother.id_token, access_token]) await expectStatus(logIn(token), 401);
    expect(await count()).toEqual(before);
  });
});
