import type { TestBackend } from '@baobab/server/testing';
import type { InjectOptions } from 'fastify';

/** Returns a `fetch` that calls a server in this process, without a connection. It sends no streams. */
export const fetchInProcess =
  ({ app }: Pick<TestBackend, 'app'>): typeof fetch =>
  async (input, init = {}) => {
    const url = new URL(String(input));
    const { statusCode, headers, body } = await app.inject({
      method: (init.method ?? 'GET') as NonNullable<InjectOptions['method']>,
      url: url.pathname + url.search,
      headers: { ...(init.headers as Record<string, string>) },
      ...(init.body == null ? {} : { payload: String(init.body) }),
    });
    const shown = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(statusCode === 204 ? null : body, { status: statusCode, headers: shown });
  };
