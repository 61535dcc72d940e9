import { type Baobab, BaobabError, type ClientOptions } from '@baobab/client';
import { live } from '@baobab/client/live';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { codeOf } from '../support/client-failures.ts';
import { type ClientService, nameOf, openClientService, PASSWORD } from '../support/client-service.ts';
import { createLatch, until } from '../support/patience.ts';

describe('the session of a call', () => {
  let service: ClientService;
  let collection: string;
  /** Runs before each request; may reject. */
  let before: (method: string, url: string) => Promise<void> = async () => undefined;

  const faulty: typeof fetch = async (input, init) => {
    await before(init?.method ?? '', String(input));
    return fetch(input, init);
  };
  const open = (options: Partial<ClientOptions> = {}) => service.user({ fetch: faulty, ...options });
  const credentialsOf = (client: Baobab) => ({ username: nameOf(client), password: PASSWORD });

  /** The first creation of a document fails, after `then`. */
  function failOnce(then: () => unknown): { readonly sent: () => number } {
    let sent = 0;
    before = async (method, url) => {
      if (method !== 'POST' || !url.includes('/document/') || sent++ > 0) return;
      await then();
      throw new TypeError('no connection');
    };
    return { sent: () => sent };
  }

  beforeAll(async () => {
    service = await openClientService();
    collection = await service.collection();
  });
  afterEach(() => {
    before = async () => undefined;
  });
  afterAll(() => service.close());

  it.each<[string, (client: Baobab, other: Baobab) => Promise<unknown>]>([
    ['another user has logged in', (client, other) => client.auth.login(credentialsOf(other))],
    ['the user has logged out', (client) => client.auth.logout()],
  ])('is not replaced in a retry after %s', async (_title, change) => {
    const [client, other] = [await open(), await service.user()];
    const { sent } = failOnce(() => change(client, other));
    expect(await codeOf(client.collection(collection).create({ secret: 1 }))).toBe('client.network');
    expect([sent(), await other.collection(collection).query().count()]).toEqual([1, 0]);
  });

  it('is not replaced in a retry by the user of another tab', async () => {
    const values = new Map<string, string>();
    const storage = {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => values.set(key, value),
      removeItem: (key: string) => values.delete(key),
    };
    const [client, other] = [await open({ storage, tabs: true }), await service.user()];
    const tab = service.client({ storage, tabs: true });
    const { sent } = failOnce(async () => {
      await tab.auth.login(credentialsOf(other));
      await until(() => nameOf(client) === nameOf(other));
    });
    expect(await codeOf(client.collection(collection).create({ secret: 1 }))).toBe('client.network');
    expect(sent()).toBe(1);
  });

  it('is the current one of the same user in a retry', async () => {
    const client = await open();
    const { sent } = failOnce(() => client.auth.login(credentialsOf(client)));
    expect(await client.collection(collection).create({ a: 1 })).toMatchObject({ _author: nameOf(client) });
    expect(sent()).toBe(2);
  });

  it('is kept when the login of `reauthenticate` fails temporarily, and renewed by a later call', async () => {
    let asked = 0;
    const client: Baobab = await open({
      retries: 0,
      reauthenticate: async (username) => {
        asked++;
        return { username, password: PASSWORD };
      },
    });
    await (await service.admin()).admin.users.endSessions(nameOf(client));
    before = async (_method, url) => {
      if (url.endsWith('/login')) throw new TypeError('no connection');
    };
    const { session } = client.auth;
    expect(await codeOf(client.users.me())).toBe('session.invalid');
    expect([asked, client.auth.session]).toEqual([1, session]);
    before = async () => undefined;
    expect((await client.users.me()).user.name).toBe(nameOf(client));
    expect(asked).toBe(2);
  });

  it('may be waited for no longer than the signal of the call allows', async () => {
    const { open: logIn, opened } = createLatch();
    const asked = createLatch();
    const client: Baobab = await open({
      reauthenticate: async (username) => {
        asked.open();
        await opened;
        return { username, password: PASSWORD };
      },
    });
    await (await service.admin()).admin.users.endSessions(nameOf(client));
    const controller = new AbortController();
    const aborted = codeOf(client.users.me({ signal: controller.signal }));
    const patient = client.users.me({ signal: new AbortController().signal });
    await asked.opened;
    controller.abort();
    expect(await aborted).toBe('client.aborted');
    expect(await codeOf(client.users.me({ signal: controller.signal }))).toBe('client.aborted');
    logIn();
    expect((await patient).user.name).toBe(nameOf(client));
  });

  it('is extended after the clock of the device was set back', async () => {
    let refreshed = 0;
    before = async (_method, url) => {
      if (url.endsWith('/refresh')) refreshed++;
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const client = await open({ keepAlive: 50 });
      await client.users.me();
      vi.setSystemTime(Date.now() - 3_600_000);
      refreshed = 0;
      await until(() => refreshed > 0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is renewed for a live query after a login that failed temporarily', async () => {
    let asked = 0;
    const client: Baobab = await open({
      live,
      retries: 0,
      reauthenticate: async (username) => {
        if (++asked === 1) throw new BaobabError('rate.limited', 'later', { status: 429 });
        return { username, password: PASSWORD };
      },
    });
    const notes = client.collection(collection);
    const titles: string[] = [];
    let rows: readonly unknown[] | null = null;
    const stop = notes.query().live((current) => {
      rows = current;
      titles.splice(0, titles.length, ...current.map(({ title }) => String(title)));
    });
    await until(() => rows !== null);
    await (await service.admin()).admin.users.endSessions(nameOf(client));
    await until(() => asked === 2);
    await notes.create({ title: 'Milk' });
    await until(() => titles.length > 0);
    stop();
    expect(titles).toEqual(['Milk']);
  });
});
