import type { WebhookWithSecret } from '@baobab/client/admin';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Once } from '../../parts/once.tsx';
import { useService } from '../../parts/service.ts';
import { Age } from '../../parts/values.tsx';
import { Loading, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { handlerOf } from './handler.ts';
import { useWebhookStates, type WebhookWithState } from './use-webhook-states.ts';
import { WebhookView } from './webhook.tsx';
import { NewWebhook } from './webhook-form.tsx';

const TEXTS = texts.webhooks;

/** The list of webhooks, or one of them. */
export function Webhooks({ place }: ViewOfPlaceProps): ReactNode {
  const [, id, part] = place.path;
  if (id === undefined) return <WebhookList />;
  return <WebhookView key={id} id={id} part={part === 'settings' ? part : 'deliveries'} />;
}

const TONES: Readonly<Record<WebhookWithState['state'], Tone>> = { on: 'ok', off: 'neutral', failing: 'danger' };

const COLUMNS: readonly Column<WebhookWithState>[] = [
  {
    id: 'url',
    title: TEXTS.url,
    width: 320,
    cell: ({ webhook: { id, url } }) => (
      <a href={hrefOf(['webhooks', id])} title={url}>
        {handlerOf(url) ?? url}
      </a>
    ),
  },
  {
    id: 'state',
    title: TEXTS.state,
    width: 110,
    cell: ({ state }) => <Badge tone={TONES[state]}>{TEXTS.states[state]}</Badge>,
  },
  { id: 'collections', title: TEXTS.collections, cell: ({ webhook }) => webhook.collections.join(', ') },
  { id: 'description', title: TEXTS.description, cell: ({ webhook }) => webhook.description },
  { id: 'created', title: TEXTS.created, cell: ({ webhook }) => <Age date={webhook.created} /> },
];

function WebhookList(): ReactNode {
  const { client } = useService();
  const loaded = useWebhookStates();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {TEXTS.create}
    </Button>
  );
  return (
    <View title={TEXTS.title} isFull={true} actions={create}>
      <Loading loaded={loaded}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <EmptyList texts={TEXTS} onCreate={() => setCreating(true)} />
          ) : (
            <DataTable
              label={TEXTS.title}
              name="webhooks"
              columns={COLUMNS}
              rows={webhooks}
              keyOf={({ webhook }) => webhook.id}
            />
          )
        }
      </Loading>
      {isCreating && (
        <NewWebhook
          onClose={() => setCreating(false)}
          save={async (settings, presence) => {
            setCreated(await client.admin.webhooks.create(settings, presence));
            setCreating(false);
          }}
        />
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
