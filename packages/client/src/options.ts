import type { LiveFeature } from './query/live.ts';

/** Options of every call. */
export interface CallOptions {
  /** Ends the call; it then fails with `client.aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** The time for each attempt, in milliseconds, instead of the client's. 0: no limit. */
  readonly timeout?: number | undefined;
}

/** Options of calls that the service does once, however often they are sent. */
export interface WriteOptions extends CallOptions {
  /** Sent as `Idempotency-Key` instead of a generated key: a repeated call with the same key has no further effect. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of calls that need a login of the last ten minutes, or the password. */
export interface PresenceOptions extends CallOptions {
  /** The password of the user who makes the call. */
  readonly currentPassword?: string | undefined;
}

/** Where the session is kept: `localStorage`, `sessionStorage`, React Native's `AsyncStorage`, or the like. */
export interface SessionStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** What a user logs in with. */
export interface Login extends Credentials {
  /** A code of the second factor, if the user has one: then there is no challenge. */
  readonly code?: string | undefined;
}

export interface ClientOptions {
  /** The address of the service, such as `https://api.example.org`. */
  readonly url: string;
  /** The application code. It is not a secret. */
  readonly appCode: string;
  /**
   * Where the session is kept, and what makes the device known: a storage, a function that returns one, or the name of a
   * storage of the browser. Without it, both last as long as the client. The same applies if the storage fails, or does
   * not answer within three seconds. Prefer the name: where a browser forbids storage, `localStorage` itself throws.
   */
  readonly storage?:
    | SessionStorage
    | 'localStorage'
    | 'sessionStorage'
    | (() => SessionStorage | null | undefined)
    | undefined;
  /** The key in `storage`; default: `baobab:` and the address. */
  readonly storageKey?: string | undefined;
  /** Whether tabs that share `storage` share the session; default: true for the browser's `localStorage`. */
  readonly tabs?: boolean | undefined;
  /**
   * Called once when the session has ended, however many calls fail because of it. They are repeated if the same user is
   * logged in afterwards: return credentials, or log in by yourself and return nothing.
   */
  readonly reauthenticate?: ((username: string) => Promise<Login | null | undefined>) | undefined;
  /** How often to extend an idle session, in milliseconds; default 5 minutes. 0: never. */
  readonly keepAlive?: number | undefined;
  /** The time for each attempt of a call, in milliseconds; default 30,000. 0: no limit. */
  readonly timeout?: number | undefined;
  /** How often a call is repeated after a temporary failure; default 3. */
  readonly retries?: number | undefined;
  /** `live` of `@baobab/client/live`, to use live queries. */
  readonly live?: LiveFeature | undefined;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}
