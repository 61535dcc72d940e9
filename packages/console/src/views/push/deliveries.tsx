import type { PushState } from '@baobab/client';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { useService } from '../../parts/service.ts';
import { Age } from '../../parts/values.tsx';
import { Loading, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { ownOf } from '../../values/own.ts';

const TEXTS = texts.push;

type Device = PushState['devices'][number];

const stateText = (state: string) => ownOf(TEXTS.states, state) ?? state;
const TONES: Readonly<Record<string, Tone>> = { waiting: 'warning', delivered: 'ok', refused: 'danger' };

const COLUMNS: readonly Column<Device>[] = [
  {
    id: 'user',
    title: TEXTS.user,
    width: 180,
    cell: ({ user }) => user !== null && <a href={hrefOf(['users', user])}>{user}</a>,
  },
  { id: 'platform', title: TEXTS.platform, width: 120, cell: ({ os }) => os },
  {
    id: 'state',
    title: TEXTS.state,
    width: 140,
    cell: ({ state }) => <Badge tone={ownOf(TONES, state) ?? 'neutral'}>{stateText(state)}</Badge>,
  },
  { id: 'attempts', title: TEXTS.attempts, isNumber: true, width: 100, cell: ({ attempts }) => attempts },
  { id: 'reason', title: TEXTS.reason, cell: ({ reason }) => reason },
  { id: 'device', title: TEXTS.device, width: 260, cell: ({ device }) => <span className="id">{device}</span> },
];

/** Delivery status of a notification. */
export function Deliveries({ id }: { readonly id: string }): ReactNode {
  const { client } = useService();
  const loaded = useLoad(['push', id], (signal) => client.push.state(id, { signal }));
  return (
    <View
      title={TEXTS.message(id)}
      parents={[[hrefOf(['push']), TEXTS.title]]}
      actions={
        <Button icon={RotateCw} onClick={loaded.reload}>
          {texts.refresh}
        </Button>
      }
    >
      <Loading loaded={loaded}>{(state) => <Shown state={state} />}</Loading>
    </View>
  );
}

const countsText = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([state, count]) => `${count} ${stateText(state)}`)
    .join(', ') || TEXTS.noDevices;

function Shown({ state: { created, expires, counts, devices } }: { readonly state: PushState }): ReactNode {
  const all = [counts.android, counts.ios].flatMap((one) => Object.values(one)).reduce((sum, n) => sum + n, 0);
  return (
    <div className="stack loose">
      <dl className="facts">
        <dt>{TEXTS.created}</dt>
        <dd>
          <Age date={created} />
        </dd>
        <dt>{TEXTS.expires}</dt>
        <dd>
          <Age date={expires} />
        </dd>
        <dt>{TEXTS.android}</dt>
        <dd>{countsText(counts.android)}</dd>
        <dt>{TEXTS.ios}</dt>
        <dd>{countsText(counts.ios)}</dd>
      </dl>
      {devices.length > 0 && (
        <DataTable
          label={TEXTS.deliveries}
          name="push-devices"
          columns={COLUMNS}
          rows={devices}
          keyOf={({ os, device }) => `${os} ${device}`}
        />
      )}
      {devices.length < all && <p className="muted">{TEXTS.first(devices.length)}</p>}
    </div>
  );
}
