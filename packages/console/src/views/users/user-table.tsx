import type { Profile } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { Columns } from '../../parts/columns.tsx';
import { Table } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { cellText, dateText } from '../../values/format.ts';
import { memberOf, membersOf } from '../../values/profiles.ts';

const TEXTS = texts.users;

/** Users, with the chosen members of their profiles. */
export function UserTable({ users }: { readonly users: readonly Profile[] }): ReactNode {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const all = [...new Set([...chosen, ...membersOf(users)])].sort();
  return (
    <>
      {all.length > 0 && <Columns title={texts.userDetails.columns} all={all} chosen={chosen} onChange={setChosen} />}
      <Table label={TEXTS.title}>
        <thead>
          <tr>
            <th scope="col">{TEXTS.username}</th>
            <th scope="col">{TEXTS.roles}</th>
            <th scope="col">{TEXTS.status}</th>
            {chosen.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">{TEXTS.signedUp}</th>
          </tr>
        </thead>
        <tbody>
          {users.map((profile) => (
            <tr key={profile.id}>
              <th scope="row">
                <a href={hrefOf(['users', profile.user.name])}>{profile.user.name}</a>
              </th>
              <td>{profile.user.roles.map(({ name }) => name).join(', ')}</td>
              <td>{profile.user.status === 'ACTIVE' ? TEXTS.active : TEXTS.suspended}</td>
              {chosen.map((name) => (
                <td key={name}>{cellText(memberOf(profile, name))}</td>
              ))}
              <td>{dateText(profile.signUpDate)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
