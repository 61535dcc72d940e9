import { CSPProvider } from '@base-ui/react/csp-provider';
import { type ReactNode, useMemo, useSyncExternalStore } from 'react';
import type { Connection } from './connection.ts';
import { Frame } from './frame.tsx';
import { Cover } from './parts/dialog.tsx';
import { ServiceContext } from './parts/service.ts';
import { Toasts } from './parts/toasts.tsx';
import { SignIn } from './sign-in.tsx';

/** The sign-in page, or the console. After a session has expired, the console waits behind the sign-in page. */
export function App({ connection }: { readonly connection: Connection }): ReactNode {
  const { client, session, appCode, hasEnded } = useSyncExternalStore(connection.subscribe, connection.state);
  const { url, requests, reachability } = connection;
  const service = useMemo(
    () => (session === null ? null : { client, session, url, appCode, requests, reachability }),
    [client, session, url, appCode, requests, reachability],
  );
  return (
    <CSPProvider disableStyleElements={true}>
      {service === null && <SignIn connection={connection} appCode={appCode} user={null} />}
      {service !== null && hasEnded && (
        <Cover>
          <SignIn connection={connection} appCode={appCode} user={service.session.user.username} />
        </Cover>
      )}
      {service !== null && (
        <div hidden={hasEnded}>
          <ServiceContext value={service}>
            <Frame key={service.session.user.id} onSignOut={connection.signOut} />
          </ServiceContext>
        </div>
      )}
      <Toasts />
    </CSPProvider>
  );
}
