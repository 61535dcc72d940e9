import type { PushServices } from '../ports/push.ts';
import type { Platform } from '../ports/storage/devices.ts';
import { createLane, type Lane, type LaneDeps } from './lane.ts';

export type PushDeliveryDeps = Omit<LaneDeps, 'service'> & { readonly pushServices: PushServices };

export interface PushDelivery {
  /** One lane for each registered push service, by platform. */
  readonly lanes: ReadonlyMap<Platform, Lane>;
  /** Calls `listener` with the platform when a delivery may be due. Returns a function that unsubscribes. */
  subscribe(listener: (os: Platform) => void): () => void;
  /** Unsubscribes from signals. */
  dispose(): void;
}

/**
 * Sends the messages in the outbox, on any number of nodes. Each node waits for signals of new messages, and checks at
 * intervals for due retries and for deliveries of crashed nodes.
 */
export function createPushDelivery(deps: PushDeliveryDeps): PushDelivery {
  const { storage, pushServices, clock, logger, timeWatch } = deps;
  const lanes = new Map(
    Object.entries(pushServices).map(([os, service]) => [
      os,
      createLane(os, { storage, service, clock, logger, timeWatch }),
    ]),
  );
  const listeners = new Set<(os: Platform) => void>();
  const dispose = storage.signals.subscribe({
    topics: ['push', 'settings'],
    hear() {
      for (const [os, lane] of lanes) {
        lane.wake();
        for (const listener of listeners) listener(os);
      }
    },
  });
  return {
    lanes,
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    dispose,
  };
}
