import type { WebhookDelivery } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { texts } from '../../texts.ts';

/** Lets keyboards scroll. */
const KEYBOARD = { tabIndex: 0 };

/** What the receiver answered last, as text, or why there was no answer. */
export function Outcome({ delivery: { status, body, error } }: { readonly delivery: WebhookDelivery }): ReactNode {
  return (
    <>
      {status !== null && <div>{status}</div>}
      {error !== null && <div>{error}</div>}
      {body !== null && body !== '' && (
        <details>
          <summary>{texts.webhooks.body}</summary>
          <pre {...KEYBOARD}>{body}</pre>
        </details>
      )}
    </>
  );
}
