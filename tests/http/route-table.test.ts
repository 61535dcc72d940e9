import { describe, expect, it } from 'vitest';
import type { Routes } from '../../packages/http/src/routes/describe.ts';
import { ROUTES, UPLOADS } from '../../packages/http/src/routes/index.ts';

/** Returns the URLs that a plugin registers. */
async function urlsOf(plugin: Routes<never>): Promise<string[]> {
  const urls: string[] = [];
  const add = (url: string) => urls.push(url);
  const methods = { get: add, put: add, post: add, patch: add, delete: add };
  const register = async (scoped: Routes<never>) => scoped(app as never, {} as never);
  const app = { ...methods, register, addContentTypeParser: () => {} };
  const options = { extensionRoutes: [], metrics: {}, pages: {}, upgrades: {}, longRequests: {} };
  await plugin(app as never, options as never);
  return urls;
}

const owns = (prefix: string, url: string) => url === prefix || url.startsWith(`${prefix}/`);

describe('the table of routes', () => {
  it('leads from each URL to the file that serves it', async () => {
    const table = Object.entries<Routes<never>>(ROUTES);
    const uploads = Object.entries<Routes<never>>(UPLOADS);
    for (const plugin of new Set(table.map(([, routes]) => routes))) {
      for (const url of await urlsOf(plugin)) {
        const [best] = table.filter(([prefix]) => owns(prefix, url)).toSorted(([a], [b]) => b.length - a.length);
        expect([url, best?.[1].name ?? null]).toEqual([url, plugin.name]);
      }
    }
    for (const [prefix, plugin] of uploads) {
      for (const url of await urlsOf(plugin)) expect([url, owns(prefix, url)]).toEqual([url, true]);
    }
  });
});
