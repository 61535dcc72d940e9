import { createNodeSecrets } from '@baobab/adapters/system';
import { addToSet, type Baobab, createClient, increment, type SessionStorage } from '@baobab/client';
import { createAdminClient } from '@baobab/client/admin';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PASSWORD } from '../support/client-service.ts';
import { openPostgres, type TestStorage } from '../support/databases.ts';
import { fetchInProcess } from '../support/in-process.ts';

const CLIENTS = 50;
const LIKES = 4;

let storage: TestStorage;
const nodes: TestBackend[] = [];
const opened: { close(): void }[] = [];

beforeAll(async () => {
  storage = await openPostgres();
  const options = { databaseUrl: storage.url, secrets: createNodeSecrets('a key that nodes share'.repeat(2)) };
  nodes.push(await createTestBackend(options), await createTestBackend(options));
});
afterAll(async () => {
  for (const one of opened) one.close();
  for (const node of nodes) await node.close();
  await storage.dispose();
});

const nodeOf = (n: number) => nodes[n % nodes.length] as TestBackend;

/** Session that tabs of one user share. */
function createSession(): SessionStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

/** A client whose requests that write are lost now and then, before or after they take effect. */
function createTab(n: number, session: SessionStorage): Baobab {
  const send = fetchInProcess(nodeOf(n));
  let writes = n;
  const client = createClient({
    url: 'http://service',
    appCode: nodeOf(n).appCode,
    storage: session,
    async fetch(input, init) {
      const fate = init?.method === 'PATCH' ? writes++ % 4 : null;
      if (fate === 0) throw new TypeError('the request was lost');
      const answer = await send(input, init);
      if (fate === 1) throw new TypeError('the answer was lost');
      return answer;
    },
  });
  opened.push(client);
  return client;
}

/** Signs a user up. Resolves to the session. */
async function loggedIn(prefix: string): Promise<SessionStorage> {
  const session = createSession();
  const username = `${prefix} ${opened.length}`;
  await createTab(opened.length, session).auth.signUp({ username, password: PASSWORD });
  return session;
}

/** Reads a post on the second node. */
async function stored(id: string): Promise<{ likes: number; fans: string[] }> {
  const reader = createTab(1, await loggedIn('reader'));
  await reader.auth.ready;
  return (await reader.collection('posts').get(id)) as unknown as { likes: number; fans: string[] };
}

async function newPost(): Promise<string> {
  const admin = createAdminClient({
    url: 'http://service',
    appCode: nodeOf(0).appCode,
    fetch: fetchInProcess(nodeOf(0)),
  });
  opened.push(admin);
  await admin.auth.login({ username: 'admin', password: nodeOf(0).adminPassword });
  await admin.admin.collections.create('posts').catch(() => undefined);
  const content = { likes: 0, fans: [] };
  return (await admin.collection('posts').create(content, { grants: { all: { roles: ['registered'] } } })).id;
}

it(`${CLIENTS} clients on two nodes that lose requests and answers count each like once`, async () => {
  const id = await newPost();
  const sessions = [await loggedIn('fan'), await loggedIn('fan')];
  const tabs = Array.from({ length: CLIENTS }, (_, n) => createTab(n, sessions[n % 2] as SessionStorage));
  await Promise.all(
    tabs.map(async (tab, n) => {
      await tab.auth.ready;
      const posts = tab.collection('posts');
      for (let like = 0; like < LIKES; like++) {
        await posts.update(id, { likes: increment(1), fans: addToSet(`client ${n}`) });
      }
    }),
  );
  const { likes, fans } = await stored(id);
  expect(likes).toBe(CLIENTS * LIKES);
  expect(fans.toSorted()).toEqual(Array.from({ length: CLIENTS }, (_, n) => `client ${n}`).toSorted());
});

it('1,000 parallel increments from two nodes make 1,000, and addToSet adds no element twice', async () => {
  const id = await newPost();
  const session = await loggedIn('counter');
  const clients = nodes.map((node) => {
    const client = createClient({
      url: 'http://service',
      appCode: node.appCode,
      fetch: fetchInProcess(node),
      storage: session,
    });
    opened.push(client);
    return client;
  });
  for (const client of clients) await client.auth.ready;
  // 50 at any time: more would wait for the database longer than a busy machine allows.
  await Promise.all(
    Array.from({ length: 50 }, async (_, lane) => {
      for (let n = lane; n < 1_000; n += 50) {
        const patch = { likes: increment(1), fans: addToSet(`fan ${n % 20}`) };
        await clients[n % 2]?.collection('posts').update(id, patch);
      }
    }),
  );
  const { likes, fans } = await stored(id);
  expect(likes).toBe(1_000);
  expect(fans).toHaveLength(20);
  expect(new Set(fans).size).toBe(20);
});
