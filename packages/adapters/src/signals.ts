import type { Signal, SignalFeed, SignalListener } from '@baobab/core';

/** Signals that only report available work, or pass on messages. */
const WAKING: readonly Signal['topic'][] = ['push', 'mail', 'changes', 'webhooks', 'rooms'];

/**
 * True if a change is acknowledged only after every process has received this signal, because it invalidates caches.
 */
export const isAwaited = ({ topic }: Signal): boolean => !WAKING.includes(topic);

/** An addition to the change feed. Such signals may be sent without calling an announcer. */
export const CHANGES: Signal = { topic: 'changes', key: '' };

/** Minimum interval at which other processes are notified of changes, in milliseconds. */
export const CHANGES_INTERVAL = 25;

/** Delivers signals to the listeners of this process. */
export interface LocalSignals {
  readonly feed: SignalFeed;
  deliver(signal: Signal | null): void;
}

/** @param source tracks the connection to the signals of other processes; absent without other processes */
export function createLocalSignals(source: { readonly live: boolean } = { live: true }): LocalSignals {
  const listeners = new Set<SignalListener | SignalListener['hear']>();
  return {
    feed: {
      get live() {
        return source.live;
      },
      subscribe(listener) {
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      },
    },
    deliver(signal) {
      for (const listener of listeners) {
        if (typeof listener === 'function') listener(signal);
        else if (signal === null || listener.topics.includes(signal.topic)) listener.hear(signal);
      }
    },
  };
}
