import type { Baobab } from '@baobab/client';
import { bundleClient } from '../bundle.ts';
import { type Pages, servePages } from '../pages.ts';

/** Number of live queries of the page. */
export const QUERIES = 50;

const PAGE = `<!doctype html><title>App</title><script type="module">
  import { createClient, live } from './client.js';
  const { url, code, collection } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  window.baobab = createClient({ url, appCode: code, storage: 'localStorage', live });
  window.counts = [];
  window.states = [];
  window.begin = () => {
    for (let at = 0; at < ${QUERIES}; at++) {
      const query = baobab.collection(collection).query().where('n >= ?', at);
      query.live((rows) => { counts[at] = rows.length; }, { onState: (state) => { states[at] = state; } });
    }
  };
</script>`;

/** Globals of the page. */
export interface LivePage {
  readonly baobab: Baobab;
  /** Number of rows of each query. */
  readonly counts: readonly number[];
  readonly states: readonly string[];
  begin(): void;
}

/** Serves a page with many different live queries of one collection, which begin with `begin()`. */
export async function serveManyQueries(): Promise<Pages> {
  const code = await bundleClient("export * from '@baobab/client'; export * from '@baobab/client/live';");
  return servePages({ '/app.html': PAGE, '/client.js': code });
}

/** Returns the address of the page for a collection of a service. */
export const pageOf = ({ origin }: Pages, service: { url: string; appCode: string }, collection: string) =>
  `${origin}/app.html#url=${service.url}&code=${service.appCode}&collection=${collection}`;
