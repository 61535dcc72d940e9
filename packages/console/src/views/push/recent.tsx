import type { ListedPush } from '@baobab/client';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useService } from '../../parts/service.ts';
import { usePagesOf } from '../../parts/use-pages.ts';
import { Age } from '../../parts/values.tsx';
import { Loading } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';

const TEXTS = texts.push;

const COLUMNS: readonly Column<ListedPush>[] = [
  {
    id: 'text',
    title: TEXTS.text,
    width: 360,
    cell: ({ id, message }) => (
      <a href={hrefOf(['push', id])} title={message ?? ''}>
        {message}
      </a>
    ),
  },
  {
    id: 'sender',
    title: TEXTS.sender,
    cell: ({ sender }) => sender !== null && <a href={hrefOf(['users', sender])}>{sender}</a>,
  },
  { id: 'created', title: TEXTS.created, cell: ({ created }) => <Age date={created} /> },
  { id: 'expires', title: TEXTS.expires, cell: ({ expires }) => <Age date={expires} /> },
];

/** Stored notifications, newest first. */
export function Recent(): ReactNode {
  const { client } = useService();
  const pages = usePagesOf(['push'], (cursor, signal) => client.push.list().page(cursor, { signal }));
  return (
    <>
      <p className="muted">{TEXTS.kept}</p>
      <Loading loaded={pages.loaded}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyList texts={TEXTS} onCreate={() => go(['push', 'new'])} />
          ) : (
            <DataTable label={TEXTS.recent} name="push" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loading>
      <Pager pages={pages} />
    </>
  );
}
