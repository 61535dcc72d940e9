import type { AuditEntry, AuditParty } from '@baobab/client/admin';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { usePagesOf } from '../../parts/use-pages.ts';
import { Loading, Pager, Table, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { ACTS, timesOf } from '../../values/audit.ts';
import { dateText } from '../../values/format.ts';

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
    <View title={TEXTS.title}>
      <p className="dim">{TEXTS.about}</p>
      <FilterForm filter={filter} onAgain={() => setSearch((before) => before + 1)} />
      <Events key={`${search} ${JSON.stringify(filter)}`} filter={filter} />
    </View>
  );
}

/** Events that match a filter. Each filter has separate rows and cursors. */
function Events({ filter: { act, by, to, from, until } }: { readonly filter: Filter }): ReactNode {
  const { client } = useService();
  const list = useCallback(
    (cursor: string | null, signal: AbortSignal) => {
      const parties = { ...(by !== '' && { by }), ...(to !== '' && { to }) };
      const filter = { ...(act !== '' && { act }), ...parties, ...timesOf(from, until) };
      return client.admin.audit.list(filter).page(cursor, { signal });
    },
    [client, act, by, to, from, until],
  );
  const { loaded, page, toNext, toFirst } = usePagesOf(list);
  return (
    <Loading loaded={loaded}>
      {({ rows, next }) => (
        <>
          {rows.length === 0 ? <p>{TEXTS.none}</p> : <EventTable events={rows} />}
          <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
        </>
      )}
    </Loading>
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
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = { ...draft, by: draft.by.trim(), to: draft.to.trim() };
        // The filter is unchanged, so navigation would have no effect.
        if (hrefOf(['audit'], wanted) === hrefOf(['audit'], { ...filter })) onAgain();
        else go(['audit'], wanted);
      }}
    >
      <Select label={TEXTS.act} value={draft.act} onChange={set('act')} options={acts} />
      <Field label={TEXTS.by} about={TEXTS.partyAbout} value={draft.by} onChange={set('by')} />
      <Field label={TEXTS.to} about={TEXTS.partyAbout} value={draft.to} onChange={set('to')} />
      <Field label={TEXTS.from} type="date" value={draft.from} onChange={set('from')} />
      <Field label={TEXTS.until} type="date" value={draft.until} onChange={set('until')} />
      <button type="submit">{TEXTS.find}</button>
      {Object.values(filter).some((value) => value !== '') && (
        <button type="button" onClick={() => go(['audit'])}>
          {TEXTS.clear}
        </button>
      )}
    </form>
  );
}

function EventTable({ events }: { readonly events: readonly AuditEntry[] }): ReactNode {
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.time}</th>
          <th scope="col">{TEXTS.act}</th>
          <th scope="col">{TEXTS.by}</th>
          <th scope="col">{TEXTS.to}</th>
          <th scope="col">{TEXTS.network}</th>
          <th scope="col">{TEXTS.details}</th>
        </tr>
      </thead>
      <tbody>
        {events.map(({ number, at, act, by, to, network, details }) => (
          <tr key={number}>
            <td>{dateText(at)}</td>
            <td className="id">{act}</td>
            <td>
              <Party party={by} />
            </td>
            <td>{to !== null && <Party party={to} />}</td>
            <td className="id">{network}</td>
            <td className="dim">{detailsText(details)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

const detailsText = (details: AuditEntry['details']) =>
  Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

/** Views of event targets, by kind. */
const VIEWS: Readonly<Record<string, string>> = { key: 'keys', webhook: 'webhooks', collection: 'collections' };

/** Users are linked by id: the name at the time of the event may belong to another user now. */
function Party({ party: { kind, id, name } }: { readonly party: AuditParty }): ReactNode {
  if (kind === 'anonymous') return <span className="dim">{TEXTS.anonymous}</span>;
  if (kind === 'operator') return <span className="dim">{TEXTS.operator}</span>;
  if (kind === 'user' && id !== null) return <a href={hrefOf(['users'], { where: `id = '${id}'` })}>{name ?? id}</a>;
  const view = VIEWS[kind];
  if (view !== undefined && id !== null) return <a href={hrefOf([view, id])}>{name ?? id}</a>;
  return (
    <span>
      {name ?? id} <span className="dim">{kind}</span>
    </span>
  );
}
