import type { Webhook, WebhookDelivery } from '@baobab/client/admin';
import { type ReactNode, useCallback, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { ItemView } from '../../parts/item-view.tsx';
import { Once } from '../../parts/once.tsx';
import { useService } from '../../parts/service.ts';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';
import { Deliveries } from './deliveries.tsx';
import { Outcome } from './outcome.tsx';
import { WebhookForm } from './webhook-form.tsx';

const TEXTS = texts.webhooks;

/** A webhook with its deliveries. */
export function WebhookView({ id }: { readonly id: string }): ReactNode {
  const { webhooks } = useService().client.admin;
  const load = useCallback((signal: AbortSignal) => webhooks.get(id, { signal }), [webhooks, id]);
  const loaded = useLoad(load);
  const url = loaded.data?.url ?? id;
  return (
    <ItemView
      title={url}
      parent={[hrefOf(['webhooks']), TEXTS.title]}
      loaded={loaded}
      deletion={{
        title: TEXTS.delete,
        about: TEXTS.deleteAbout(url),
        act: () => webhooks.remove(id),
        onDone: () => go(['webhooks']),
      }}
    >
      {(webhook) => (
        <>
          <State webhook={webhook} onChanged={loaded.reload} />
          <section className="card" aria-label={TEXTS.settings}>
            <h2>{TEXTS.settings}</h2>
            <WebhookForm
              webhook={webhook}
              submit={texts.save}
              save={async (settings) => {
                await webhooks.update(id, settings);
                loaded.reload();
              }}
            />
          </section>
          <Deliveries id={id} />
        </>
      )}
    </ItemView>
  );
}

interface StateProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}

/** State and actions of a webhook. */
function State({ webhook: { id, enabled, created }, onChanged }: StateProps): ReactNode {
  const { webhooks } = useService().client.admin;
  const [outcome, setOutcome] = useState<WebhookDelivery | null>(null);
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();
  return (
    <section className="card" aria-label={TEXTS.state}>
      <h2>{TEXTS.state}</h2>
      <dl>
        <dt>{TEXTS.state}</dt>
        <dd>{enabled ? TEXTS.states.on : TEXTS.states.off}</dd>
        <dt>{TEXTS.created}</dt>
        <dd>{dateText(created)}</dd>
      </dl>
      <div className="row">
        <button
          type="button"
          disabled={isBusy}
          onClick={async () => {
            if (await run(() => webhooks.update(id, { enabled: !enabled }))) onChanged();
          }}
        >
          {enabled ? TEXTS.disable : TEXTS.enable}
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            run(async () => {
              setOutcome(null);
              setOutcome(await webhooks.test(id));
            })
          }
        >
          {TEXTS.test}
        </button>
        <button type="button" onClick={() => setRotating(true)}>
          {TEXTS.rotate}
        </button>
      </div>
      <Failure error={error} />
      <div role="status">
        {outcome !== null && (
          <>
            <p>{TEXTS.tested(TEXTS.deliveryStates[outcome.state])}</p>
            <Outcome delivery={outcome} />
          </>
        )}
      </div>
      {isRotating && (
        <Confirm
          title={TEXTS.rotate}
          about={TEXTS.rotateAbout}
          act={async () => setSecret((await webhooks.rotateSecret(id)).secret)}
          onDone={() => setRotating(false)}
          onClose={() => setRotating(false)}
        />
      )}
      {secret !== null && (
        <Once title={TEXTS.newSecret} label={TEXTS.secret} value={secret} onClose={() => setSecret(null)} />
      )}
    </section>
  );
}
