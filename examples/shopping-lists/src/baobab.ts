import { createClient } from '@baobab/client';
import { createOffline, indexedDbStore, mergeFields } from '@baobab/client/offline';
import type { App } from './types.ts';

/** The client of the service: one for the whole app. It keeps the session when the page is loaded again. */
export const baobab = createClient<App>({
  url: import.meta.env.VITE_SERVICE ?? 'http://localhost:9000',
  appCode: import.meta.env.VITE_APP_CODE ?? '1234567890',
  storage: 'localStorage',
});

/** The documents on this device. They are read and written here, and exchanged with the service when it can be reached. */
export const offline = createOffline(baobab, {
  store: indexedDbStore('shopping-lists'),
  collections: ['lists', 'items'],
  // When two people change one item: what a user changed is the user's, the rest is the other's.
  onConflict: mergeFields,
});
