import type { LiveFeature } from './query/live.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then fails with `client.aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of each attempt, in milliseconds; overrides the client's. 0: no limit. */
  readonly timeout?: number | undefined;
}

/** Options of calls that take effect only once, even if sent repeatedly. */
export interface WriteOptions extends CallOptions {
  /** Sent as `Idempotency-Key` instead of a generated key. Repeating a call with the same key has no further effect. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of calls that require a login within the last ten minutes, or the password. */
export interface PresenceOptions extends CallOptions {
  /** Password of the calling user. */
  readonly currentPassword?: string | undefined;
}

/** Storage for the session: `localStorage`, `sessionStorage`, React Native's `AsyncStorage`, or similar. */
export interface SessionStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Login credentials. */
export interface Login extends Credentials {
  /** A two-factor code, if the user has 2FA: it avoids the challenge. */
  readonly code?: string | undefined;
}

export interface ClientOptions {
  /** Address of the server, such as `https://api.example.org`. `createClient` throws a `TypeError` without a protocol. */
  readonly url: string;
  /** The application code. It is not a secret. */
  readonly appCode: string;
  /**
   * API key for use on servers, sent with every call instead of a session. Never ship it in an app: it grants everything
   * that its role can do.
   */
  readonly key?: string | undefined;
  /**
   * Storage for the session and the token that identifies the device: a storage, a function that returns one, or the
   * name of a browser storage. Without it, if the storage fails, or if it does not answer within three seconds, both
   * last as long as the client. Prefer the name: if a browser forbids storage, accessing `localStorage` itself throws.
   */
  readonly storage?:
    | SessionStorage
    | 'localStorage'
    | 'sessionStorage'
    | (() => SessionStorage | null | undefined)
    | undefined;
  /** Key in `storage`; default: `baobab:` and the address. */
  readonly storageKey?: string | undefined;
  /** True if tabs that share `storage` share the session; default: true for the browser's `localStorage`. */
  readonly tabs?: boolean | undefined;
  /**
   * Called once when the session has expired, even if several calls fail because of it. The calls are repeated if the
   * same user is logged in afterwards. Return credentials, or log in yourself and return nothing. Make no other calls
   * in it: with the expired session, they would wait for it to end.
   */
  readonly reauthenticate?: ((username: string) => Promise<Login | null | undefined>) | undefined;
  /** Interval for extending an idle session, in milliseconds; default 5 minutes. 0: never. */
  readonly keepAlive?: number | undefined;
  /** Timeout of each attempt of a call, in milliseconds; default 30,000. 0: no limit. */
  readonly timeout?: number | undefined;
  /** Maximum number of retries after a temporary failure; default 3. */
  readonly retries?: number | undefined;
  /** `live` of `@baobab/client/live`; enables live queries. */
  readonly live?: LiveFeature | undefined;
  /** Replaces the global `fetch`, also for live queries, which then use no socket unless `webSocket` is set. */
  readonly fetch?: typeof fetch | undefined;
  /** Replaces the global `WebSocket`; null: live queries use a stream. */
  readonly webSocket?: typeof WebSocket | null | undefined;
}
