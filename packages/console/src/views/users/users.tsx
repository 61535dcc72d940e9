import type { Profile } from '@baobab/client';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, Pager, Table, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { dateText } from '../../values/format.ts';
import { beginsWith } from '../../values/pattern.ts';
import { NewUser } from './new-user.tsx';
import { User } from './user.tsx';

const TEXTS = texts.users;

/** The users, or one of them. */
export function Users({ place }: ViewOfPlaceProps): ReactNode {
  const [, username] = place.path;
  if (username !== undefined) return <User key={username} username={username} />;
  const { find = '' } = place.query;
  return <UserList find={find} />;
}

function UserList({ find }: { readonly find: string }): ReactNode {
  const { client } = useService();
  const [text, setText] = useState(find);
  useEffect(() => setText(find), [find]);
  const [isCreating, setCreating] = useState(false);
  const query = useCallback(() => {
    const all = client.admin.users.query();
    return (find === '' ? all : all.whereField('user.name', 'like', beginsWith(find))).orderBy('user.name');
  }, [client, find]);
  const { loaded, page, toNext, toFirst } = usePages(query);
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => setCreating(true)}>
          {TEXTS.create}
        </button>
      }
    >
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          go(['users'], { find: text });
        }}
      >
        <Field label={TEXTS.search} type="search" value={text} onChange={setText} />
        <button type="submit">{TEXTS.find}</button>
      </form>
      <Loading loaded={loaded}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 ? <p>{TEXTS.none}</p> : <UserTable users={rows} />}
            <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
          </>
        )}
      </Loading>
      {isCreating && <NewUser onClose={() => setCreating(false)} onCreated={(username) => go(['users', username])} />}
    </View>
  );
}

function UserTable({ users }: { readonly users: readonly Profile[] }): ReactNode {
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.username}</th>
          <th scope="col">{TEXTS.roles}</th>
          <th scope="col">{TEXTS.status}</th>
          <th scope="col">{TEXTS.signedUp}</th>
        </tr>
      </thead>
      <tbody>
        {users.map(({ id, user, signUpDate }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hrefOf(['users', user.name])}>{user.name}</a>
            </th>
            <td>{user.roles.map(({ name }) => name).join(', ')}</td>
            <td>{user.status === 'ACTIVE' ? TEXTS.active : TEXTS.suspended}</td>
            <td>{dateText(signUpDate)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
