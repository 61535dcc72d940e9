import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, Pager, View } from '../../parts/view.tsx';
import { go, goInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { beginsWith } from '../../values/patterns.ts';
import { NewUser } from './new-user.tsx';
import { User } from './user.tsx';
import { UserTable } from './user-table.tsx';

const TEXTS = texts.users;
const DETAILS = texts.userDetails;

/** The list of users, or one of them. */
export function Users({ place }: ViewOfPlaceProps): ReactNode {
  const [, username] = place.path;
  if (username !== undefined) return <User key={username} username={username} />;
  const { find = '', where = '' } = place.query;
  return <UserList find={find} where={where} isCreating={place.query.new === 'on'} />;
}

interface UserListProps {
  /** Prefix of user names. */
  readonly find: string;
  /** A filter in the query language. */
  readonly where: string;
  /** True if the dialog for a new user is open. */
  readonly isCreating: boolean;
}

function UserList({ find, where, isCreating }: UserListProps): ReactNode {
  const { client } = useService();
  const [text, setText] = useState(find);
  useEffect(() => setText(find), [find]);
  const [condition, setCondition] = useState(where);
  useEffect(() => setCondition(where), [where]);
  const query = useCallback(() => {
    const all = client.admin.users.query();
    const named = find === '' ? all : all.whereField('user.name', 'like', beginsWith(find));
    return (where === '' ? named : named.whereUnchecked(where)).orderBy('user.name');
  }, [client, find, where]);
  const { loaded, page, toNext, toFirst } = usePages(query);
  const isRefused = where !== '' && loaded.error !== null;
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => go(['users'], { find, where, new: 'on' })}>
          {TEXTS.create}
        </button>
      }
    >
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          go(['users'], { find: text, where: condition.trim() });
        }}
      >
        <Field label={TEXTS.search} type="search" value={text} onChange={setText} />
        <Field
          label={DETAILS.where}
          value={condition}
          onChange={setCondition}
          about={DETAILS.whereAbout}
          problem={isRefused ? messageOf(loaded.error) : null}
        />
        <button type="submit">{TEXTS.find}</button>
        {(find !== '' || where !== '') && (
          <button type="button" onClick={() => go(['users'])}>
            {DETAILS.clear}
          </button>
        )}
      </form>
      {!isRefused && (
        <Loading loaded={loaded}>
          {({ rows, next }) => (
            <>
              {rows.length === 0 ? <p>{where === '' ? TEXTS.none : DETAILS.noMatch}</p> : <UserTable users={rows} />}
              <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
            </>
          )}
        </Loading>
      )}
      {isCreating && (
        <NewUser
          onClose={() => goInstead(['users'], { find, where })}
          onCreated={(username) => goInstead(['users', username])}
        />
      )}
    </View>
  );
}
