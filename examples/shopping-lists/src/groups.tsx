import type { Group } from '@baobab/client';
import { useCallback } from 'react';
import { baobab } from './baobab.ts';
import { groupsOfMine, invitationsOfMine, membersOf } from './data.ts';
import { Failure } from './failure.tsx';
import { useAction, useForm, useLoaded } from './hooks.ts';

/** The groups of the user. Any user can create one. */
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
      <Invitations onAnswer={reload} />
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

/** The groups that the user is invited to. */
function Invitations({ onAnswer }: { onAnswer: () => Promise<void> }) {
  const { value: invitations, error, reload } = useLoaded(invitationsOfMine);
  const { run, error: refused } = useAction();

  async function answer(work: Promise<unknown>): Promise<void> {
    await work;
    await Promise.all([reload(), onAnswer()]);
  }

  return (
    <>
      {invitations?.map(({ group: { id, name }, invited_by: by }) => (
        <p key={id} className="row">
          <span>
            {by} invites you to {name}
          </span>
          <button type="button" onClick={() => run(() => answer(baobab.groups.accept(id)))}>
            Join {name}
          </button>
          <button type="button" onClick={() => run(() => answer(baobab.groups.decline(id)))}>
            Decline
          </button>
        </p>
      ))}
      <Failure message={refused ?? error} />
    </>
  );
}

interface MembersProps {
  readonly group: Group;
  readonly me: string;
  readonly onLeave: () => Promise<void>;
}

/** A group and its members. Its owner invites and removes them; other members can leave. */
function Members({ group, me, onLeave }: MembersProps) {
  const { id, name, role } = group;
  const load = useCallback(() => membersOf(group), [group]);
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
            Invite to {name}
          </button>
        </form>
      )}
      <Failure message={form.error ?? refused ?? error} />
    </article>
  );
}
