import { useSession } from '@baobab/client/react';
import { baobab } from './baobab.ts';
import { useLists } from './data.ts';
import { Groups } from './groups.tsx';
import { useOnline, usePlace } from './hooks.ts';
import { Items } from './items.tsx';
import { Lists } from './lists.tsx';
import { SignIn } from './sign-in.tsx';

export function App() {
  const session = useSession(baobab);
  // Another user begins with nothing of the one before.
  return session === null ? <SignIn /> : <Home key={session.user.id} me={session.user.username} />;
}

function Home({ me }: { me: string }) {
  const place = usePlace();
  const { rows, error } = useLists();
  const list = rows?.find(({ id }) => id === place);
  const isInside = place === 'groups' || list !== undefined;
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
        <span>{me}</span>
        <button type="button" onClick={() => baobab.auth.logout()}>
          Log out
        </button>
      </header>
      <main className={isInside ? 'inside' : ''}>
        <Lists lists={rows} error={error?.message} place={place} />
        {place === 'groups' && <Groups me={me} />}
        {list !== undefined && <Items key={list.id} list={list} me={me} />}
      </main>
    </>
  );
}

/** Says when there is no network. */
function Connection() {
  return <span role="status">{useOnline() ? '' : 'Offline'}</span>;
}
