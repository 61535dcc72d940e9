/**
 * Something that processes may have cached has changed: the user with this id, the session with this id, the
 * settings, the roles. Or something that processes wait for is there: a message to be pushed.
 */
export interface Signal {
  readonly topic: 'user' | 'session' | 'settings' | 'roles' | 'push';
  readonly key: string;
}

export interface Announcer {
  /**
   * Tells every process once the surrounding transaction has committed; never if it has not. When the transaction (or
   * this call, outside of one) resolves, the listeners of every process have heard it, or that process trusts no cache
   * until they have: whoever got the answer meets no old cache anywhere. A process that does not answer delays this by a
   * few seconds at most. Nobody waits for `push`: it wakes others, who cache nothing of it.
   */
  announce(signal: Signal): Promise<void>;
}

export interface SignalFeed {
  /** Whether everything announced anywhere reaches this process now. While it is false no cache may be trusted. */
  readonly live: boolean;
  /**
   * Calls `listener` for each signal, and with `null` when signals may have been missed. Returns how to stop.
   */
  subscribe(listener: (signal: Signal | null) => void): () => void;
}

/** The way to the other processes of a machine, for a storage that cannot tell them anything itself. */
export interface SignalRelay {
  /** Whether what any of the processes sends arrives. */
  readonly live: boolean;
  /** Tells the other processes, not this one. */
  send(signal: Signal): void;
  /**
   * Resolves when each of the others has heard all that was sent before, or has ended, or trusts no cache until it has
   * heard it. In bounded time; never rejects.
   */
  heard(): Promise<void>;
  /** Calls `listener` with what the others send, and with `null` when some of it may have been lost. To be called once. */
  receive(listener: (signal: Signal | null) => void): void;
}
