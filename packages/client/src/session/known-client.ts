import type { Kept } from './storage.ts';

/**
 * Token that identifies this device, received at login. Sent with the next login, it protects the user from account
 * lockout by strangers.
 */
export interface KnownClient {
  /** Returns it as a member of the login body. */
  read(): Promise<{ readonly client?: string }>;
  keep(client: string | undefined): void;
}

/** Creates one token store for all users of the device. A logout does not remove the token. */
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
