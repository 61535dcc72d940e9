import type { PresenceOptions, Profile } from '@baobab/client';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { Age, ShortId } from '../../parts/values.tsx';
import { Loading, PageTabs, Section, View } from '../../parts/view.tsx';
import { useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { AccountAccess } from './account-access.tsx';
import { Data, Devices, Groups, Removed } from './belongings.tsx';
import { Credentials } from './credentials.tsx';
import { ProfileEditor } from './profile-editor.tsx';
import { Relations } from './relations.tsx';
import { RoleSelect } from './role-select.tsx';
import { Sessions } from './sessions.tsx';

const TEXTS = texts.users;
const PARTS = ['profile', 'security', 'sessions', 'groups', 'data'] as const;
type Part = (typeof PARTS)[number];

export const userPartOf = (segment: string | undefined): Part => PARTS.find((part) => part === segment) ?? 'profile';

interface UserProps {
  readonly username: string;
  readonly part: Part;
}

export function User({ username, part }: UserProps): ReactNode {
  const { client } = useService();
  const loaded = useLoad(['users', 'one', username], (signal) => client.admin.users.get(username, { signal }));
  const belongings = useLoad(['belongings', username], (signal) => client.admin.users.belongings(username, { signal }));
  const [isDeleting, setDeleting] = useState(false);
  const goInstead = useGoInstead();
  const tabs = PARTS.map((one) => ({
    href: hrefOf(one === 'profile' ? ['users', username] : ['users', username, one]),
    text: TEXTS.parts[one],
    isCurrent: one === part,
  }));
  return (
    <View
      title={username}
      parents={[[hrefOf(['users']), TEXTS.title]]}
      tabs={<PageTabs label={username} tabs={tabs} />}
      menu={
        loaded.data === null
          ? []
          : [
              {
                text: TEXTS.delete,
                icon: Trash2,
                isDanger: true,
                act: () => {
                  belongings.reload();
                  setDeleting(true);
                },
              },
            ]
      }
    >
      <Loading loaded={loaded}>
        {(profile) => (
          <div className="stack loose">
            {part === 'profile' && (
              <>
                <Facts profile={profile} />
                <ProfileEditor profile={profile} />
              </>
            )}
            {part === 'security' && (
              <>
                <Account key={profile.user.roles[0]?.name} profile={profile} onChanged={loaded.reload} />
                <Credentials username={username} />
                <AccountAccess username={username} />
              </>
            )}
            {part === 'sessions' && (
              <>
                <Sessions username={username} />
                <Devices loaded={belongings} />
              </>
            )}
            {part === 'groups' && (
              <>
                <Groups username={username} loaded={belongings} />
                <Relations username={username} />
              </>
            )}
            {part === 'data' && <Data username={username} loaded={belongings} />}
          </div>
        )}
      </Loading>
      {isDeleting && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout(username)}
          typed={username}
          act={(presence) => client.admin.users.remove(username, presence)}
          onDone={() => {
            toast(TEXTS.deleted(username));
            goInstead(['users']);
          }}
          onClose={() => setDeleting(false)}
        >
          <Removed loaded={belongings} />
        </Confirm>
      )}
    </View>
  );
}

const Status = ({ isActive }: { readonly isActive: boolean }): ReactNode => (
  <Badge tone={isActive ? 'ok' : 'warning'}>{isActive ? TEXTS.active : TEXTS.suspended}</Badge>
);

function Facts({ profile: { id, user, signUpDate } }: { readonly profile: Profile }): ReactNode {
  return (
    <dl className="facts">
      <dt>{TEXTS.status}</dt>
      <dd>
        <Status isActive={user.status === 'ACTIVE'} />
      </dd>
      <dt>{TEXTS.role}</dt>
      <dd>{user.roles.map(({ name }) => name).join(', ')}</dd>
      <dt>{TEXTS.created}</dt>
      <dd>
        <Age date={signUpDate} />
      </dd>
      <dt>{texts.documents.id}</dt>
      <dd>
        <ShortId id={id} />
      </dd>
    </dl>
  );
}

/** Role and status. */
function Account({ profile, onChanged }: { readonly profile: Profile; readonly onChanged: () => void }): ReactNode {
  const { users } = useService().client.admin;
  const { name, status, roles } = profile.user;
  const [role, setRole] = useState(roles[0]?.name ?? '');
  const { isBusy, error, field, run } = useFreshAction();
  const act = async (work: (presence: PresenceOptions) => Promise<unknown>, done: string) => {
    if (!(await run(work))) return;
    toast(done);
    onChanged();
  };
  const isActive = status === 'ACTIVE';
  return (
    <Section title={TEXTS.account}>
      <div className="row">
        <Status isActive={isActive} />
        <Button
          disabled={isBusy}
          onClick={() =>
            act(
              (presence) => (isActive ? users.suspend(name, presence) : users.activate(name, presence)),
              isActive ? TEXTS.suspended : TEXTS.active,
            )
          }
        >
          {isActive ? TEXTS.suspend : TEXTS.activate}
        </Button>
      </div>
      <form
        className="row bottom"
        onSubmit={(event) => {
          event.preventDefault();
          return act((presence) => users.update(name, { role }, presence), texts.saved);
        }}
      >
        <RoleSelect value={role} onChange={setRole} />
        <Button type="submit" disabled={isBusy || role === roles[0]?.name}>
          {TEXTS.saveRole}
        </Button>
      </form>
      {field}
      <Failure error={error} />
    </Section>
  );
}
