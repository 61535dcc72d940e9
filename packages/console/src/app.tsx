import { type ReactNode, useMemo, useSyncExternalStore } from 'react';
import type { Connection } from './connection.ts';
import { Frame } from './frame.tsx';
import { Cover } from './parts/dialog.tsx';
import { ServiceContext } from './parts/service.ts';
import { SignIn } from './sign-in.tsx';

/** The sign-in page, or the console. After a session has expired, the console waits behind the sign-in page. */
export function App({ connection }: { readonly connection: Connection }): ReactNode {
  const { client, session, appCode, hasEnded } = useSyncExternalStore(connection.subscribe, connection.state);
  const { url, requests } = connection;
  const service = useMemo(
    () => (session === null ? null : { client, session, url, appCode, requests }),
    [client, session, url, appCode, requests],
  );
  return (
    <>
      {service === null && <SignIn connection={connection} appCode={appCode} hasEnded={false} />}
      {service !== null && hasEnded && (
        <Cover>
          <SignIn connection={connection} appCode={appCode} hasEnded={true} />
        </Cover>
      )}
      {service !== null && (
        <div hidden={hasEnded}>
          <ServiceContext value={service}>
            <Frame key={service.session.user.id} onSignOut={connection.signOut} />
          </ServiceContext>
        </div>
      )}
    </>
  );
}
