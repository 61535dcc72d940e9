import type { Group } from '@baobab/client';
import { useCallback } from 'react';
import { baobab } from './baobab.ts';
import { groupsOfMine, membersOf } from './data.ts';
import { Failure } from './failure.tsx';
import { useAction, useForm, useLoaded } from './hooks.ts';

/** The groups that the user is in. Any user can create one. */
export function Groups({ me }: { me: string }) {
  const { value: groups, error, reload } = useLoaded(groupsOfMine);
  const form = useForm(async (data) => {
    await baobab.groups.create(`${data.get('name')}`);
    await reload();
  });
  return (
    <section>
      <h2>Groups</h2>
      <Failure message={error} />
      {groups?.map((group) => (
        <Members key={group.id} group={group} me={me} onLeave={reload} />
      ))}
      <form className="row" onSubmit={form.submit}>
        <input name="name" aria-label="New group" placeholder="New group" required />
        <button type="submit" disabled={form.isBusy}>
          Create group
        </button>
      </form>
      <Failure message={form.error} />
    </section>
  );
}

interface MembersProps {
  readonly group: Group;
  readonly me: string;
  readonly onLeave: () => Promise<void>;
}

/** A group and its members. Its owner adds and removes them; the others can leave. */
function Members({ group: { id, name, role }, me, onLeave }: MembersProps) {
  const load = useCallback(() => membersOf(id), [id]);
  const { value: members, error, reload } = useLoaded(load);
  const { run, error: refused } = useAction();
  const form = useForm(async (data) => {
    await baobab.groups.setMember(id, `${data.get('member')}`);
    await reload();
  });

  async function remove(member: string): Promise<void> {
    await baobab.groups.removeMember(id, member);
    await (member === me ? onLeave() : reload());
  }

  return (
    <article>
      <h3>{name}</h3>
      <ul>
        {members?.map((member) => (
          <li key={member.name}>
            <span>
              {member.name} <small>{member.role}</small>
            </span>
            {member.role !== 'owner' && (role !== 'member' || member.name === me) && (
              <button type="button" onClick={() => run(() => remove(member.name))}>
                {member.name === me ? `Leave ${name}` : `Remove ${member.name}`}
              </button>
            )}
          </li>
        ))}
      </ul>
      {role !== 'member' && (
        <form className="row" onSubmit={form.submit}>
          <input name="member" aria-label={`New member of ${name}`} placeholder="User name" required />
          <button type="submit" disabled={form.isBusy}>
            Add to {name}
          </button>
        </form>
      )}
      <Failure message={form.error ?? refused ?? error} />
    </article>
  );
}
