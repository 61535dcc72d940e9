import type { Kept } from './storage.ts';

/** What a login gave to this device. Sent with the next login, it keeps strangers from locking the user out. */
export interface KnownClient {
  /** As a member of the body of a login. */
  read(): Promise<{ readonly client?: string }>;
  keep(client: string | undefined): void;
}

/** One for all users of the device; a logout does not remove it. */
export function createKnownClient(storage: Kept, key: string): KnownClient {
  let known: string | null = null;
  return {
    async read() {
      // Another tab may have stored a newer one.
      known = (await storage.read(key)) ?? known;
      return known === null ? {} : { client: known };
    },
    keep(client) {
      if (client === undefined) return;
      known = client;
      storage.write(key, client);
    },
  };
}
