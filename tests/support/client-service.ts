import { createMemoryBlobs } from '@baobab/adapters/memory';
import { createNodeSecrets } from '@baobab/adapters/system';
import type { AnyApp, AppTypes, ClientOptions } from '@baobab/client';
import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import { createTestBackend, type TestBackend, type TestBackendOptions } from '@baobab/server/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { STORAGES, type TestStorage } from './databases.ts';
import { openSocket } from './sockets.ts';

/** A server as seen by an app, on real sockets. Names are unique, so that scenarios can share it. */
export interface ClientService {
  /** The first node. */
  readonly backend: TestBackend;
  /** Options for a client of the first node only. */
  readonly onFirstNode: Partial<ClientOptions>;
  readonly url: string;
  /** Returns a unique name. */
  unique(prefix: string): string;
  /** Creates a client with all calls. Its requests are distributed over all nodes. */
  client<A extends AppTypes = AnyApp>(options?: Partial<ClientOptions>): AdminClient<A>;
  /** Creates a client of a new user. */
  user<A extends AppTypes = AnyApp>(options?: Partial<ClientOptions>): Promise<AdminClient<A>>;
  /** Creates a client of the administrator. */
  admin(): Promise<AdminClient>;
  /** Creates a collection and returns its name. */
  collection(): Promise<string>;
  close(): Promise<void>;
}

export const PASSWORD = 'a password';
const SECRET_KEY = 'k'.repeat(40);

let count = 0;
const unique = (prefix: string) => `${prefix}${++count}`;

async function startNodes(options: TestBackendOptions, nodes: number): Promise<TestBackend[]> {
  const shared = { ...options, blobStore: createMemoryBlobs(), secrets: createNodeSecrets(SECRET_KEY) };
  const backends: TestBackend[] = [];
  // Sequential, because the first one creates the administrator.
  for (let at = 0; at < nodes; at++) backends.push(await createTestBackend(shared));
  return backends;
}

export async function openClientService(
  databaseUrl = 'memory:',
  nodes = 1,
  options: TestBackendOptions = {},
): Promise<ClientService> {
  const backends = await startNodes({ ...options, databaseUrl }, nodes);
  const urls = await Promise.all(backends.map(async ({ app }) => `http://127.0.0.1:${await openSocket(app)}`));
  const [url = ''] = urls;
  const [backend] = backends;
  if (backend === undefined) throw new Error('a service needs a node');
  const { appCode, adminPassword } = backend;
  const opened: AdminClient[] = [];
  let turn = 0;
  let admin: Promise<AdminClient> | null = null;

  const inTurn: typeof fetch = (input, init) =>
    fetch(
      String(input).replace(url, () => urls[turn++ % urls.length] ?? ''),
      init,
    );

  function client<A extends AppTypes = AnyApp>(options: Partial<ClientOptions> = {}): AdminClient<A> {
    const one = createAdminClient<A>({ url, appCode, fetch: inTurn, ...options });
    opened.push(one as unknown as AdminClient);
    return one;
  }

  async function openAdmin(): Promise<AdminClient> {
    const one = client();
    await one.auth.login({ username: 'admin', password: adminPassword });
    return one;
  }

  const service: ClientService = {
    backend,
    onFirstNode: { fetch: (...args) => fetch(...args) },
    url,
    unique,
    client,
    async user(options) {
      const one = client(options);
      await one.auth.signUp({ username: unique('user'), password: PASSWORD });
      return one as never;
    },
    admin: () => {
      admin ??= openAdmin();
      return admin;
    },
    async collection() {
      const name = unique('things');
      await (await service.admin()).admin.collections.create(name);
      return name;
    },
    async close() {
      for (const one of opened) one.close();
      for (const one of backends) {
        // `fetch` opens connections that it never uses, and the server would wait for them.
        one.app.server.closeAllConnections();
        await one.close();
      }
    },
  };
  return service;
}

/** Returns the name of a client's user. */
export const nameOf = ({ auth }: Pick<AdminClient, 'auth'>) => auth.session?.user.username ?? '';

/** Declares the same scenarios for a server with memory storage, one on SQLite, and two nodes on Postgres. */
export function onEveryService(title: string, scenarios: (service: ClientService) => void): void {
  describe.each(Object.entries(STORAGES))(`${title}, on %s`, (name, open) => {
    let storage: TestStorage;
    let service: ClientService;

    beforeAll(async () => {
      storage = await open();
      service = await openClientService(storage.url, name === 'postgres' ? 2 : 1);
    });
    afterAll(async () => {
      await service.close();
      await storage.dispose();
    });

    // Scenarios are declared before the server exists. They access it when they run.
    scenarios(new Proxy({} as ClientService, { get: (_target, key: keyof ClientService) => service[key] }));
  });
}
