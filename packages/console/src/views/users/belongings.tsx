import type { Belongings } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { Failure } from '../../parts/failure.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { useService } from '../../parts/service.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { Age } from '../../parts/values.tsx';
import { Loading, Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { type Loaded, useAction } from '../../use-load.ts';

const TEXTS = texts.userDetails;
/** The server stops counting at this number. */
const MOST = 1000;

interface BelongingsProps {
  readonly loaded: Loaded<Belongings>;
}

interface OfUserProps extends BelongingsProps {
  readonly username: string;
}

/** Groups that a user is in. */
export function Groups({ username, loaded }: OfUserProps): ReactNode {
  return (
    <Section title={TEXTS.groups}>
      <Loading loaded={loaded}>
        {({ groups }) =>
          groups.length === 0 ? (
            <p className="muted">{TEXTS.noGroups}</p>
          ) : (
            <GroupTable username={username} groups={groups} onChanged={loaded.reload} />
          )
        }
      </Loading>
    </Section>
  );
}

interface GroupTableProps extends Pick<Belongings, 'groups'> {
  readonly username: string;
  readonly onChanged: () => void;
}

function GroupTable({ username, groups, onChanged }: GroupTableProps): ReactNode {
  const { client } = useService();
  const { isBusy, error, run } = useAction(onChanged);
  return (
    <>
      <SmallTable label={TEXTS.groups} heads={[TEXTS.group, TEXTS.roleIn, null]}>
        {groups.map(({ id, name, role }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hrefOf(['groups', id])}>{name}</a>
            </th>
            <td>{TEXTS.groupRoles[role]}</td>
            <td className="tools">
              {role !== 'owner' && (
                <RowAction
                  label={TEXTS.leaveOf(name)}
                  isBusy={isBusy}
                  act={() => run(() => client.groups.removeMember(id, username))}
                >
                  {TEXTS.leave}
                </RowAction>
              )}
            </td>
          </tr>
        ))}
      </SmallTable>
      <Failure error={error} />
    </>
  );
}

/** Devices of a user that receive notifications. */
export function Devices({ loaded }: BelongingsProps): ReactNode {
  return (
    <Section title={TEXTS.devices}>
      <Loading loaded={loaded}>
        {({ devices }) =>
          devices.length === 0 ? (
            <p className="muted">{TEXTS.noDevices}</p>
          ) : (
            <SmallTable label={TEXTS.devices} heads={[TEXTS.device, TEXTS.platform, TEXTS.registered]}>
              {devices.map(({ id, os, registered }) => (
                <tr key={id}>
                  <th scope="row" className="id">
                    {id}
                  </th>
                  <td>{os}</td>
                  <td>
                    <Age date={registered} />
                  </td>
                </tr>
              ))}
            </SmallTable>
          )
        }
      </Loading>
    </Section>
  );
}

function Counts({ groups, devices, ...counts }: Belongings): ReactNode {
  const all = { ...counts, devices: devices.length, groups: groups.length };
  return (
    <dl className="facts">
      {(Object.keys(TEXTS.counts) as (keyof typeof TEXTS.counts)[]).map((what) => (
        <div key={what}>
          <dt>{TEXTS.counts[what]}</dt>
          <dd>{TEXTS.count(all[what], MOST)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Counts of the data of a user. */
export function Data({ username, loaded }: OfUserProps): ReactNode {
  return (
    <Section title={TEXTS.data} about={TEXTS.dataAbout(username)}>
      <Loading loaded={loaded}>{(belongings) => <Counts {...belongings} />}</Loading>
    </Section>
  );
}

/** Data deleted together with a user. */
export function Removed({ loaded }: BelongingsProps): ReactNode {
  return (
    <Loading loaded={loaded}>
      {(belongings) => {
        const owned = belongings.groups.filter(({ role }) => role === 'owner').map(({ name }) => name);
        return (
          <>
            <p>{TEXTS.goes}</p>
            <Counts {...belongings} />
            {owned.length > 0 && <p>{TEXTS.owned(owned.join(', '))}</p>}
          </>
        );
      }}
    </Loading>
  );
}
