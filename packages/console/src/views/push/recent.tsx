import type { ListedPush } from '@baobab/client';
import { type ReactNode, useCallback } from 'react';
import { useService } from '../../parts/service.ts';
import { usePagesOf } from '../../parts/use-pages.ts';
import { Loading, Pager, Table } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { dateText } from '../../values/format.ts';

const TEXTS = texts.push;

/** Stored notifications, newest first. */
export function Recent(): ReactNode {
  const { client } = useService();
  const list = useCallback(
    (cursor: string | null, signal: AbortSignal) => client.push.list().page(cursor, { signal }),
    [client],
  );
  const { loaded, page, toNext, toFirst } = usePagesOf(list);
  return (
    <section className="card" aria-label={TEXTS.recent}>
      <h2>{TEXTS.recent}</h2>
      <p className="dim">{TEXTS.kept}</p>
      <Loading loaded={loaded}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 ? <p>{TEXTS.noneSent}</p> : <Notifications rows={rows} />}
            <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
          </>
        )}
      </Loading>
    </section>
  );
}

function Notifications({ rows }: { readonly rows: readonly ListedPush[] }): ReactNode {
  return (
    <Table label={TEXTS.recent}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.created}</th>
          <th scope="col">{TEXTS.text}</th>
          <th scope="col">{TEXTS.sender}</th>
          <th scope="col">{TEXTS.expires}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, created, message, sender, expires }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hrefOf(['push', id])}>{dateText(created)}</a>
            </th>
            <td>{message}</td>
            <td>{sender !== null && <a href={hrefOf(['users', sender])}>{sender}</a>}</td>
            <td>{dateText(expires)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
