import type { GroupMember, GroupRole } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { usePagesOf } from '../../parts/use-pages.ts';
import { Loading, Pager, Table } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';

const TEXTS = texts.groups;
const ROLES: readonly GroupRole[] = ['member', 'manager', 'owner'];
const OPTIONS = ROLES.map((role) => [role, TEXTS.roles[role]] as const);

/** Members of a group, in the order of their sign-up. */
export function Members({ id }: { readonly id: string }): ReactNode {
  const { groups } = useService().client;
  const list = useCallback(
    (cursor: string | null, signal: AbortSignal) => groups.members(id).page(cursor, { signal }),
    [groups, id],
  );
  const { loaded, page, toNext, toFirst } = usePagesOf(list);
  const [username, setUsername] = useState('');
  const [role, setRole] = useState<GroupRole>('member');
  /** The new owner. */
  const [heir, setHeir] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();
  const act = async (work: () => Promise<unknown>) => {
    const succeeded = await run(work);
    if (succeeded) loaded.reload();
    return succeeded;
  };
  async function setMember(name: string, to: GroupRole): Promise<boolean> {
    if (to !== 'owner') return act(() => groups.setMember(id, name, to));
    setHeir(name);
    return false;
  }
  return (
    <section className="card" aria-label={TEXTS.members}>
      <h2>{TEXTS.members}</h2>
      <Loading loaded={loaded}>
        {({ rows, next }) => (
          <>
            <MemberTable
              members={rows}
              isBusy={isBusy}
              onRole={setMember}
              onRemove={(name) => act(() => groups.removeMember(id, name))}
            />
            <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
          </>
        )}
      </Loading>
      <form
        className="row"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await setMember(username.trim(), role)) setUsername('');
        }}
      >
        <Field label={TEXTS.username} value={username} onChange={setUsername} required={true} autoComplete="off" />
        <Select label={TEXTS.role} value={role} onChange={setRole} options={OPTIONS} />
        <button type="submit" disabled={isBusy}>
          {TEXTS.add}
        </button>
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
    </section>
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
    <Table label={TEXTS.members}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.username}</th>
          <th scope="col">{TEXTS.role}</th>
          <th scope="col">{texts.actions}</th>
        </tr>
      </thead>
      <tbody>
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
            <td>
              {role !== 'owner' && (
                <button
                  type="button"
                  disabled={isBusy}
                  aria-label={TEXTS.removeOf(name)}
                  onClick={() => onRemove(name)}
                >
                  {TEXTS.remove}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
