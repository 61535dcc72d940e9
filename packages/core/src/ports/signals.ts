/**
 * Something that processes may have cached has changed: the user or the session with this id, the users in the group
 * with this id, the settings, the roles, or the rules of a collection. Or something that processes wait for has arrived:
 * a push message or a mail to send, changes of documents, or a change of webhooks.
 */
export interface Signal {
  readonly topic:
    | 'user'
    | 'session'
    | 'group'
    | 'settings'
    | 'roles'
    | 'collections'
    | 'push'
    | 'mail'
    | 'changes'
    | 'webhooks'
    | 'writer';
  readonly key: string;
}

export interface Announcer {
  /**
   * Sends the signal to every process once the surrounding transaction has committed; never if it rolls back. When the
   * transaction (or this call, outside of one) resolves, the listeners of every process have been called, or that
   * process trusts no cache until they have been: a client that has the answer finds no stale cache anywhere. A process
   * that does not respond delays this by a few seconds at most. Nobody waits for `push`, `mail`, `changes` and `webhooks`,
   * because nothing is cached of them.
   */
  announce(signal: Signal): Promise<void>;
}

/** Hears the signals of some topics. */
export interface SignalListener {
  readonly topics: readonly Signal['topic'][];
  /** @param signal null when signals may have been missed */
  hear(signal: Signal | null): void;
}

export interface SignalFeed {
  /** Whether every signal, from whichever process, reaches this process now. While it is false no cache may be trusted. */
  readonly live: boolean;
  /**
   * Calls `listener` for each signal, or for each of its topics, and with `null` when signals may have been missed.
   * Returns a function that ends the subscription.
   */
  subscribe(listener: SignalListener | SignalListener['hear']): () => void;
}

/** Carries signals to the other processes of a machine, for a storage that cannot send signals itself. */
export interface SignalRelay {
  /** Whether signals from every one of the processes arrive. */
  readonly live: boolean;
  /** Sends the signal to the other processes, not to this one. */
  send(signal: Signal): void;
  /**
   * Resolves when each of the other processes has received every signal sent before, or has ended, or trusts no cache
   * until it has received them. Resolves in bounded time; never rejects.
   */
  heard(): Promise<void>;
  /** Calls `listener` with each signal from the others, and with `null` when some may have been lost. To be called once. */
  receive(listener: (signal: Signal | null) => void): void;
}
