import type { Baobab, ClientOptions, Session, SessionEvent, SessionStorage } from '@baobab/client';
import { expect, it } from 'vitest';
import { codeOf } from '../support/client-failures.ts';
import { nameOf, onEveryService, PASSWORD } from '../support/client-service.ts';

/** A storage as browsers have it. */
function createStorage(): SessionStorage & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}

/** A storage as React Native has it. */
function createSlowStorage(values: Map<string, string>): SessionStorage {
  return {
    getItem: async (key) => values.get(key) ?? null,
    setItem: async (key, value) => void values.set(key, value),
    removeItem: async (key) => void values.delete(key),
  };
}

function eventsOf(client: Baobab): [SessionEvent, string | null][] {
  const events: [SessionEvent, string | null][] = [];
  client.auth.onChange((session, event) => events.push([event, session?.user.username ?? null]));
  return events;
}

onEveryService('the session of the client', (service) => {
  /** Ends a session as an administrator does. */
  async function endSessions(username: string): Promise<void> {
    await (await service.admin()).admin.users.endSessions(username);
  }

  it('begins with a sign-up or a login, ends with a logout, and tells listeners', async () => {
    const client = service.client();
    const events = eventsOf(client);
    const username = service.unique('ann');
    const profile = await client.auth.signUp({ username, password: PASSWORD, visibleByFriend: { phone: '1' } });
    expect(profile).toMatchObject({ user: { name: username }, visibleByFriend: { phone: '1' } });
    expect([profile.confirmationPending, 'X-BB-SESSION' in profile]).toEqual([false, false]);
    expect(client.auth.session?.user).toEqual({ id: profile.id, username, roles: ['registereduser'] });
    await client.auth.logout();
    expect(client.auth.session).toBeNull();
    await client.auth.login({ username, password: PASSWORD });
    expect((await client.users.me()).id).toBe(profile.id);
    expect(events).toEqual([
      ['login', username],
      ['logout', null],
      ['login', username],
    ]);
  });

  it('ends at the service as well', async () => {
    const client = await service.user();
    const { token } = client.auth.session as Session;
    await client.auth.logout();
    expect(await codeOf(client.auth.resume(token))).toBe('session.invalid');
    expect(await codeOf(client.users.me())).toBe('auth.required');
  });

  it('is told to listeners until they unsubscribe, whatever another listener does', async () => {
    const client = service.client();
    const seen: SessionEvent[] = [];
    const stop = client.auth.onChange((_session, event) => seen.push(event));
    const username = service.unique('ann');
    await client.auth.signUp({ username, password: PASSWORD });
    // A listener that calls the service, which deadlocks in some clients.
    const asked = new Promise<string>((resolve) => {
      client.auth.onChange(async (session) => {
        if (session !== null) resolve((await client.users.me()).user.name);
      });
    });
    await client.auth.login({ username, password: PASSWORD });
    expect(await asked).toBe(username);
    stop();
    await client.auth.logout();
    expect(seen).toEqual(['login', 'login']);
  });

  it('is restored from a storage, at once where that can be read at once', async () => {
    const storage = createStorage();
    const client = await service.user({ storage });
    const again = service.client({ storage });
    expect(again.auth.session).toEqual(client.auth.session);
    expect((await again.users.me()).user.name).toBe(nameOf(client));

    const later = service.client({ storage: createSlowStorage(storage.values) });
    expect(later.auth.session).toBeNull();
    // A call waits for the session to be read.
    expect((await later.users.me()).user.name).toBe(nameOf(client));
    await later.auth.ready;
    expect(later.auth.session).toEqual(client.auth.session);
    await later.auth.logout();
    // The mark of a known device stays.
    expect([...storage.values.keys()]).toEqual([`baobab:${service.url}:client`]);
  });

  it('survives a storage that fails, or contains something else', async () => {
    const full: SessionStorage = {
      getItem: () => {
        throw new Error('forbidden');
      },
      setItem: () => {
        throw new Error('full');
      },
      removeItem: () => Promise.reject(new Error('broken')),
    };
    const client = await service.user({ storage: full });
    await client.users.me();
    await client.auth.logout();
    const odd = service.client({ storage: { ...createStorage(), getItem: () => '{"token":1}' } });
    expect(odd.auth.session).toBeNull();
  });

  it.each<[string, ClientOptions['storage']]>([
    [
      'throws on access',
      () => {
        throw new DOMException('denied', 'SecurityError');
      },
    ],
    ['is not there', () => null],
    ['is not there under its name', 'sessionStorage'],
    [
      'never answers',
      {
        getItem: () => new Promise(() => undefined),
        setItem: () => new Promise(() => undefined),
        removeItem: () => new Promise(() => undefined),
      },
    ],
    [
      'fails later',
      {
        getItem: () => Promise.reject(new Error('broken')),
        setItem: () => Promise.reject(new Error('broken')),
        removeItem: () => Promise.reject(new Error('broken')),
      },
    ],
  ])('lasts as long as the client if the storage %s', async (_what, storage) => {
    const client = await service.user({ storage });
    expect((await client.users.me()).user.name).toBe(nameOf(client));
    await client.auth.logout();
    expect(client.auth.session).toBeNull();
  });

  it('is restored from a storage that a function returns, which is called once', async () => {
    const storage = createStorage();
    let calls = 0;
    const open = () => {
      calls++;
      return storage;
    };
    const client = await service.user({ storage: open });
    expect(calls).toBe(1);
    expect(service.client({ storage: open }).auth.session).toEqual(client.auth.session);
  });

  it('ends once for many calls that fail because of it', async () => {
    const storage = createStorage();
    const client = await service.user({ storage });
    const username = nameOf(client);
    const events = eventsOf(client);
    await endSessions(username);
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(client.users.me())));
    expect(new Set(codes)).toEqual(new Set(['session.invalid']));
    expect(events).toEqual([['expired', null]]);
    expect([client.auth.session, storage.values.has(`baobab:${service.url}`)]).toEqual([null, false]);
  });

  it('begins again once, with credentials of the app, and the calls are repeated', async () => {
    let asked = 0;
    const client = await service.user({
      reauthenticate: async (username) => {
        asked++;
        return { username, password: PASSWORD };
      },
    });
    const username = nameOf(client);
    const events = eventsOf(client);
    await endSessions(username);
    const profiles = await Promise.all(Array.from({ length: 20 }, () => client.users.me()));
    expect(new Set(profiles.map(({ user }) => user.name))).toEqual(new Set([username]));
    expect([asked, events]).toEqual([1, [['login', username]]]);
  });

  it('may be begun by the app itself, but no call is repeated in the name of another user', async () => {
    const other = await service.user();
    const name = nameOf(other);
    const client: Baobab = await service.user({
      reauthenticate: async () => {
        await client.auth.login({ username: name, password: PASSWORD });
        return null;
      },
    });
    await endSessions(nameOf(client));
    const notes = client.collection(await service.collection());
    expect(await codeOf(notes.create({ secret: true }))).toBe('session.invalid');
    expect(nameOf(client)).toBe(name);
    expect(await notes.query().count()).toBe(0);
  });

  it('fails with its own reason when the app cannot log in', async () => {
    const client = await service.user({
      reauthenticate: () => Promise.reject(new Error('the user closed the dialog')),
    });
    await endSessions(nameOf(client));
    expect(await codeOf(client.users.me())).toBe('session.invalid');
    expect(client.auth.session).toBeNull();
  });

  it('is one of several, which are listed and ended', async () => {
    const client = await service.user();
    const credentials = { username: nameOf(client), password: PASSWORD };
    const phone = service.client();
    const token = service.unique('device');
    await phone.auth.login(credentials, { device: { os: 'android', deviceId: token } });
    const sessions = await client.auth.sessions();
    expect(sessions.map(({ device, current }) => [device?.id ?? null, current])).toEqual([
      [token, false],
      [null, true],
    ]);
    await client.auth.endSession(sessions[0]?.id ?? '');
    expect(await codeOf(phone.users.me())).toBe('session.invalid');
    await phone.auth.login(credentials, { device: { os: 'android', deviceId: token } });
    await phone.auth.logoutDevice(token);
    expect([phone.auth.session, (await client.auth.sessions()).length]).toEqual([null, 1]);
    await phone.auth.login(credentials);
    await client.auth.endOtherSessions();
    expect([await codeOf(phone.users.me()), (await client.auth.sessions()).length]).toEqual(['session.invalid', 1]);
  });

  it('is extended, and taken over from elsewhere', async () => {
    const client = await service.user();
    expect((await client.auth.refresh()).user.name).toBe(nameOf(client));
    const other = service.client();
    await other.auth.resume(client.auth.session?.token ?? '');
    expect(other.auth.session).toEqual(client.auth.session);
  });

  it('is extended while the app is open and sends nothing else, until the client is closed', async () => {
    const sent: string[] = [];
    const counted: typeof fetch = (input, init) => {
      sent.push(new URL(String(input)).pathname);
      return fetch(input, init);
    };
    const client = await service.user({ fetch: counted, keepAlive: 5 });
    await expect.poll(() => sent.filter((path) => path === '/refresh').length).toBeGreaterThan(1);
    client.close();
    const before = sent.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sent.length).toBe(before);
  });

  it('belongs to an account with a password, a name and a state', async () => {
    const client = await service.user();
    const username = nameOf(client);
    expect(await codeOf(client.auth.changePassword({ old: 'wrong', new: 'next' }))).toBe('user.old_password_invalid');
    await client.auth.changePassword({ old: PASSWORD, new: 'next' });
    expect(await codeOf(client.auth.login({ username, password: PASSWORD }))).toBe('auth.invalid');
    const renamed = service.unique('renamed');
    await client.auth.rename(renamed);
    expect([nameOf(client), (await client.users.me()).user.name]).toEqual([renamed, renamed]);
    await client.auth.suspend();
    expect([client.auth.session, await codeOf(client.auth.login({ username: renamed, password: 'next' }))]).toEqual([
      null,
      'auth.invalid',
    ]);
  });

  it('deletes the account, and keeps it after all', async () => {
    const client = await service.user();
    const credentials = { username: nameOf(client), password: PASSWORD };
    expect(await codeOf(client.auth.deleteAccount({ currentPassword: 'wrong' }))).toBe('user.old_password_invalid');
    const at = await client.auth.deleteAccount();
    expect([client.auth.session, Number(at) > Date.now()]).toEqual([null, true]);
    expect(await codeOf(client.auth.login(credentials))).toBe('account.erasing');
    await client.auth.cancelDeletion(credentials);
    expect((await client.auth.login(credentials)).user.status).toBe('ACTIVE');
  });

  it('gets a new password by mail', async () => {
    const client = service.client();
    const username = service.unique('ann');
    await client.auth.signUp({ username, password: PASSWORD, visibleByTheUser: { email: 'ann@example.org' } });
    const before = service.backend.mail.length;
    const single = service.client(service.onFirstNode);
    await (await service.admin()).admin.settings.set('PasswordRecovery', 'network.smtp.host', 'localhost');
    await single.auth.requestPasswordReset(username);
    expect(service.backend.mail.length).toBe(before + 1);
    expect(await codeOf(single.auth.requestPasswordReset(service.unique('nobody')))).toBe('reset.address_missing');
  });
});
