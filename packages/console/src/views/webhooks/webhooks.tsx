import type { Webhook, WebhookWithSecret } from '@baobab/client/admin';
import { type ReactNode, useCallback, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Once } from '../../parts/once.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Table, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';
import { WebhookView } from './webhook.tsx';
import { WebhookForm } from './webhook-form.tsx';

const TEXTS = texts.webhooks;

/** The list of webhooks, or one of them. */
export function Webhooks({ place }: ViewOfPlaceProps): ReactNode {
  const [, id] = place.path;
  return id === undefined ? <WebhookList /> : <WebhookView key={id} id={id} />;
}

function WebhookList(): ReactNode {
  const { client } = useService();
  const loaded = useLoad(useCallback((signal: AbortSignal) => client.admin.webhooks.list({ signal }), [client]));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => setCreating(true)}>
          {TEXTS.create}
        </button>
      }
    >
      <Loading loaded={loaded}>
        {(webhooks) => (webhooks.length === 0 ? <p>{TEXTS.none}</p> : <WebhookTable webhooks={webhooks} />)}
      </Loading>
      {isCreating && (
        <Dialog title={TEXTS.create} onClose={() => setCreating(false)}>
          <WebhookForm
            submit={texts.create}
            onCancel={() => setCreating(false)}
            save={async (settings) => {
              setCreated(await client.admin.webhooks.create(settings));
              setCreating(false);
            }}
          />
        </Dialog>
      )}
      {created !== null && (
        <Once
          title={TEXTS.newSecret}
          label={TEXTS.secret}
          value={created.secret}
          onClose={() => go(['webhooks', created.id])}
        />
      )}
    </View>
  );
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }): ReactNode {
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.url}</th>
          <th scope="col">{TEXTS.description}</th>
          <th scope="col">{TEXTS.collections}</th>
          <th scope="col">{TEXTS.state}</th>
          <th scope="col">{TEXTS.created}</th>
        </tr>
      </thead>
      <tbody>
        {webhooks.map(({ id, url, description, collections, enabled, created }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hrefOf(['webhooks', id])}>{url}</a>
            </th>
            <td>{description}</td>
            <td>{collections.join(', ')}</td>
            <td>{enabled ? TEXTS.states.on : TEXTS.states.off}</td>
            <td>{dateText(created)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
