import type { GroupMember, GroupRole } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { Pager } from '../../parts/pager.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { useService } from '../../parts/service.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { usePagesOf } from '../../parts/use-pages.ts';
import { Loading, Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';

const TEXTS = texts.groups;
const ROLES: readonly GroupRole[] = ['member', 'manager', 'owner'];
const OPTIONS = ROLES.map((role) => [role, TEXTS.roles[role]] as const);

/** Members of a group, in the order of their sign-up. */
export function Members({ id }: { readonly id: string }): ReactNode {
  const { groups } = useService().client;
  const pages = usePagesOf(['members', id], (cursor, signal) => groups.members(id).page(cursor, { signal }));
  const { loaded } = pages;
  const [username, setUsername] = useState('');
  const [role, setRole] = useState<GroupRole>('member');
  /** The new owner. */
  const [heir, setHeir] = useState<string | null>(null);
  const { isBusy, error, run } = useAction(loaded.reload);
  async function setMember(name: string, to: GroupRole): Promise<boolean> {
    if (to !== 'owner') return run(() => groups.setMember(id, name, to));
    setHeir(name);
    return false;
  }
  return (
    <Section title={TEXTS.members}>
      <Loading loaded={loaded}>
        {({ rows }) => (
          <>
            <MemberTable
              members={rows}
              isBusy={isBusy}
              onRole={setMember}
              onRemove={(name) => run(() => groups.removeMember(id, name))}
            />
            <Pager pages={pages} />
          </>
        )}
      </Loading>
      <form
        className="row bottom"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await setMember(username.trim(), role)) setUsername('');
        }}
      >
        <Field label={TEXTS.username} value={username} onChange={setUsername} required={true} autoComplete="off" />
        <Select label={TEXTS.role} value={role} onChange={setRole} options={OPTIONS} />
        <Button type="submit" disabled={isBusy}>
          {TEXTS.add}
        </Button>
      </form>
      <Failure error={error} />
      {heir !== null && (
        <Confirm
          title={TEXTS.handOn}
          about={TEXTS.handOnAbout(heir)}
          act={() => groups.setMember(id, heir, 'owner')}
          onDone={() => {
            setHeir(null);
            setUsername('');
            loaded.reload();
          }}
          onClose={() => setHeir(null)}
        />
      )}
    </Section>
  );
}

interface MemberTableProps {
  readonly members: readonly GroupMember[];
  readonly isBusy: boolean;
  readonly onRole: (name: string, role: GroupRole) => unknown;
  readonly onRemove: (name: string) => unknown;
}

function MemberTable({ members, isBusy, onRole, onRemove }: MemberTableProps): ReactNode {
  return (
    <SmallTable label={TEXTS.members} heads={[TEXTS.username, TEXTS.role, null]}>
      {members.map(({ name, role }) => (
        <tr key={name}>
          <th scope="row">
            <a href={hrefOf(['users', name])}>{name}</a>
          </th>
          <td>
            {role === 'owner' ? (
              TEXTS.roles.owner
            ) : (
              <select
                aria-label={TEXTS.roleOf(name)}
                value={role}
                disabled={isBusy}
                onChange={({ target }) => onRole(name, target.value as GroupRole)}
              >
                {OPTIONS.map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </td>
          <td className="tools">
            {role !== 'owner' && (
              <RowAction label={TEXTS.removeOf(name)} isBusy={isBusy} act={() => onRemove(name)}>
                {TEXTS.remove}
              </RowAction>
            )}
          </td>
        </tr>
      ))}
    </SmallTable>
  );
}
