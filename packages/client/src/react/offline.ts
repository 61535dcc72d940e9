import { useSyncExternalStore } from 'react';
import type { Offline, OfflineState } from '../offline/types.ts';

/** Returns the sync status, the number of waiting writes, and the failed ones. */
export function useOffline(offline: Pick<Offline<never>, 'onChange' | 'state'>): OfflineState {
  const snapshot = () => offline.state;
  return useSyncExternalStore(offline.onChange, snapshot, snapshot);
}
