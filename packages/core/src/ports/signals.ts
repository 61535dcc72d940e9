/**
 * Announces a change of something that processes may have cached: the user or session with this id, the users in the
 * group with this id, the settings, the roles, the rules of a
 * collection, or the first file of a document. Or announces work that processes wait for:
 * a push message or a mail to send, changes of documents, or a change of webhooks. Or passes on a message between rooms,
 * whose key has up to 7,100 ASCII characters.
 */
export interface Signal {
  readonly topic:
    | 'user'
    | 'session'
    | 'group'
    | 'settings'
    | 'roles'
    | 'collections'
    | 'files'
    | 'push'
    | 'mail'
    | 'changes'
    | 'webhooks'
    | 'rooms';
  readonly key: string;
}

export interface Announcer {
  /**
   * Sends the signal to every process once the surrounding transaction has committed; never if it rolls back. When the
   * transaction (or this call, outside of one) resolves, the listeners of every process have been called, or that
   * process distrusts its caches until they have been. So a client that has the answer never meets a stale cache. An
   * unresponsive process delays this by a few seconds at most. `push`, `mail`, `changes` and `webhooks` are not waited
   * for, because they are not cached; neither is `rooms`.
   */
  announce(signal: Signal): Promise<void>;
}

/** Receives the signals of some topics. */
export interface SignalListener {
  readonly topics: readonly Signal['topic'][];
  /** @param signal null if signals may have been missed */
  hear(signal: Signal | null): void;
}

export interface SignalFeed {
  /** True while every signal from every process reaches this process. While it is false, caches must not be trusted. */
  readonly live: boolean;
  /**
   * Calls `listener` for each signal, or for each of its topics, and with `null` if signals may have been missed.
   * Returns a function that unsubscribes.
   */
  subscribe(listener: SignalListener | SignalListener['hear']): () => void;
}

/** Sends signals to the other processes of a machine, for storages that cannot do so themselves. */
export interface SignalRelay {
  /** True while signals from all other processes arrive. */
  readonly live: boolean;
  /** Sends the signal to the other processes, not to this one. */
  send(signal: Signal): void;
  /**
   * Resolves when each of the other processes has received every signal sent before, has ended, or distrusts its caches
   * until it has received them. Resolves in bounded time; never rejects.
   */
  heard(): Promise<void>;
  /**
   * Calls `listener` with each signal from the other processes, and with `null` if some may have been lost. Call it
   * once.
   */
  receive(listener: (signal: Signal | null) => void): void;
}
