import type { SessionStorage } from '../options.ts';

/** What a login gave to this device. Sent with the next login, it keeps strangers from locking the user out. */
export interface KnownClient {
  /** As a member of the body of a login. */
  read(): Promise<{ readonly client?: string }>;
  keep(client: string | undefined): void;
}

/** One for all users of the device; a logout does not remove it. */
export function createKnownClient(storage: SessionStorage | undefined, key: string): KnownClient {
  let known: string | null = null;

  /** A storage that is full or forbidden costs nothing else. */
  async function store(client: string): Promise<void> {
    try {
      await storage?.setItem(key, client);
    } catch {
      // See above.
    }
  }

  return {
    async read() {
      try {
        // Another tab may have stored a newer one.
        known = (await storage?.getItem(key)) ?? known;
      } catch {
        // As without a storage.
      }
      return known === null ? {} : { client: known };
    },
    keep(client) {
      if (client === undefined) return;
      known = client;
      store(client).catch(() => undefined);
    },
  };
}
