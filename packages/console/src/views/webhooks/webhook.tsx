import type { Webhook, WebhookDelivery } from '@baobab/client/admin';
import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, Power, Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { ItemView } from '../../parts/item-view.tsx';
import { Once } from '../../parts/once.tsx';
import { useService } from '../../parts/service.ts';
import { PageTabs, Section } from '../../parts/view.tsx';
import { useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';
import { Deliveries } from './deliveries.tsx';
import { handlerOf } from './handler.ts';
import { Outcome } from './outcome.tsx';
import { WebhookForm } from './webhook-form.tsx';

const TEXTS = texts.webhooks;

type Part = 'deliveries' | 'settings';

interface WebhookViewProps {
  readonly id: string;
  readonly part: Part;
}

/** A webhook: its deliveries or its settings. */
export function WebhookView({ id, part }: WebhookViewProps): ReactNode {
  const { webhooks } = useService().client.admin;
  const store = useQueryClient();
  const goInstead = useGoInstead();
  const loaded = useLoad(['webhooks', id], (signal) => webhooks.get(id, { signal }));
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<WebhookDelivery | null>(null);
  const { isBusy, error, field, run } = useFreshAction();
  const url = loaded.data?.url ?? id;
  const handler = handlerOf(url);
  const isEnabled = loaded.data?.enabled === true;

  const toggle = () =>
    run(async (presence) => {
      await webhooks.update(id, { enabled: !isEnabled }, presence);
      loaded.reload();
    });
  const test = () =>
    run(async () => {
      setOutcome(null);
      setOutcome(await webhooks.test(id));
      void store.invalidateQueries({ queryKey: ['deliveries', id] });
    });

  const tabs = handler === null && (
    <PageTabs
      label={TEXTS.title}
      tabs={[
        { href: hrefOf(['webhooks', id]), text: TEXTS.deliveries, isCurrent: part === 'deliveries' },
        { href: hrefOf(['webhooks', id, 'settings']), text: TEXTS.settings, isCurrent: part === 'settings' },
      ]}
    />
  );
  return (
    <ItemView
      title={handler ?? url}
      parent={[hrefOf(['webhooks']), TEXTS.title]}
      loaded={loaded}
      tabs={tabs}
      actions={
        <Button icon={Send} disabled={isBusy} onClick={test}>
          {TEXTS.test}
        </Button>
      }
      menu={[
        { text: isEnabled ? TEXTS.disable : TEXTS.enable, icon: Power, isDisabled: isBusy, act: toggle },
        ...(handler === null ? [{ text: TEXTS.rotate, icon: KeyRound, act: () => setRotating(true) }] : []),
      ]}
      deletion={
        handler === null
          ? {
              title: TEXTS.delete,
              about: TEXTS.deleteAbout(url),
              act: () => webhooks.remove(id),
              onDone: () => goInstead(['webhooks']),
            }
          : null
      }
    >
      {(webhook) => (
        <>
          <State webhook={webhook} />
          {field}
          <Failure error={error} />
          {outcome !== null && (
            <Section title={TEXTS.tested(TEXTS.deliveryStates[outcome.state])} isCard={true}>
              <Outcome delivery={outcome} />
            </Section>
          )}
          {part === 'deliveries' || handler !== null ? (
            <Deliveries id={id} />
          ) : (
            <WebhookForm
              webhook={webhook}
              save={async (change, presence) => {
                await webhooks.update(id, change, presence);
                loaded.reload();
              }}
            />
          )}
          {isRotating && (
            <Confirm
              title={TEXTS.rotate}
              about={TEXTS.rotateAbout}
              act={async (presence) => setSecret((await webhooks.rotateSecret(id, presence)).secret)}
              onDone={() => setRotating(false)}
              onClose={() => setRotating(false)}
            />
          )}
          {secret !== null && (
            <Once title={TEXTS.newSecret} label={TEXTS.secret} value={secret} onClose={() => setSecret(null)} />
          )}
        </>
      )}
    </ItemView>
  );
}

function State({ webhook: { url, enabled, created, description } }: { readonly webhook: Webhook }): ReactNode {
  return (
    <div className="row">
      <Badge tone={enabled ? 'ok' : 'neutral'}>{enabled ? TEXTS.states.on : TEXTS.states.off}</Badge>
      <span className="meta">
        {TEXTS.created} {dateText(created)}
      </span>
      {handlerOf(url) !== null && <span className="meta">{description}</span>}
    </div>
  );
}
