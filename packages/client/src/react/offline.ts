import { useSyncExternalStore } from 'react';
import type { Offline, OfflineState } from '../offline/types.ts';

/** Whether data is exchanged, how many writes wait, and which have failed. */
export function useOffline(offline: Pick<Offline<never>, 'onChange' | 'state'>): OfflineState {
  const snapshot = () => offline.state;
  return useSyncExternalStore(offline.onChange, snapshot, snapshot);
}
