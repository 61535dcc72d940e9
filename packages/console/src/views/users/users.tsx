import type { Profile } from '@baobab/client';
import { Plus, Search as SearchIcon, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { ColumnsMenu } from '../../parts/columns-menu.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useSlash } from '../../parts/search.tsx';
import { useService } from '../../parts/service.ts';
import { useTableLayout } from '../../parts/table-layout.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Age, ShortId, Value } from '../../parts/values.tsx';
import { Loading, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { beginsWith } from '../../values/patterns.ts';
import { memberOf, membersOf } from '../../values/profiles.ts';
import { NewUser } from './new-user.tsx';
import { User, userPartOf } from './user.tsx';

const TEXTS = texts.users;
const DETAILS = texts.userDetails;
const TABLE = 'users';

/** The list of users, or one of them. */
export function Users({ place }: ViewOfPlaceProps): ReactNode {
  const [, username, part] = place.path;
  if (username !== undefined) return <User key={username} username={username} part={userPartOf(part)} />;
  const { find = '', where = '' } = place.query;
  return <UserList find={find} where={where} isCreating={place.query.new === 'on'} />;
}

interface Filter {
  /** Prefix of user names. */
  readonly find: string;
  /** A filter in the query language. */
  readonly where: string;
}

interface UserListProps extends Filter {
  /** True if the dialog for a new user is open. */
  readonly isCreating: boolean;
}

const BEFORE: readonly Column<Profile>[] = [
  {
    id: 'name',
    title: TEXTS.username,
    cell: ({ user: { name } }) => <a href={hrefOf(['users', name])}>{name}</a>,
  },
  { id: 'roles', title: TEXTS.roles, cell: ({ user }) => user.roles.map(({ name }) => name).join(', ') },
  {
    id: 'status',
    title: TEXTS.status,
    width: 110,
    cell: ({ user: { status } }) => (
      <Badge tone={status === 'ACTIVE' ? 'ok' : 'warning'}>
        {status === 'ACTIVE' ? TEXTS.active : TEXTS.suspended}
      </Badge>
    ),
  },
];

const AFTER: readonly Column<Profile>[] = [
  { id: 'created', title: TEXTS.created, width: 140, cell: ({ signUpDate }) => <Age date={signUpDate} /> },
  { id: 'id', title: texts.documents.id, width: 130, cell: ({ id }) => <ShortId id={id} /> },
];

function UserList({ find, where, isCreating }: UserListProps): ReactNode {
  const { client } = useService();
  const pages = usePages(['users', find, where], () => {
    const all = client.admin.users.query();
    const named = find === '' ? all : all.whereField('user.name', 'like', beginsWith(find));
    return (where === '' ? named : named.whereUnchecked(where)).orderBy('user.name');
  });
  const { loaded } = pages;
  const [layout, change] = useTableLayout(TABLE);
  const chosen = layout.columns ?? [];
  const members = [...new Set([...chosen, ...membersOf(loaded.data?.rows ?? [])])].sort();
  const columns = [
    ...BEFORE,
    ...chosen.map(
      (name): Column<Profile> => ({
        id: name,
        title: name,
        cell: (profile) => <Value name={name} value={memberOf(profile, name)} />,
      }),
    ),
    ...AFTER,
  ];
  const isRefused = where !== '' && loaded.error !== null;
  return (
    <View
      title={TEXTS.title}
      isFull={true}
      actions={
        <Button kind="primary" icon={Plus} onClick={() => go(['users'], { find, where, new: 'on' })}>
          {TEXTS.create}
        </Button>
      }
    >
      <div className="toolbar">
        <FilterForm find={find} where={where} problem={isRefused ? messageOf(loaded.error) : null} />
        {members.length > 0 && (
          <ColumnsMenu all={members} chosen={chosen} onChange={(names) => change({ columns: names })} />
        )}
      </div>
      {!isRefused && (
        <>
          <Loading loaded={loaded}>
            {({ rows }) =>
              rows.length === 0 ? (
                <EmptyList
                  texts={TEXTS}
                  onClear={find === '' && where === '' ? null : () => go(['users'])}
                  onCreate={() => go(['users'], { new: 'on' })}
                />
              ) : (
                <DataTable label={TEXTS.title} name={TABLE} columns={columns} rows={rows} keyOf={({ id }) => id} />
              )
            }
          </Loading>
          <Pager pages={pages} />
        </>
      )}
      {isCreating && <NewUser onClose={() => go(['users'], { find, where })} />}
    </View>
  );
}

interface FilterFormProps extends Filter {
  /** Problem of the filter. */
  readonly problem: string | null;
}

function FilterForm({ find, where, problem }: FilterFormProps): ReactNode {
  const [text, setText] = useState(find);
  useEffect(() => setText(find), [find]);
  const [condition, setCondition] = useState(where);
  useEffect(() => setCondition(where), [where]);
  const input = useRef<HTMLInputElement>(null);
  useSlash(() => input.current?.focus());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        go(['users'], { find: text, where: condition.trim() });
      }}
    >
      <Field
        ref={input}
        label={TEXTS.search}
        placeholder={TEXTS.search}
        type="search"
        value={text}
        onChange={setText}
        isBare={true}
      />
      <Field
        label={DETAILS.where}
        placeholder={DETAILS.whereAbout}
        value={condition}
        onChange={setCondition}
        problem={problem}
        isBare={true}
      />
      <Button type="submit" icon={SearchIcon}>
        {texts.search}
      </Button>
      {(find !== '' || where !== '') && (
        <IconButton icon={X} label={texts.documents.clear} onClick={() => go(['users'])} />
      )}
    </form>
  );
}
