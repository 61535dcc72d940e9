import { useLiveQuery, useSession } from '@baobab/client/react';
import { useState } from 'react';
import { addBoard, baobab, boards } from './baobab.ts';
import { BoardView } from './board.tsx';
import { useAction } from './use-action.ts';

export function App() {
  const session = useSession(baobab);
  // The key resets all state when another user logs in.
  return session === null ? <SignIn /> : <Home key={session.user.id} me={session.user.username} />;
}

/** Both buttons start the session that `App` waits for. */
function SignIn() {
  const { submit, error } = useAction();
  const send = (form: FormData) => {
    const credentials = { username: `${form.get('username')}`, password: `${form.get('password')}` };
    return form.get('how') === 'sign-up' ? baobab.auth.signUp(credentials) : baobab.auth.login(credentials);
  };
  return (
    <main>
      <h1>Task board</h1>
      <form onSubmit={submit(send)}>
        <input name="username" aria-label="User name" placeholder="User name" autoComplete="username" required />
        <input name="password" aria-label="Password" placeholder="Password" type="password" required />
        <button type="submit" name="how" value="log-in">
          Log in
        </button>
        <button type="submit" name="how" value="sign-up">
          Sign up
        </button>
      </form>
      <p role="alert">{error}</p>
    </main>
  );
}

function Home({ me }: { readonly me: string }) {
  // Everything that the user may read: their own boards, and those of their groups.
  const { rows = [] } = useLiveQuery(boards.query().orderBy('title'));
  const [open, setOpen] = useState<string>();
  const board = rows.find(({ id }) => id === open);
  const { submit, error } = useAction();
  return (
    <>
      <header>
        <h1>Task board</h1>
        <span>{me}</span>
        <button type="button" onClick={() => baobab.auth.logout()}>
          Log out
        </button>
      </header>
      <nav aria-label="Boards">
        {rows.map(({ id, title }) => (
          <button key={id} type="button" aria-pressed={id === open} onClick={() => setOpen(id)}>
            {title}
          </button>
        ))}
        <form onSubmit={submit(async (form) => setOpen((await addBoard(`${form.get('title')}`)).id))}>
          <input name="title" aria-label="New board" placeholder="New board" required />
          <button type="submit">Create board</button>
        </form>
        <form onSubmit={submit((form) => baobab.groups.join(`${form.get('code')}`))}>
          <input name="code" aria-label="Invitation code" placeholder="Invitation code" required />
          <button type="submit">Join</button>
        </form>
        <p role="alert">{error}</p>
      </nav>
      {board !== undefined && <BoardView key={board.id} board={board} me={me} />}
    </>
  );
}
