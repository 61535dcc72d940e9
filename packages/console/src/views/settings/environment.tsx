import type { EnvironmentVariable } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { useService } from '../../parts/service.ts';
import { Loading } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';

const TEXTS = texts.settings.environment;

/** Returns a description with the code in it, which the server puts between backticks. */
const withCode = (description: string) =>
  description.split('`').map((text, at) => (at % 2 === 1 ? <code key={text}>{text}</code> : text));

const COLUMNS: readonly Column<EnvironmentVariable>[] = [
  {
    id: 'name',
    title: TEXTS.variable,
    width: 380,
    wraps: true,
    cell: ({ name, description }) => (
      <>
        <code>{name}</code>
        <p className="meta">{withCode(description)}</p>
      </>
    ),
  },
  {
    id: 'value',
    title: TEXTS.value,
    width: 160,
    cell: ({ value }) => value !== '' && <span title={value}>{value}</span>,
  },
  {
    id: 'source',
    title: TEXTS.source,
    width: 90,
    cell: ({ source }) => (
      <Badge tone={source === 'default' ? 'neutral' : 'ok'}>{source === 'default' ? TEXTS.initial : TEXTS.set}</Badge>
    ),
  },
];

/** Environment variables of the server. */
export function Environment(): ReactNode {
  const { admin } = useService().client;
  const loaded = useLoad(['environment'], (signal) => admin.environment({ signal }));
  return (
    <div className="section">
      <p className="muted">{TEXTS.about}</p>
      <Loading loaded={loaded}>
        {(variables) => (
          <DataTable
            label={TEXTS.title}
            name="environment"
            columns={COLUMNS}
            rows={variables}
            keyOf={({ name }) => name}
          />
        )}
      </Loading>
    </div>
  );
}
