import { useOffline, useSession } from '@baobab/client/react';
import { Account } from './account.tsx';
import { baobab, offline } from './baobab.ts';
import { useList, useLists } from './data.ts';
import { Groups } from './groups.tsx';
import { useOnline, usePlace } from './hooks.ts';
import { Items } from './items.tsx';
import { Lists } from './lists.tsx';
import { Refused } from './refused.tsx';
import { SignIn } from './sign-in.tsx';

export function App() {
  const session = useSession(baobab);
  // The key resets all state when another user logs in.
  return session === null ? <SignIn /> : <Home key={session.user.id} me={session.user.username} />;
}

function Home({ me }: { me: string }) {
  const place = usePlace();
  const lists = useLists();
  const list = useList(place);
  const isInside = place === 'groups' || place === 'account' || list !== undefined;
  return (
    <>
      <header>
        <h1>
          <a href="#lists">Shopping lists</a>
        </h1>
        <nav>
          <a href="#groups">Groups</a>
        </nav>
        <Connection />
        <a href="#account">{me}</a>
        {/* Offline, the session ends on this device only. */}
        <button type="button" onClick={() => baobab.auth.logout().catch(() => undefined)}>
          Log out
        </button>
      </header>
      <Refused />
      <main className={isInside ? 'inside' : ''}>
        <Lists lists={lists} open={list?.id} />
        {place === 'groups' && <Groups me={me} />}
        {place === 'account' && <Account me={me} />}
        {list !== undefined && <Items key={place} list={list} me={me} />}
      </main>
    </>
  );
}

/** Displays the connection status and the number of unsent changes. */
function Connection() {
  const isOnline = useOnline();
  const { status, waiting } = useOffline(offline);
  const words = [isOnline && status !== 'offline' ? '' : 'Offline', waiting === 0 ? '' : `${waiting} not sent yet`];
  return <span role="status">{words.filter(Boolean).join(', ')}</span>;
}
