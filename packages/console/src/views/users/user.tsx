import type { PresenceOptions, Profile } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';
import { GroupsAndDevices, Removed } from './belongings.tsx';
import { Credentials } from './credentials.tsx';
import { ProfileEditor } from './profile-editor.tsx';
import { Relations } from './relations.tsx';
import { RoleSelect } from './role-select.tsx';
import { Sessions } from './sessions.tsx';

const TEXTS = texts.users;

export function User({ username }: { readonly username: string }): ReactNode {
  const { client } = useService();
  const load = useCallback((signal: AbortSignal) => client.admin.users.get(username, { signal }), [client, username]);
  const loaded = useLoad(load);
  const belongings = useLoad(
    useCallback((signal: AbortSignal) => client.admin.users.belongings(username, { signal }), [client, username]),
  );
  const [isDeleting, setDeleting] = useState(false);
  return (
    <View
      title={username}
      parents={[[hrefOf(['users']), TEXTS.title]]}
      actions={
        <button
          type="button"
          className="danger"
          onClick={() => {
            belongings.reload();
            setDeleting(true);
          }}
        >
          {TEXTS.delete}
        </button>
      }
    >
      <Loading loaded={loaded}>
        {(profile) => (
          <>
            <Account key={profile.user.roles[0]?.name} profile={profile} onChanged={loaded.reload} />
            <ProfileEditor profile={profile} />
            <Credentials username={username} />
            <Sessions username={username} />
            <Relations username={username} />
            <GroupsAndDevices username={username} loaded={belongings} />
          </>
        )}
      </Loading>
      {isDeleting && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout(username)}
          typed={username}
          act={(presence) => client.admin.users.remove(username, presence)}
          onDone={() => go(['users'])}
          onClose={() => setDeleting(false)}
        >
          <Removed loaded={belongings} />
        </Confirm>
      )}
    </View>
  );
}

function Account({ profile, onChanged }: { readonly profile: Profile; readonly onChanged: () => void }): ReactNode {
  const { users } = useService().client.admin;
  const { name, status, roles } = profile.user;
  const [role, setRole] = useState(roles[0]?.name ?? '');
  const { isBusy, error, field, run } = useFreshAction();
  const act = async (work: (presence: PresenceOptions) => Promise<unknown>) => {
    if (await run(work)) onChanged();
  };
  const isActive = status === 'ACTIVE';
  return (
    <section className="card" aria-label={TEXTS.account}>
      <h2>{TEXTS.account}</h2>
      <dl>
        <dt>{TEXTS.status}</dt>
        <dd>{isActive ? TEXTS.active : TEXTS.suspended}</dd>
        <dt>{TEXTS.signedUp}</dt>
        <dd>{dateText(profile.signUpDate)}</dd>
      </dl>
      <div className="row">
        <button
          type="button"
          disabled={isBusy}
          onClick={() => act((presence) => (isActive ? users.suspend(name, presence) : users.activate(name, presence)))}
        >
          {isActive ? TEXTS.suspend : TEXTS.activate}
        </button>
      </div>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          return act((presence) => users.update(name, { role }, presence));
        }}
      >
        <RoleSelect value={role} onChange={setRole} />
        <button type="submit" disabled={isBusy || role === roles[0]?.name}>
          {TEXTS.saveRole}
        </button>
      </form>
      {field}
      <Failure error={error} />
    </section>
  );
}
