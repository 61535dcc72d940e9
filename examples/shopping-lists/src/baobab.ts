import { createClient } from '@baobab/client';
import { createOffline, indexedDbStore, mergeFields } from '@baobab/client/offline';
import type { App } from './types.ts';

/** The client of the server, shared by the whole app. The session survives a reload. */
export const baobab = createClient<App>({
  url: import.meta.env.VITE_SERVICE ?? 'http://localhost:9000',
  appCode: import.meta.env.VITE_APP_CODE ?? '1234567890',
  storage: 'localStorage',
});

/** Documents on this device. The app reads and writes them locally; they are synced when the server is reachable. */
export const offline = createOffline(baobab, {
  store: indexedDbStore('shopping-lists'),
  collections: ['lists', 'items'],
  // If two people change one item, each keeps their changed members.
  onConflict: mergeFields,
});
