import type { PushServices } from '../ports/push.ts';
import type { Platform } from '../ports/storage/devices.ts';
import { createLane, type Lane, type LaneDeps } from './lane.ts';

export type PushDeliveryDeps = Omit<LaneDeps, 'service'> & { readonly services: PushServices };

export interface PushDelivery {
  /** By platform: one for each push service that is registered. */
  readonly lanes: ReadonlyMap<Platform, Lane>;
  /** Calls `listener` when something may be due at once, with the platform. Returns how to stop. */
  subscribe(listener: (os: Platform) => void): () => void;
  /** Stops listening to announcements. */
  dispose(): void;
}

/**
 * Sends what is in the outbox, on any number of nodes at once. Each waits for signals of new messages, and looks by
 * itself when something that failed is due again or was left behind by a node that died.
 */
export function createPushDelivery({ services, ...deps }: PushDeliveryDeps): PushDelivery {
  const lanes = new Map(Object.entries(services).map(([os, service]) => [os, createLane(os, { ...deps, service })]));
  const listeners = new Set<(os: Platform) => void>();
  const dispose = deps.storage.signals.subscribe((signal) => {
    if (signal !== null && signal.topic !== 'push' && signal.topic !== 'settings') return;
    for (const [os, lane] of lanes) {
      lane.wake();
      for (const listener of listeners) listener(os);
    }
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
