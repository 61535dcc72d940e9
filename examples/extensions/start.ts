import { type Baobab, createClient } from '@baobab/client';
import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import type { Extension } from '@baobab/server/extensions';
import { createTestBackend, type TestBackend, type TestBackendOptions } from '@baobab/server/testing';

/** Response of a route. */
interface Answer<T> {
  readonly http_code: number;
  readonly code?: string;
  readonly data: T;
}

export interface Started {
  readonly backend: TestBackend;
  readonly url: string;
  readonly admin: AdminClient;
  /** Signs up a user. */
  user(username: string): Promise<Baobab>;
  /** Calls a route of the extension as this user. */
  call<T>(as: Baobab, method: string, path: string, body?: unknown): Promise<Answer<T>>;
  close(): Promise<void>;
}

/** Starts a backend in memory with an extension and these collections. */
export async function start(
  extension: Extension,
  collections: readonly string[],
  options: TestBackendOptions = {},
): Promise<Started> {
  const backend = await createTestBackend({ ...options, extensions: [extension] });
  const url = await backend.app.listen({ port: 0, host: '127.0.0.1' });
  const { appCode } = backend;
  const admin = createAdminClient({ url, appCode });
  await admin.auth.login({ username: 'admin', password: backend.adminPassword });
  for (const name of collections) await admin.admin.collections.create(name);
  const clients: Baobab[] = [admin];
  return {
    backend,
    url,
    admin,
    async user(username) {
      const client = createClient({ url, appCode });
      clients.push(client);
      await client.auth.signUp({ username, password: 'a password' });
      return client;
    },
    async call<T>(as: Baobab, method: string, path: string, body?: unknown) {
      const headers = { 'X-BB-SESSION': as.auth.session?.token ?? '', 'Content-Type': 'application/json' };
      const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
      return (await response.json()) as Answer<T>;
    },
    async close() {
      for (const client of clients) client.close();
      await backend.close();
    },
  };
}
