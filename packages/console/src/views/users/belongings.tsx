import type { Belongings } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Table } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { type Loaded, useAction } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';

const TEXTS = texts.userDetails;
/** The server stops counting at this number. */
const MOST = 1000;

interface BelongingsProps {
  readonly username: string;
  readonly loaded: Loaded<Belongings>;
}

/** Groups and devices of a user. */
export function GroupsAndDevices({ username, loaded }: BelongingsProps): ReactNode {
  return (
    <>
      <section className="card" aria-label={TEXTS.groups}>
        <h2>{TEXTS.groups}</h2>
        <Loading loaded={loaded}>
          {({ groups }) =>
            groups.length === 0 ? (
              <p>{TEXTS.noGroups}</p>
            ) : (
              <Groups username={username} groups={groups} onChanged={loaded.reload} />
            )
          }
        </Loading>
      </section>
      <section className="card" aria-label={TEXTS.devices}>
        <h2>{TEXTS.devices}</h2>
        <Loading loaded={loaded}>{({ devices }) => <Devices devices={devices} />}</Loading>
      </section>
    </>
  );
}

interface GroupsProps extends Pick<Belongings, 'groups'> {
  readonly username: string;
  readonly onChanged: () => void;
}

function Groups({ username, groups, onChanged }: GroupsProps): ReactNode {
  const { client } = useService();
  const { isBusy, error, run } = useAction();
  return (
    <>
      <Table label={TEXTS.groups}>
        <thead>
          <tr>
            <th scope="col">{TEXTS.group}</th>
            <th scope="col">{TEXTS.roleIn}</th>
            <th scope="col">{texts.actions}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ id, name, role }) => (
            <tr key={id}>
              <th scope="row">
                <a href={hrefOf(['groups', id])}>{name}</a>
              </th>
              <td>{TEXTS.groupRoles[role]}</td>
              <td>
                {role !== 'owner' && (
                  <button
                    type="button"
                    disabled={isBusy}
                    aria-label={TEXTS.leaveOf(name)}
                    onClick={async () => {
                      if (await run(() => client.groups.removeMember(id, username))) onChanged();
                    }}
                  >
                    {TEXTS.leave}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <Failure error={error} />
    </>
  );
}

function Devices({ devices }: Pick<Belongings, 'devices'>): ReactNode {
  if (devices.length === 0) return <p>{TEXTS.noDevices}</p>;
  return (
    <Table label={TEXTS.devices}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.device}</th>
          <th scope="col">{TEXTS.platform}</th>
          <th scope="col">{TEXTS.registered}</th>
        </tr>
      </thead>
      <tbody>
        {devices.map(({ id, os, registered }) => (
          <tr key={id}>
            <th scope="row" className="id">
              {id}
            </th>
            <td>{os}</td>
            <td>{dateText(registered)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Data deleted together with a user. */
export function Removed({ loaded }: Pick<BelongingsProps, 'loaded'>): ReactNode {
  return (
    <Loading loaded={loaded}>
      {({ groups, devices, ...counts }) => {
        const all = { ...counts, devices: devices.length, groups: groups.length };
        const owned = groups.filter(({ role }) => role === 'owner').map(({ name }) => name);
        return (
          <>
            <p>{TEXTS.goes}</p>
            <dl className="removed">
              {(Object.keys(TEXTS.counts) as (keyof typeof TEXTS.counts)[]).map((what) => (
                <div key={what} className="pair">
                  <dt>{TEXTS.counts[what]}</dt>
                  <dd>{TEXTS.count(all[what], MOST)}</dd>
                </div>
              ))}
            </dl>
            {owned.length > 0 && <p>{TEXTS.owned(owned.join(', '))}</p>}
          </>
        );
      }}
    </Loading>
  );
}
