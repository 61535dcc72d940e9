import { createMemoryNetwork, createMemoryStorage } from '@baobab/adapters/memory';
import { googleNetwork } from '@baobab/adapters/oauth';
import { createTotp } from '@baobab/adapters/otpauth';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import {
  ANONYMOUS,
  createActor,
  createAuthentication,
  createCompletedLogins,
  createKnownClients,
  createPasswordForms,
  createSecondFactor,
  createSettings,
  createSocial,
  type FreshLogin,
  isAppError,
  NO_HOOKS,
  NO_LIMITS,
  NO_LOCKOUT,
  type Notices,
  type Secrets,
  type Storage,
  socialIn,
  withSocial,
} from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testAudit } from '../support/audit.ts';
import { trusting } from '../support/clock.ts';
import { silentLogger as logger } from '../support/logger.ts';

const clock = createSystemClock();

async function backendOn(storage: Storage, secrets: Secrets) {
  const google = createMemoryNetwork({ clock });
  const adapter = googleNetwork(google);
  const audit = testAudit();
  const settings = createSettings({ storage, secrets, clock, logger, settingGroups: [adapter.settings] });
  await storage.settings.set({ key: 'social.google.enabled', value: 'true' });
  await storage.settings.set({ key: 'social.google.token', value: ' app, other-app ' });
  const networks = { google: adapter.create(settings.source(adapter.settings)) };
  const deps = {
    storage,
    secrets,
    clock,
    logger,
    settings,
    audit,
    limiter: NO_LIMITS,
    hooks: NO_HOOKS,
    timeWatch: trusting(clock),
  };
  const passwords = createPasswordForms({ hash: async () => '', verify: async () => false });
  const knownClients = createKnownClients({ secrets });
  const authentication = createAuthentication({ ...deps, passwords, guesses: NO_LOCKOUT, knownClients });
  const completedLogins = createCompletedLogins({ ...deps, knownClients, notices: {} as Notices });
  const factorDeps = { ...deps, authentication, totp: createTotp(), knownClients, completedLogins };
  const secondFactor = createSecondFactor(factorDeps);
  return {
    google,
    social: createSocial({
      ...deps,
      networks,
      authentication,
      secondFactor,
      completedLogins,
      freshLogin: {} as FreshLogin,
      notices: {} as Notices,
    }),
  };
}

const proof = { network: 'google', secret: 'secret', nonce: null, address: '' };

describe('a stored link', () => {
  it('hides tokens that were encrypted under another key, and works as before otherwise', async () => {
    const storage = createMemoryStorage();
    const before = await backendOn(storage, createNodeSecrets('a'.repeat(32)));
    const person = { id: '1', name: 'Ann' };
    const token = before.google.issue({ person, clientId: 'app' });
    const { profile } = await before.social.login(ANONYMOUS, {
      ...proof,
      token,
      login: null,
      client: null,
      origin: { network: null, agent: null },
    });
    const actor = createActor(profile, null);
    expect(await before.social.list(actor)).toMatchObject([{ token, secret: 'secret', details: { name: 'Ann' } }]);
    const after = await backendOn(storage, createNodeSecrets('b'.repeat(32)));
    expect(await after.social.list(actor)).toMatchObject([{ token: '', secret: '', details: { name: 'Ann' } }]);
    const next = after.google.issue({ person, clientId: 'other-app' });
    const again = await after.social.login(ANONYMOUS, {
      ...proof,
      token: next,
      login: null,
      client: null,
      origin: { network: null, agent: null },
    });
    expect(again.profile.id).toBe(profile.id);
    expect(await after.social.list(actor)).toMatchObject([{ token: next }]);
  });

  it('never continues the session of another user, whatever the link contains', async () => {
    const storage = createMemoryStorage();
    const secrets = createNodeSecrets('a'.repeat(32));
    const { google, social } = await backendOn(storage, secrets);
    const tokens = {
      ann: google.issue({ person: { id: 'ann' }, clientId: 'app' }),
      bob: google.issue({ person: { id: 'bob' }, clientId: 'app' }),
    };
    const by = (id: keyof typeof tokens) => ({
      ...proof,
      token: tokens[id],
      login: null,
      client: null,
      origin: { network: null, agent: null },
    });
    const [ann, bob] = [await social.login(ANONYMOUS, by('ann')), await social.login(ANONYMOUS, by('bob'))];
    const [link, other] = [
      await storage.socialLinks.find('google', 'ann'),
      await storage.socialLinks.find('google', 'bob'),
    ];
    if (link === null || other === null) throw new Error('there are no links');
    const open = (sealed: string) => JSON.parse(secrets.decrypt(sealed) ?? '');
    const uses = [{ ...open(link.sealed).uses[0], sessionId: open(other.sealed).uses[0].sessionId }];
    await storage.socialLinks.put({
      ...link,
      sealed: secrets.encrypt(JSON.stringify({ ...open(link.sealed), uses })),
    });
    const again = await social.login(ANONYMOUS, by('ann'));
    expect(again.profile.id).toBe(ann.profile.id);
    expect(again.token).not.toBe(bob.token);
  });

  it('is retried a limited number of times when another request is faster each time', async () => {
    const storage = createMemoryStorage();
    let attempts = 0;
    const losing: Storage = {
      ...storage,
      transaction: (work) =>
        storage.transaction((stores) => {
          attempts++;
          return work({ ...stores, socialLinks: { ...stores.socialLinks, put: async () => false } });
        }),
    };
    const { google, social } = await backendOn(losing, createNodeSecrets('a'.repeat(32)));
    const token = google.issue({ person: { id: '1' }, clientId: 'app' });
    const code = await social
      .login(ANONYMOUS, { ...proof, token, login: null, client: null, origin: { network: null, agent: null } })
      .catch((error: unknown) => (isAppError(error) ? error.code : error));
    expect([code, attempts]).toEqual(['social.busy', 5]);
    expect(
      await storage.users.count({
        userSet: { kind: 'all' },
        profileScope: { viewer: null, everything: false, asFriend: false },
        without: '',
        where: null,
      }),
    ).toBe(0);
  });
});

describe('the part of a section that the service owns', () => {
  const section = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => JSON.stringify(value));
  const social = fc.dictionary(fc.constantFrom('google', 'facebook'), fc.record({ id: fc.string() }));

  it('is added and removed, and the rest remains unchanged', () => {
    fc.assert(
      fc.property(section, social, social, (text, first, second) => {
        const rest = withSocial(text, {});
        expect(socialIn(rest)).toEqual({});
        const marked = withSocial(withSocial(text, first), second);
        expect(socialIn(marked)).toEqual(second);
        expect(withSocial(marked, {})).toBe(rest);
        expect(JSON.parse(marked)).toEqual({
          ...JSON.parse(rest),
          ...(Object.keys(second).length > 0 && { _social: second }),
        });
      }),
    );
  });

  it.each([
    ['{"2":1,"1":2,"x":1.50}', '{"2":1,"1":2,"x":1.5,"_social":{"google":{"id":"7"}}}'],
    ['{"_social":{"facebook":{}},"a":"_social"}', '{"a":"_social","_social":{"google":{"id":"7"}}}'],
    ['{}', '{"_social":{"google":{"id":"7"}}}'],
  ])('is written last: %s', (before, after) => {
    expect(withSocial(before, { google: { id: '7' } })).toBe(after);
  });
});
