import { useCallback, useSyncExternalStore } from 'react';
import type { Auth } from '../session/auth.ts';
import type { Session } from '../session-source.ts';

const nobody = () => null;

/** Returns the session of the client; null if no user is logged in. */
export function useSession({ auth }: { readonly auth: Pick<Auth, 'session' | 'onChange'> }): Session | null {
  const subscribe = useCallback((listener: () => void) => auth.onChange(listener), [auth]);
  return useSyncExternalStore(subscribe, () => auth.session, nobody);
}
