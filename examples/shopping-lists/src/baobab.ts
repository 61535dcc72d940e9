import { createClient } from '@baobab/client';
import { live } from '@baobab/client/live';
import type { App } from './types.ts';

/** The client of the service: one for the whole app. It keeps the session when the page is loaded again. */
export const baobab = createClient<App>({
  url: import.meta.env.VITE_SERVICE ?? 'http://localhost:9000',
  appCode: import.meta.env.VITE_APP_CODE ?? '1234567890',
  storage: localStorage,
  live,
});
