import { type Baobab, createClient } from '@baobab/client';
import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import type { Logger } from '@baobab/core';
import { defineExtension, type Extension, type ExtensionApp } from '@baobab/server/extensions';
import { createTestBackend, type TestBackend, type TestBackendOptions } from '@baobab/server/testing';

/** An entry of a log. */
interface Logged {
  readonly level: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly message: string;
}

function createLog(): { readonly logger: Logger; readonly entries: Logged[] } {
  const entries: Logged[] = [];
  const at = (level: string) => (values: object, message: string) => {
    entries.push({ level, values: values as Logged['values'], message });
  };
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, entries };
}

/** A response of a route. */
interface RouteAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
}

export interface ExtendedBackend {
  readonly backend: TestBackend;
  readonly log: readonly Logged[];
  /** Sends a request to a route. @param token session; absent for none */
  call(method: string, path: string, options?: { token?: string; body?: unknown; text?: string }): Promise<RouteAnswer>;
  /** Creates a client of a new user, with the token of its session. */
  user(name: string): Promise<{ readonly client: Baobab; readonly token: string }>;
  readonly admin: AdminClient;
  close(): Promise<void>;
}

const URL_OF_TESTS = 'http://test.invalid';
const PASSWORD = 'a password';

/** Sends the requests of a client to a backend without a socket. */
function injectedFetch({ app }: Pick<TestBackend, 'app'>): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const { statusCode, payload, headers } = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: url.pathname + url.search,
      headers: init.headers as Record<string, string>,
      ...(typeof init.body === 'string' && { payload: init.body }),
    });
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(statusCode === 204 ? null : payload, { status: statusCode, headers: sent });
  };
}

/** Starts a backend with an extension. */
export async function extended(
  register: ((app: ExtensionApp) => void) | readonly Extension[],
  options: TestBackendOptions = {},
): Promise<ExtendedBackend> {
  const { logger, entries } = createLog();
  const extensions = typeof register === 'function' ? [defineExtension(register)] : register;
  const backend = await createTestBackend({ logger, ...options, extensions });
  const { app, appCode } = backend;
  const here = { url: URL_OF_TESTS, appCode, keepAlive: 0, fetch: injectedFetch(backend) };
  const credentials = { username: 'admin', password: backend.adminPassword };
  const admin = createAdminClient({ ...here, reauthenticate: async () => credentials });
  await admin.auth.login(credentials);
  return {
    backend,
    log: entries,
    admin,
    async call(method, path, { token, body, text } = {}) {
      const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
      const answer = await app.inject({
        method: method as 'GET',
        url: path,
        headers: {
          'x-service-appcode': appCode,
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { 'x-bb-session': token }),
        },
        ...(payload !== undefined && { payload }),
      });
      return { status: answer.statusCode, body: JSON.parse(answer.payload) };
    },
    async user(username) {
      const client = createClient(here);
      await client.auth.signUp({ username, password: PASSWORD });
      const token = client.auth.session?.token ?? '';
      return { client, token };
    },
    async close() {
      await backend.close();
    },
  };
}
