import type { Session } from '@baobab/client';
import type { AdminClient } from '@baobab/client/admin';
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Reachability } from '../reachability.ts';
import type { RequestLog } from '../requests.ts';

export interface Service {
  readonly client: AdminClient;
  readonly session: Session;
  /** Address of the server. */
  readonly url: string;
  readonly appCode: string;
  /** Requests sent by the views. */
  readonly requests: RequestLog;
  readonly reachability: Reachability;
}

export const ServiceContext = createContext<Service | null>(null);

/** Returns the connection of the signed-in user. @throws outside a session */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (service === null) throw new Error('There is no session');
  return service;
}

/** Returns false while the server does not answer. */
export function useIsReachable(): boolean {
  const { reachability } = useService();
  return useSyncExternalStore(reachability.subscribe, reachability.isReachable);
}
