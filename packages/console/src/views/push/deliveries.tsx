import type { PushState } from '@baobab/client';
import { type ReactNode, useCallback } from 'react';
import { useService } from '../../parts/service.ts';
import { Loading, Table, View } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';

const TEXTS = texts.push;

const stateText = (state: string) => TEXTS.states[state] ?? state;

/** Delivery status of a notification. */
export function Deliveries({ id }: { readonly id: string }): ReactNode {
  const { client } = useService();
  const loaded = useLoad(useCallback((signal: AbortSignal) => client.push.state(id, { signal }), [client, id]));
  return (
    <View
      title={TEXTS.message(id)}
      parents={[[hrefOf(['push']), TEXTS.title]]}
      actions={
        <button type="button" onClick={loaded.reload}>
          {TEXTS.refresh}
        </button>
      }
    >
      <Loading loaded={loaded}>{(state) => <Shown state={state} />}</Loading>
    </View>
  );
}

const countsText = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([state, count]) => `${count} ${stateText(state)}`)
    .join(', ') || TEXTS.none;

function Shown({ state: { created, expires, counts, devices } }: { readonly state: PushState }): ReactNode {
  const all = [counts.android, counts.ios].flatMap((one) => Object.values(one)).reduce((sum, n) => sum + n, 0);
  return (
    <>
      <section className="card" aria-label={TEXTS.state}>
        <dl>
          <dt>{TEXTS.created}</dt>
          <dd>{dateText(created)}</dd>
          <dt>{TEXTS.expires}</dt>
          <dd>{dateText(expires)}</dd>
          <dt>{TEXTS.android}</dt>
          <dd>{countsText(counts.android)}</dd>
          <dt>{TEXTS.ios}</dt>
          <dd>{countsText(counts.ios)}</dd>
        </dl>
      </section>
      {devices.length > 0 && (
        <Table label={TEXTS.deliveries}>
          <thead>
            <tr>
              <th scope="col">{TEXTS.user}</th>
              <th scope="col">{TEXTS.platform}</th>
              <th scope="col">{TEXTS.state}</th>
              <th scope="col" className="number">
                {TEXTS.attempts}
              </th>
              <th scope="col">{TEXTS.reason}</th>
              <th scope="col">{TEXTS.device}</th>
            </tr>
          </thead>
          <tbody>
            {devices.map(({ user, os, state, attempts, reason, device }) => (
              <tr key={`${os} ${device}`}>
                <th scope="row">{user !== null && <a href={hrefOf(['users', user])}>{user}</a>}</th>
                <td>{os}</td>
                <td>{stateText(state)}</td>
                <td className="number">{attempts}</td>
                <td>{reason}</td>
                <td className="id">{device}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {devices.length < all && <p className="dim">{TEXTS.first(devices.length)}</p>}
    </>
  );
}
