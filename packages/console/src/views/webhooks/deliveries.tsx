import type { WebhookDelivery } from '@baobab/client/admin';
import { RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Select } from '../../parts/field.tsx';
import { KEYBOARD } from '../../parts/keyboard.ts';
import { Pager } from '../../parts/pager.tsx';
import { Popover } from '../../parts/popover.tsx';
import { useService } from '../../parts/service.ts';
import { usePagesOf } from '../../parts/use-pages.ts';
import { Age } from '../../parts/values.tsx';
import { EmptyState, Loading } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';

const TEXTS = texts.webhooks;
const STATES = ['delivered', 'waiting', 'parked'] as const;
const TONES = { delivered: 'ok', waiting: 'warning', parked: 'danger' } as const;

type Shown = WebhookDelivery['state'] | '';

/** Deliveries of document events can be repeated once they have failed. */
const isReplayable = ({ state, document }: WebhookDelivery) => state === 'parked' && document !== null;

/** Webhook deliveries, newest first. */
export function Deliveries({ id }: { readonly id: string }): ReactNode {
  const { webhooks } = useService().client.admin;
  const [state, setState] = useState<Shown>('');
  const pages = usePagesOf(['deliveries', id, state], (cursor, signal) =>
    webhooks.deliveries(id, { state: state === '' ? undefined : state }).page(cursor, { signal }),
  );
  const { loaded } = pages;
  const { isBusy, error, run } = useAction(loaded.reload);
  const columns: readonly Column<WebhookDelivery>[] = [
    ...COLUMNS,
    {
      id: 'replay',
      title: texts.actions,
      width: 100,
      cell: (delivery) =>
        isReplayable(delivery) && (
          <Button
            isSmall={true}
            disabled={isBusy}
            aria-label={TEXTS.replayOf(delivery.document ?? '')}
            onClick={() => run(() => webhooks.replay(id, delivery.id))}
          >
            {texts.retry}
          </Button>
        ),
    },
  ];
  return (
    <>
      <div className="row">
        <Select
          label={TEXTS.state}
          isBare={true}
          value={state}
          onChange={setState}
          options={[['', TEXTS.allStates], ...STATES.map((one) => [one, TEXTS.deliveryStates[one]] as const)]}
        />
        <IconButton icon={RotateCw} label={texts.refresh} onClick={loaded.reload} />
      </div>
      <Failure error={error} />
      <Loading loaded={loaded}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState title={TEXTS.noDeliveries} about={TEXTS.noDeliveriesAbout} />
          ) : (
            <DataTable
              label={TEXTS.deliveries}
              name="deliveries"
              columns={columns}
              rows={rows}
              keyOf={(delivery) => delivery.id}
            />
          )
        }
      </Loading>
      <Pager pages={pages} />
    </>
  );
}

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { id: 'time', title: TEXTS.time, width: 130, cell: ({ created }) => <Age date={created} /> },
  { id: 'type', title: TEXTS.message, width: 140, cell: ({ type }) => <code>{type}</code> },
  {
    id: 'state',
    title: TEXTS.state,
    width: 120,
    cell: ({ state, next }) => (
      <span title={next === null ? undefined : `${TEXTS.next}: ${dateText(next)}`}>
        <Badge tone={TONES[state]}>{TEXTS.deliveryStates[state]}</Badge>
      </span>
    ),
  },
  { id: 'answer', title: TEXTS.answer, width: 280, cell: (delivery) => <Answer delivery={delivery} /> },
  {
    id: 'document',
    title: TEXTS.document,
    width: 300,
    cell: (delivery) => <DocumentLink delivery={delivery} />,
  },
  { id: 'attempts', title: TEXTS.attempts, isNumber: true, width: 90, cell: ({ attempts }) => attempts },
];

/** Status and body of the last response, or why there was none. */
function Answer({ delivery: { status, error, body } }: { readonly delivery: WebhookDelivery }): ReactNode {
  const text = [status, error].filter((part) => part !== null).join(' ');
  if (body === null || body === '') return <span title={text}>{text}</span>;
  return (
    <>
      {text}{' '}
      <Popover
        label={TEXTS.body}
        trigger={
          <button type="button" className="chip">
            {TEXTS.body}
          </button>
        }
      >
        <pre {...KEYBOARD}>{body}</pre>
      </Popover>
    </>
  );
}

function DocumentLink({ delivery: { type, collection, document } }: { readonly delivery: WebhookDelivery }): ReactNode {
  if (collection === null || document === null) return collection;
  if (type !== 'document.put') return <span className="id">{document}</span>;
  return (
    <a className="id" href={hrefOf(['collections', collection, document])}>
      {document}
    </a>
  );
}
