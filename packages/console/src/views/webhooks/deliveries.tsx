import type { WebhookDelivery } from '@baobab/client/admin';
import { type ReactNode, useCallback, useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Select } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { usePagesOf } from '../../parts/use-pages.ts';
import { Loading, Pager, Table } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';
import { Outcome } from './outcome.tsx';

const TEXTS = texts.webhooks;
const STATES = ['delivered', 'waiting', 'parked'] as const;

type Shown = WebhookDelivery['state'] | '';

/** Webhook deliveries, newest first. */
export function Deliveries({ id }: { readonly id: string }): ReactNode {
  const { webhooks } = useService().client.admin;
  const [state, setState] = useState<Shown>('');
  const list = useCallback(
    (cursor: string | null, signal: AbortSignal) =>
      webhooks.deliveries(id, { state: state === '' ? undefined : state }).page(cursor, { signal }),
    [webhooks, id, state],
  );
  const { loaded, page, toNext, toFirst } = usePagesOf(list);
  const { isBusy, error, run } = useAction();
  return (
    <section className="card" aria-label={TEXTS.deliveries}>
      <h2>{TEXTS.deliveries}</h2>
      <div className="row">
        <Select
          label={TEXTS.state}
          value={state}
          onChange={setState}
          options={[['', TEXTS.allStates], ...STATES.map((one) => [one, TEXTS.deliveryStates[one]] as const)]}
        />
        <button type="button" onClick={loaded.reload}>
          {TEXTS.refresh}
        </button>
      </div>
      <Failure error={error} />
      <Loading loaded={loaded}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 ? (
              <p>{TEXTS.noDeliveries}</p>
            ) : (
              <DeliveryTable
                deliveries={rows}
                isBusy={isBusy}
                onReplay={async (delivery) => {
                  if (await run(() => webhooks.replay(id, delivery.id))) loaded.reload();
                }}
              />
            )}
            <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
          </>
        )}
      </Loading>
    </section>
  );
}

interface DeliveryTableProps {
  readonly deliveries: readonly WebhookDelivery[];
  readonly isBusy: boolean;
  readonly onReplay: (delivery: WebhookDelivery) => unknown;
}

/** Deliveries of document events can be repeated once they have failed. */
const isReplayable = ({ state, document }: WebhookDelivery) => state === 'parked' && document !== null;

function DeliveryTable({ deliveries, isBusy, onReplay }: DeliveryTableProps): ReactNode {
  return (
    <Table label={TEXTS.deliveries}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.time}</th>
          <th scope="col">{TEXTS.message}</th>
          <th scope="col">{TEXTS.document}</th>
          <th scope="col">{TEXTS.state}</th>
          <th scope="col" className="number">
            {TEXTS.attempts}
          </th>
          <th scope="col">{TEXTS.answer}</th>
          <th scope="col">{texts.actions}</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <td>{dateText(delivery.created)}</td>
            <td className="id">{delivery.type}</td>
            <td>
              <DocumentLink delivery={delivery} />
            </td>
            <td>
              {TEXTS.deliveryStates[delivery.state]}
              {delivery.next !== null && (
                <div className="dim">
                  {TEXTS.next}: {dateText(delivery.next)}
                </div>
              )}
            </td>
            <td className="number">{delivery.attempts}</td>
            <td>
              <Outcome delivery={delivery} />
            </td>
            <td>
              {isReplayable(delivery) && (
                <button
                  type="button"
                  disabled={isBusy}
                  aria-label={TEXTS.replayOf(delivery.document ?? '')}
                  onClick={() => onReplay(delivery)}
                >
                  {TEXTS.replay}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
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
