import type { WebhookDelivery } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { texts } from '../../texts.ts';

/** Makes content scrollable by keyboard. */
const KEYBOARD = { tabIndex: 0 };

/** The receiver's last response as text, or the reason why there was none. */
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
