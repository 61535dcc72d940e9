import type { AuditEntry } from '@baobab/client/admin';
import { Search as SearchIcon, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Party } from '../../parts/party.tsx';
import { useService } from '../../parts/service.ts';
import { usePagesOf } from '../../parts/use-pages.ts';
import { Age } from '../../parts/values.tsx';
import { Loading, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { ACTS, timesOf } from '../../values/audit.ts';

const TEXTS = texts.audit;

/** The filter in the address. */
interface Filter {
  readonly act: string;
  readonly by: string;
  readonly to: string;
  readonly from: string;
  readonly until: string;
}

/** Audit events, newest first. */
export function Audit({ place }: ViewOfPlaceProps): ReactNode {
  const { act = '', by = '', to = '', from = '', until = '' } = place.query;
  const filter = { act, by, to, from, until };
  const [search, setSearch] = useState(0);
  return (
    <View title={TEXTS.title} isFull={true}>
      <FilterForm filter={filter} onAgain={() => setSearch((before) => before + 1)} />
      <Events key={`${search} ${JSON.stringify(filter)}`} filter={filter} />
    </View>
  );
}

const isEmpty = (filter: Filter) => Object.values(filter).every((value) => value === '');

/** Events that match a filter. Each filter has separate rows and cursors. */
function Events({ filter }: { readonly filter: Filter }): ReactNode {
  const { client } = useService();
  const { act, by, to, from, until } = filter;
  const pages = usePagesOf(['audit', filter], (cursor, signal) => {
    const parties = { ...(by !== '' && { by }), ...(to !== '' && { to }) };
    const wanted = { ...(act !== '' && { act }), ...parties, ...timesOf(from, until) };
    return client.admin.audit.list(wanted).page(cursor, { signal });
  });
  return (
    <>
      <Loading loaded={pages.loaded}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyList texts={TEXTS} onClear={isEmpty(filter) ? null : () => go(['audit'])} />
          ) : (
            <DataTable
              label={TEXTS.title}
              name="audit"
              columns={COLUMNS}
              rows={rows}
              keyOf={({ number }) => String(number)}
            />
          )
        }
      </Loading>
      <Pager pages={pages} />
    </>
  );
}

function FilterForm({ filter, onAgain }: { readonly filter: Filter; readonly onAgain: () => void }): ReactNode {
  const { act, by, to, from, until } = filter;
  const [draft, setDraft] = useState(filter);
  useEffect(() => setDraft({ act, by, to, from, until }), [act, by, to, from, until]);
  const set = (name: keyof Filter) => (value: string) => setDraft((before) => ({ ...before, [name]: value }));
  const acts = [['', TEXTS.allActs], ...ACTS.map((one) => [one, one] as const)] as const;
  return (
    <form
      className="row bottom"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = { ...draft, by: draft.by.trim(), to: draft.to.trim() };
        // The filter is unchanged, so navigation would have no effect.
        if (hrefOf(['audit'], wanted) === hrefOf(['audit'], { ...filter })) onAgain();
        else go(['audit'], wanted);
      }}
    >
      <Select label={TEXTS.act} value={draft.act} onChange={set('act')} options={acts} />
      <Field label={TEXTS.by} placeholder={TEXTS.partyAbout} value={draft.by} onChange={set('by')} />
      <Field label={TEXTS.target} placeholder={TEXTS.partyAbout} value={draft.to} onChange={set('to')} />
      <Field label={TEXTS.from} type="date" value={draft.from} onChange={set('from')} />
      <Field label={TEXTS.until} type="date" value={draft.until} onChange={set('until')} />
      <Button type="submit" icon={SearchIcon}>
        {texts.search}
      </Button>
      {!isEmpty(filter) && <IconButton icon={X} label={texts.documents.clear} onClick={() => go(['audit'])} />}
    </form>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { id: 'act', title: TEXTS.act, width: 200, cell: ({ act }) => <code>{act}</code> },
  { id: 'by', title: TEXTS.by, cell: ({ by }) => <Party party={by} /> },
  { id: 'to', title: TEXTS.target, cell: ({ to }) => to !== null && <Party party={to} /> },
  { id: 'time', title: TEXTS.time, width: 140, cell: ({ at }) => <Age date={at} /> },
  {
    id: 'details',
    title: TEXTS.details,
    width: 320,
    cell: ({ details }) => (
      <span className="muted" title={detailsText(details)}>
        {detailsText(details)}
      </span>
    ),
  },
  { id: 'network', title: TEXTS.network, width: 140, cell: ({ network }) => <span className="id">{network}</span> },
];

const detailsText = (details: AuditEntry['details']) =>
  Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
