import type { Baobab, Session } from '@baobab/client';
import { createContext, useContext } from 'react';

export interface Service {
  readonly client: Baobab;
  readonly session: Session;
}

export const ServiceContext = createContext<Service | null>(null);

/** The service, for components that are drawn only when somebody is signed in. */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (service === null) throw new Error('There is no session');
  return service;
}
