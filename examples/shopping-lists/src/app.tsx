import { useOffline } from '@baobab/client/react';
import { Account } from './account.tsx';
import { baobab, offline } from './baobab.ts';
import { useList, useLists } from './data.ts';
import { Groups } from './groups.tsx';
import { useOnline, usePlace, useUser } from './hooks.ts';
import { Items } from './items.tsx';
import { Lists } from './lists.tsx';
import { Refused } from './refused.tsx';
import { SignIn } from './sign-in.tsx';

export function App() {
  const { user, isExpired } = useUser();
  const place = usePlace();
  if (user === undefined) return null;
  if (user === null || (isExpired && place === 'log-in')) return <SignIn />;
  // The key resets all state when another user logs in, and loads photos and groups again after a new login.
  return <Home key={`${user.id} ${isExpired}`} me={user.username} isExpired={isExpired} />;
}

interface HomeProps {
  readonly me: string;
  /** True if the session has expired. Lists can still be read and changed. */
  readonly isExpired: boolean;
}

function Home({ me, isExpired }: HomeProps) {
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
        <Connection isExpired={isExpired} />
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
function Connection({ isExpired }: Pick<HomeProps, 'isExpired'>) {
  const isOnline = useOnline();
  const { status, waiting } = useOffline(offline);
  const unsent = waiting === 0 ? '' : `${waiting} not sent yet`;
  if (isExpired) {
    return (
      <span role="status">
        Your session has expired; <a href="#log-in">log in</a> to sync{unsent && ` (${unsent})`}
      </span>
    );
  }
  const words = [isOnline && status !== 'offline' ? '' : 'Offline', unsent];
  return <span role="status">{words.filter(Boolean).join(', ')}</span>;
}
