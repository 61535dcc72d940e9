import type { LoggedRequest } from '@baobab/client/admin';
import { RotateCw, Search as SearchIcon, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { Age } from '../../parts/values.tsx';
import { Loading, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText, numberText } from '../../values/format.ts';

const TEXTS = texts.logs;
/** Requests that the server returns at most. */
const MOST = 500;

/** The filter in the address. */
interface Filter {
  readonly status: string;
  readonly path: string;
  readonly user: string;
}

/** Newest requests to this node. */
export function Logs({ place }: ViewOfPlaceProps): ReactNode {
  const { status = '', path = '', user = '', id } = place.query;
  const filter = { status, path, user };
  const { admin } = useService().client;
  const loaded = useLoad(['requests', filter], (signal) =>
    admin.requests({
      signal,
      limit: MOST,
      ...(status !== '' && { status }),
      ...(path !== '' && { path }),
      ...(user !== '' && { user }),
    }),
  );
  const isFiltered = status !== '' || path !== '' || user !== '';
  const opened = loaded.data?.find((one) => one.id === id);
  const columns: readonly Column<LoggedRequest>[] = [
    {
      id: 'path',
      title: TEXTS.path,
      width: 380,
      cell: (request) => (
        <a className="id" href={hrefOf(['logs'], { ...filter, id: request.id })} title={request.path}>
          {request.method} {request.path}
        </a>
      ),
    },
    ...COLUMNS,
  ];
  return (
    <View
      title={TEXTS.title}
      isFull={true}
      actions={
        <Button icon={RotateCw} onClick={loaded.reload}>
          {texts.refresh}
        </Button>
      }
    >
      <FilterForm filter={filter} isFiltered={isFiltered} />
      <Loading loaded={loaded}>
        {(requests) =>
          requests.length === 0 ? (
            <EmptyList texts={TEXTS} onClear={isFiltered ? () => go(['logs']) : null} />
          ) : (
            <DataTable label={TEXTS.title} name="logs" columns={columns} rows={requests} keyOf={(one) => one.id} />
          )
        }
      </Loading>
      {loaded.data !== null && loaded.data.length > 0 && (
        <div className="pager">
          <span role="status">{TEXTS.shown(numberText(loaded.data.length))}</span>
        </div>
      )}
      {opened !== undefined && <Details request={opened} onClose={() => go(['logs'], { ...filter })} />}
    </View>
  );
}

function FilterForm({ filter, isFiltered }: { readonly filter: Filter; readonly isFiltered: boolean }): ReactNode {
  const { status, path, user } = filter;
  const [draft, setDraft] = useState(filter);
  useEffect(() => setDraft({ status, path, user }), [status, path, user]);
  const set = (name: keyof Filter) => (value: string) => setDraft((before) => ({ ...before, [name]: value }));
  const statuses = [['', TEXTS.allStatuses], ...Object.entries(TEXTS.statuses)] as const;
  return (
    <form
      className="row bottom"
      onSubmit={(event) => {
        event.preventDefault();
        go(['logs'], { ...draft, path: draft.path.trim(), user: draft.user.trim() });
      }}
    >
      <Select
        label={TEXTS.status}
        value={draft.status}
        onChange={(value) => go(['logs'], { ...draft, status: value })}
        options={statuses.map(([value, text]) => [value, text] as const)}
      />
      <Field label={TEXTS.path} placeholder={TEXTS.pathAbout} value={draft.path} onChange={set('path')} />
      <Field label={TEXTS.user} value={draft.user} onChange={set('user')} />
      <Button type="submit" icon={SearchIcon}>
        {texts.search}
      </Button>
      {isFiltered && <IconButton icon={X} label={texts.documents.clear} onClick={() => go(['logs'])} />}
    </form>
  );
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'danger';
  return status >= 400 ? 'warning' : 'ok';
}

const Caller = ({ request: { user, key } }: { readonly request: LoggedRequest }): ReactNode => {
  if (user !== null) return <a href={hrefOf(['users', user])}>{user}</a>;
  return key === null ? <span className="muted">{texts.audit.anonymous}</span> : key;
};

const COLUMNS: readonly Column<LoggedRequest>[] = [
  {
    id: 'status',
    title: TEXTS.status,
    width: 90,
    cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
  },
  { id: 'ms', title: TEXTS.duration, isNumber: true, width: 110, cell: ({ ms }) => TEXTS.ms(numberText(ms)) },
  { id: 'user', title: TEXTS.user, width: 150, cell: (request) => <Caller request={request} /> },
  { id: 'time', title: TEXTS.time, width: 140, cell: ({ time }) => <Age date={time} /> },
  { id: 'id', title: TEXTS.id, width: 180, cell: ({ id }) => <span className="id">{id}</span> },
];

interface DetailsProps {
  readonly request: LoggedRequest;
  readonly onClose: () => void;
}

/** All that is known about a request. */
function Details({ request, onClose }: DetailsProps): ReactNode {
  const { id, time, method, path, status, ms } = request;
  return (
    <Dialog kind="drawer" title={`${method} ${path}`} onClose={onClose}>
      <div className="overlay-body">
        <dl className="facts">
          <dt>{TEXTS.status}</dt>
          <dd>
            <Badge tone={toneOf(status)}>{status}</Badge>
          </dd>
          <dt>{TEXTS.method}</dt>
          <dd>{method}</dd>
          <dt>{TEXTS.path}</dt>
          <dd>
            <code>{path}</code>
          </dd>
          <dt>{TEXTS.duration}</dt>
          <dd>{TEXTS.ms(numberText(ms))}</dd>
          <dt>{TEXTS.user}</dt>
          <dd>
            <Caller request={request} />
          </dd>
          <dt>{TEXTS.time}</dt>
          <dd>{dateText(time)}</dd>
          <dt>{TEXTS.id}</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </dl>
        <p className="meta">{TEXTS.detailsAbout}</p>
      </div>
    </Dialog>
  );
}
