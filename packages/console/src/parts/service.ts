import type { Session } from '@baobab/client';
import type { AdminClient } from '@baobab/client/admin';
import { createContext, useContext } from 'react';
import type { RequestLog } from '../requests.ts';

export interface Service {
  readonly client: AdminClient;
  readonly session: Session;
  /** The address of the service. */
  readonly url: string;
  readonly appCode: string;
  /** What the views have requested. */
  readonly requests: RequestLog;
}

export const ServiceContext = createContext<Service | null>(null);

/** The service, for components that are drawn only when somebody is signed in. */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (service === null) throw new Error('There is no session');
  return service;
}
