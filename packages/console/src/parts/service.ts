import type { Session } from '@baobab/client';
import type { AdminClient } from '@baobab/client/admin';
import { createContext, useContext } from 'react';
import type { RequestLog } from '../requests.ts';

export interface Service {
  readonly client: AdminClient;
  readonly session: Session;
  /** Address of the server. */
  readonly url: string;
  readonly appCode: string;
  /** Requests sent by the views. */
  readonly requests: RequestLog;
}

export const ServiceContext = createContext<Service | null>(null);

/** Returns the connection of the signed-in user. @throws outside a session */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (service === null) throw new Error('There is no session');
  return service;
}
